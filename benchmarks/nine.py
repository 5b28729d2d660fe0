"""The nine Tübingen pairs that are no two columns of many values, beside the paper's 99.

    BQCD_DATA=... OPENBLAS_NUM_THREADS=1 python benchmarks/nine.py --out benchmarks/results/nine.md

Six are of vectors, three have a binary variable. Nothing was chosen by them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bqcd import Verdict, decide_pair
from bqcd.benchmark.datasets import load_pairs
from bqcd.benchmark.datasets.records import LabelledPair
from bqcd.data.vector_pair import VectorPair

METHODS = ("auto", "bqcd")
FOR_GROUPS = ("trace", "vecci")


def is_right(item: LabelledPair, verdict: Verdict) -> bool:
    """Whether the sign of a confidence is that of the truth."""
    return item.truth.sign * verdict.confidence > 0.0


def row(item: LabelledPair, verdicts: Sequence[Verdict]) -> str:
    """Line of the table on one pair."""
    pair = item.pair
    sides, others = "1, 1 (binary)", ["", ""]
    if isinstance(pair, VectorPair):
        sides = f"{len(pair.x_names)}, {len(pair.y_names)}"
        found = [decide_pair(pair, method=method) for method in FOR_GROUPS]
        others = [f"{one.confidence:+.3g}" for one in found]
    cells = [pair.key.partition("/")[2], sides, f"{len(pair):,}", item.truth.value]
    cells.append(verdicts[0].name)
    for verdict in verdicts:
        right = "yes" if is_right(item, verdict) else "no"
        cells += [f"{verdict.confidence:+.4f}", verdict.answer, right]
    return "| " + " | ".join([*cells, *others]) + " |"


def sums(name: str, items: Sequence[LabelledPair], verdicts: Sequence[Verdict]) -> str:
    """How many of some pairs are told, and how many rightly."""
    right = np.array([is_right(*each) for each in zip(items, verdicts, strict=True)])
    told = np.array([verdict.answer != "cannot tell" for verdict in verdicts])
    return (
        f"{name}: right if forced {right.sum()} of {len(items)}; told {told.sum()}, of these right "
        f"{(told & right).sum()}"
    )


def lines() -> Iterator[str]:
    """The nine answers, and the 99 in sums."""
    nine, paper = load_pairs("tuebingen-nine"), load_pairs("tuebingen")
    heads = ["pair", "columns", "rows", "truth", "picked"]
    for method in METHODS:
        heads += [method, "answer", "right"]
    yield "| " + " | ".join([*heads, *FOR_GROUPS]) + " |"
    yield "|---" * (len(heads) + len(FOR_GROUPS)) + "|"
    said = {m: [decide_pair(item.pair, method=m) for item in nine] for m in METHODS}
    for at, item in enumerate(nine):
        yield row(item, [said[method][at] for method in METHODS])
    yield ""
    for method in METHODS:
        verdicts = [decide_pair(item.pair, method=method) for item in paper]
        right = [is_right(*each) for each in zip(paper, verdicts, strict=True)]
        weighted = np.average(right, weights=[item.weight for item in paper])
        yield f"- {sums(f'`{method}` on the nine', nine, said[method])}."
        yield f"- {sums(f'`{method}` on the 99', paper, verdicts)}; {weighted:.2f} by weights."


def main() -> None:
    """Print the table, and write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    text = "\n".join(lines()) + "\n"
    print(text)
    if asked.out is not None:
        asked.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
