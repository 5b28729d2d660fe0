"""A map of errors: which method is right, by cause, mechanism and noise.

    python benchmarks/error_map.py

Every cell of the grid has ten pairs of 1,000 rows in which x causes y; the panel is asked about
four of them. Answers are kept in a
folder line by line, so that the command goes on where it was stopped and asks a new method alone.
Then ``benchmarks/results/errors.json`` is written, and from it and ``regions.json`` the page
``docs/errors.md`` with its pictures; ``--page`` makes these alone. A quarter of an hour or so.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bqcd.assessments.regions import most_probable, shipped_regions
from bqcd.benchmark import contender
from bqcd.data.pair import Pair
from bqcd.methods.bqcd import BQCD
from bqcd.methods.panel_deep import deep_version

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "benchmarks" / "results" / "errors.json"
FOLDER = ROOT / "build" / "error_map"
ROWS, PAIRS, SEED = 1000, 10, 2031
# Pairs of a cell that a method is asked about which takes longer than the others together.
FEWER = {"panel": 4}

Vector = NDArray[np.float64]
Cell = tuple[str, str, str]

METHODS = (
    *("bqcd", "bqcd:n_levels=7", "panel", "loci", "grci", "cdci", "heci", "sloppy", "bicam"),
    *("reci", "resit", "anm", "igci-g", "igci-u", "slope", "lingam", "margins", "coin"),
)
FLAG = "known to err"
"""What ``assess`` says of bqcd's direction, next to the methods: the share of pairs it limits."""

CAUSES: Mapping[str, Callable[[int, Generator], Vector]] = {
    "uniform (0, 1)": lambda n, rng: rng.uniform(size=n),
    "half-normal": lambda n, rng: np.abs(rng.normal(size=n)),
    "gamma": lambda n, rng: rng.gamma(2.0, size=n),
    "log-normal": lambda n, rng: rng.lognormal(sigma=0.7, size=n),
    "uniform (-1, 1)": lambda n, rng: rng.uniform(-1.0, 1.0, n),
    "bell": lambda n, rng: rng.beta(3.0, 3.0, n) - 0.5,
    "heavy tails": lambda n, rng: rng.standard_t(4.0, n),
    "two bells": lambda n, rng: rng.choice([-1.0, 1.0], n) + 0.4 * rng.normal(size=n),
}
"""Four that are positive, four about zero; none is Gaussian, as those of published recipes are."""

MECHANISMS: Mapping[str, Callable[[Vector], Vector]] = {
    "proportional": lambda z: z,
    "power": lambda z: np.sign(z) * np.abs(z) ** 1.5,
    "root": lambda z: np.sign(z) * np.sqrt(np.abs(z)),
    "saturating": lambda z: z / (1.0 + np.abs(z)),
    "exponential": np.exp,
    "step": lambda z: np.tanh(3.0 * _from_middle(z)),
    "kinked": lambda z: np.maximum(_from_middle(z), 0.0),
    "valley": lambda z: np.abs(_from_middle(z)),
    "turning": lambda z: _from_middle(z) ** 3 - 1.5 * _from_middle(z),
    "wave": lambda z: np.sin(2.5 * z),
}
"""Functions of the cause over its standard deviation."""

NOISES: Mapping[str, Callable[[Callable[[Vector], Vector], Vector, Generator], Vector]] = {
    "added, weak": lambda f, z, rng: f(z) + 0.3 * f(z).std() * rng.normal(size=len(z)),
    "added, strong": lambda f, z, rng: f(z) + 1.2 * f(z).std() * rng.normal(size=len(z)),
    "added, skewed": lambda f, z, rng: f(z) + 0.6 * f(z).std() * rng.exponential(size=len(z)),
    "inside": lambda f, z, rng: f(z + 0.5 * rng.normal(size=len(z))),
    "factor about 1": lambda f, z, rng: f(z) * np.exp(0.5 * rng.normal(size=len(z))),
    "factor about 0": lambda f, z, rng: f(z) * rng.normal(size=len(z)),
}
"""Effects of a mechanism, a cause and a noise."""


def _from_middle(z: Vector) -> Vector:
    return z - np.median(z)


