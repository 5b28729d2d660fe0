"""Results of a benchmark: one tidy table, one row per method, pair and repetition."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO

from bqcd.data.files.cells import guarded_text, unguarded_text
from bqcd.data.margins import MARGINS, Margins
from bqcd.errors import InvalidResultsError, counted
from bqcd.runtime.atomic import whole_file
from bqcd.runtime.settings import check_choice
from bqcd.runtime.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from bqcd.benchmark.running.journal import Outcome

COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "pairset": "string",
        "pair": "string",
        "method": "string",
        "settings": "string",
        "repeat": "int64",
        "truth": "int64",
        "weight": "float64",
        "confidence": "float64",
        "seconds": "float64",
        "status": "string",
        "message": "string",
        "probability": "float64",
        "margins": "string",
    }
)
"""Columns of every table of results, in order, and their types."""

# A table without them comes from before there were any: no probability, columns as they come.
_LATER: Mapping[str, str | None] = MappingProxyType({"probability": None, "margins": "as-is"})
_MAY_BE_NULL = ("confidence", "probability")


@dataclass(frozen=True, slots=True)
class Origin:
    """How results were made, as the folder of a benchmark tells.

    Parameters
    ----------
    version : str
        Of bqcd.
    seed : int
        Seed from which all others follow.
    fingerprints : mapping of str to str
        Digest of the data of each benchmark.
    missing : int, default=0
        Number of tasks that were asked for and have not ended.
    margins : {"as-is", "normal", "uniform"}, default="as-is"
        What the methods saw of the columns.
    """

    version: str
    seed: int
    fingerprints: Mapping[str, str]
    missing: int = 0
    margins: Margins = "as-is"


@dataclass(frozen=True, slots=True, repr=False)
class Results(Shown):
    """What came of a benchmark.

    Parameters
    ----------
    table : pyarrow.Table
        Columns ``pairset, pair, method, settings, repeat, truth, weight, confidence,
        seconds, status, message, probability, margins``. ``truth`` is +1 where the first
        column causes the second and -1 where it is the other way round; ``confidence`` is
        signed alike and null where the method gave no answer; ``settings`` is JSON; ``status``
        is ``done``, ``failed`` or ``timeout``; ``probability`` is that of the first column being
        the cause, null for methods that claim none; ``margins`` is what the methods saw of
        the columns, the same in every row.
    origin : Origin or None
        How they were made; not known of a table that was read from a file.
    """

    table: pa.Table
    origin: Origin | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse a table with other columns, other types or gaps."""
        import pyarrow as pa

        table = _completed(self.table)
        names = table.column_names
        if names != list(COLUMNS):
            raise InvalidResultsError(
                f"A table of results has the columns {', '.join(COLUMNS)}; "
                f"got {', '.join(map(str, names))}."
            )
        try:
            object.__setattr__(self, "table", table.cast(_schema()))
        except pa.ArrowException as error:
            raise InvalidResultsError(f"A table of results has other types: {error}.") from error
        gaps = [name for name in names if name not in _MAY_BE_NULL and self.table[name].null_count]
        if gaps:
            raise InvalidResultsError(
                "Results must be complete but for confidence and probability, "
                f"got gaps in {', '.join(gaps)}."
            )
        margins = self.table["margins"].unique().to_pylist()
        if len(margins) > 1 or not set(margins) <= set(MARGINS):
            raise InvalidResultsError(
                f"A table of results is of one kind of margins out of {', '.join(MARGINS)}; "
                f"got {', '.join(margins)}."
            )

    def __repr__(self) -> str:
        methods, sets = (len(self.table[name].unique()) for name in ("method", "pairset"))
        asked = f"{counted(methods, 'method')} on {counted(sets, 'data set')}"
        return f"<Results of {asked}: {counted(self.table.num_rows, 'answer')}>"

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def margins(self) -> str:
        """What the methods saw: columns ``as-is``, or with ``normal`` or ``uniform`` margins."""
        if len(self):
            return str(self.table["margins"][0])
        return "as-is" if self.origin is None else self.origin.margins

    def save(self, path: str | Path) -> None:
        """Write the table to a .parquet, .csv or .jsonl file, in one step or not at all."""
        path = Path(path)
        check_choice("Results.save", "suffix of path", path.suffix, list(_WRITERS))
        with whole_file(path) as file:
            _WRITERS[path.suffix](self.table, file)


