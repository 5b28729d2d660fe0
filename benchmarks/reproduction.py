"""docs/reproduction.md: what `bqcd reproduce --all` made, its times and small pictures.

``python benchmarks/reproduction.py reproduction`` reads the folder of a run that has come to its
end (``make record-reproduction`` runs it first, or goes on where it was interrupted). Commit and
date are those of ``origin.json`` there if it exists, else those of now.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from accuracy import origin_of

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "reproduction.md"
PICTURES = ROOT / "docs" / "figures" / "reproduction"
# Width in pixels and number of colours: some twenty pictures in half a megabyte.
WIDTH, COLOURS = 800, 32
HEAD = """# The paper's tables and figures, made again

Output of `{command}`, of {date} at commit `{commit}`, on two cores beside other work.
`make record-reproduction` makes it and this page again. {pairs}
Methods are those of that commit; [](accuracy.md) has all of them on all pairs, as they are now.

Pictures are smaller here than those the command writes.
"""
FEWER = (
    "GPI, ROCHE and CURE are run on {pairs} pairs of each simulated benchmark, evenly spread, and "
    "on all real ones."
)
ALL = "All methods are run on all pairs."


def shrunken(source: Path, target: Path) -> None:
    """Write a picture with fewer pixels and colours."""
    from PIL import Image

    with Image.open(source) as picture:
        share = min(1.0, WIDTH / picture.width)
        size = (round(picture.width * share), round(picture.height * share))
        small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    target.parent.mkdir(parents=True, exist_ok=True)
    small.quantize(COLOURS).save(target, optimize=True)


def page(folder: Path, pairs: int | None) -> str:
    """The page: what the run wrote, times first."""
    told = (folder / "index.md").read_text(encoding="utf-8")
    body, times = told.split("\n## Times\n", 1)
    body = body.split("\n", 1)[1]
    body = re.sub(r"!\[([^]]*)\]\(([^)]+)\)", r"![\1](figures/reproduction/\2)", body)
    head = HEAD.format(
        command="bqcd reproduce --all --workers 2" + (f" --pairs {pairs}" if pairs else ""),
        pairs=FEWER.format(pairs=pairs) if pairs else ALL,
        **origin_of(folder),
    )
    return f"{head}\n## Times\n{times.rstrip()}\n{body.rstrip()}\n"


def main() -> None:
    """Write the page and its pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, help="pairs of costly methods, as told to the run")
    asked = parser.parse_args()
    text = page(asked.folder, asked.pairs)
    for name in re.findall(r"\(figures/reproduction/([^)]+)\)", text):
        shrunken(asked.folder / name, PICTURES / name)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
