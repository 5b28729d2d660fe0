"""The page on trust: everything it shows measured, recorded and rendered.

    BQCD_DATA=FOLDER OPENBLAS_NUM_THREADS=1 python benchmarks/assess_page.py --out docs/trust.md

Three quarters of an hour or so on one core. ``--quick`` draws a handful of samples instead, to see
that all works; ``--parts`` measures some tables anew; ``--render`` measures nothing. Raw numbers go
to ``benchmarks/results/assess_*.json``, or the folder ``--results``; page and pictures, which go to
``figures`` next to the page, are made from these files alone. Tables of one file are of one run.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from assess_abstention import BENCHMARKS
from assess_claims import CALIBRATION, CLAIMS
from assess_coverage import COVERAGE
from assess_inputs import INPUTS
from assess_kept import KEPT
from assess_nulls import NULLS_PART
from assess_records import RESULTS, Part
from assess_series import SERIES
from assess_size import POWER, SIZE
from assess_time import TIME
from contamination import CONTAMINATION
from train_probability import HELD_OUT

PARTS: dict[str, Part[Any]] = {
    part.name: part
    for part in (
        CLAIMS,
        CALIBRATION,
        KEPT,
        SIZE,
        NULLS_PART,
        POWER,
        COVERAGE,
        HELD_OUT,
        BENCHMARKS,
        CONTAMINATION,
        INPUTS,
        SERIES,
        TIME,
    )
}


def main() -> None:
    """Measure, record, render."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="page to write")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of raw numbers")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", help="few samples, in seconds")
    how.add_argument("--render", action="store_true", help="measure nothing")
    asked = parser.parse_args()
    if asked.quick and asked.results == RESULTS:
        parser.error("--quick needs --results: it must not replace what the page is made from")
    for name in () if asked.render else asked.parts:
        part = PARTS[name]
        table = part.measured(part.quick if asked.quick else part.full)
        asked.results.mkdir(parents=True, exist_ok=True)
        part.write(table, asked.results)
        print(f"{name}: {len(table.rows)} rows in {table.seconds:.0f} s", flush=True)
    from assess_sections import page_of

    folder = asked.out.parent / "figures"
    page, pictures = page_of({name: part.read(asked.results) for name, part in PARTS.items()})
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(page, encoding="utf-8")
    for name, picture in pictures.items():
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