def cells() -> list[Cell]:
    """Every cause, mechanism and noise."""
    return list(product(CAUSES, MECHANISMS, NOISES))


def pairs_of(cell: Cell) -> Iterator[Pair]:
    """The pairs of a cell, the same whatever else is drawn."""
    cause, mechanism, noise = cell
    for number in range(PAIRS):
        rng = default_rng([SEED, cells().index(cell), number])
        x = CAUSES[cause](ROWS, rng)
        yield Pair(x, NOISES[noise](MECHANISMS[mechanism], x / x.std(), rng))


def versioned(spec: str) -> str:
    """Name under which answers are kept: those of other weights do not count."""
    if spec == FLAG:
        return f"{spec} {sha256(repr(shipped_regions()).encode()).hexdigest()[:12]}"
    return f"{spec} {deep_version()} {FEWER[spec]}" if spec == "panel" else spec


def asked(spec: str, pairs: list[Pair]) -> float:
    """Right directions among the pairs of a cell, of ten; an abstention counts a half."""
    if spec == FLAG:
        return float(sum(_limited(pair) for pair in pairs))
    method, few = contender(spec).method, FEWER.get(spec, len(pairs))
    signs = [
        np.sign(method.decide(pair, default_rng(at)).confidence)
        for at, pair in enumerate(pairs[:few])
    ]
    return float(sum(0.5 + 0.5 * sign for sign in signs)) * len(pairs) / few


def _limited(pair: Pair) -> bool:
    confidence = BQCD().decide(pair, default_rng(0)).confidence
    return most_probable(pair, confidence) < 1.0


class Answers:
    """Right answers by method and cell, kept in a file line by line."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "answers.jsonl"
        self.known: dict[tuple[str, Cell], float] = {}
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        for line in lines:
            # The last line may have been cut off.
            if line.endswith("]"):
                name, cell, right = json.loads(line)
                self.known[name, tuple(cell)] = right

    def ask(self, cell: Cell, specs: Sequence[str]) -> None:
        """Ask the methods that have not been asked about a cell."""
        missing = [spec for spec in specs if (versioned(spec), cell) not in self.known]
        pairs = list(pairs_of(cell)) if missing else []
        with self.path.open("a", encoding="utf-8") as stream:
            for spec in missing:
                right = asked(spec, pairs)
                self.known[versioned(spec), cell] = right
                stream.write(json.dumps([versioned(spec), cell, right]) + "\n")

    def record(self) -> dict[str, object]:
        """Right answers of every method, cell by cell in the order of ``cells``."""
        return {
            "rows": ROWS,
            "pairs": PAIRS,
            "fewer": FEWER,
            "seed": SEED,
            "panel": deep_version(),
            "causes": list(CAUSES),
            "mechanisms": list(MECHANISMS),
            "noises": list(NOISES),
            "right": {
                spec: [self.known[versioned(spec), cell] for cell in cells()]
                for spec in (*METHODS, FLAG)
            },
        }


def written(record: Mapping[str, object]) -> str:
    """The record as JSON, a method a line."""
    head = {key: value for key, value in record.items() if key != "right"}
    right: Mapping[str, list[float]] = record["right"]  # type: ignore[assignment]
    lines = ",\n  ".join(
        f"{json.dumps(name)}: {json.dumps(cells)}" for name, cells in right.items()
    )
    return json.dumps(head, indent=1)[:-2] + ',\n "right": {\n  ' + lines + "\n }\n}\n"


def main() -> None:
    """Ask what is missing, record, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--page", action="store_true", help="from the records alone")
    parser.add_argument("--only", nargs="+", help="ask these methods, and record nothing")
    options = parser.parse_args()
    if not options.page:
        answers, start = Answers(options.folder), process_time()
        for at, cell in enumerate(cells()):
            answers.ask(cell, options.only or (*METHODS, FLAG))
            if at % 24 == 23:
                print(
                    f"{at + 1} of {len(cells())} cells, {process_time() - start:.0f} s", flush=True
                )
        if options.only:
            return
        RECORDED.write_text(written(answers.record()), encoding="utf-8")
    from error_map_page import write_page

    write_page()


if __name__ == "__main__":
    main()