def results_of_file(path: Path) -> Results:
    """Results from a file written by :meth:`Results.save`.

    Raises
    ------
    InvalidResultsError
        If there are none, or they cannot be read.
    """
    import pyarrow as pa

    if not path.is_file():
        raise InvalidResultsError(f"There are no results at {path}.")
    check_choice("read_results", "suffix of path", path.suffix, list(_READERS))
    try:
        return Results(_READERS[path.suffix](path))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InvalidResultsError(f"The results in {path} cannot be read: {error}.") from error


def _schema() -> pa.Schema:
    import pyarrow as pa

    return pa.schema([(name, getattr(pa, kind)()) for name, kind in COLUMNS.items()])


def _completed(table: pa.Table) -> pa.Table:
    """A table with the columns that older ones lack."""
    import pyarrow as pa

    if table.column_names == list(COLUMNS)[: -len(_LATER)]:
        for name, value in _LATER.items():
            cells = pa.array([value] * table.num_rows, type=_schema().field(name).type)
            table = table.append_column(name, cells)
    return table


def table_of(rows: Iterable[tuple[Outcome, int, float]], margins: str = "as-is") -> pa.Table:
    """Table of outcomes, each with the truth and the weight of its pair."""
    import pyarrow as pa

    cells = [(*one.key, truth, weight, *one[1:], margins) for one, truth, weight in rows]
    columns = zip(*cells, strict=True) if cells else ([] for _ in COLUMNS)
    return pa.table(list(map(list, columns)), schema=_schema())


def _write_parquet(table: pa.Table, file: BinaryIO) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, file, write_page_checksum=True)


def _read_parquet(path: Path) -> pa.Table:
    import pyarrow.parquet as pq

    return pq.read_table(path, page_checksum_verification=True)


def _write_csv(table: pa.Table, file: BinaryIO) -> None:
    from pyarrow import csv

    csv.write_csv(guarded_text(table), file)


def _read_csv(path: Path) -> pa.Table:
    from pyarrow import csv

    # An empty message is a message; an empty confidence is none.
    convert = csv.ConvertOptions(
        column_types=_schema(),
        null_values=[""],
        strings_can_be_null=False,
    )
    parse = csv.ParseOptions(newlines_in_values=True)
    return unguarded_text(csv.read_csv(path, convert_options=convert, parse_options=parse))


def _write_jsonl(table: pa.Table, file: BinaryIO) -> None:
    for row in table.to_pylist():
        file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


def _read_jsonl(path: Path) -> pa.Table:
    import pyarrow as pa

    # Names may hold letters that splitlines takes for the end of a line.
    lines = path.read_bytes().split(b"\n")
    try:
        rows = [{**_LATER, **json.loads(line)} for line in lines if line]
        return pa.Table.from_pylist(rows, schema=_schema())
    except (ValueError, TypeError) as error:
        raise InvalidResultsError(f"The results in {path} are no JSON lines: {error}.") from error


_WRITERS: Mapping[str, Callable[[pa.Table, BinaryIO], None]] = MappingProxyType(
    {".parquet": _write_parquet, ".csv": _write_csv, ".jsonl": _write_jsonl}
)
_READERS: Mapping[str, Callable[[Path], pa.Table]] = MappingProxyType(
    {".parquet": _read_parquet, ".csv": _read_csv, ".jsonl": _read_jsonl}
)
FORMATS = tuple(suffix.removeprefix(".") for suffix in _WRITERS)
"""File formats of tables of results, by suffix."""
