"""Tables and queries of SQLite and DuckDB files, which are never written to."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

from bqcd.data.files.arrow import check_room
from bqcd.data.files.numerals import Context
from bqcd.data.files.opened import Opened, reading_as, values_table
from bqcd.data.files.switches import Reading
from bqcd.data.files.text import free_bytes, reason
from bqcd.data.files.values import typed_column
from bqcd.errors import InvalidTableError
from bqcd.runtime.optional import require

MOST_SECONDS = 600.0
"""How long a query may take."""

_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_FORBIDDEN_FUNCTIONS = {"load_extension", "writefile", "readfile", "edit", "fts3_tokenizer"}
_STEPS, _BATCH_ROWS = 100_000, 10_000


def open_sqlite(path: Path, label: str, reading: Reading) -> Opened:
    """Table or query of an SQLite file.

    Raises
    ------
    InvalidTableError
        If the file is damaged, the query does anything but read, or takes too long.
    """
    reading.check_used("SQLite", ("table", "query", "decimal", "thousands"))
    with reading_as(label, "SQLite"), closing(_connected(path, label)) as connection:
        try:
            names = [row[0] for row in connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite_%' ORDER BY name")]  # fmt: skip
            query = _query(reading, names, label)
            cursor = connection.execute(query)
            if cursor.description is None:
                _refuse_query(label, "it returns no rows")
            rows = list(_fetched(cursor, label))
        except sqlite3.Error as error:
            _refuse_query(label, reason(error))
        heads = [str(column[0]) for column in cursor.description]
    context = Context(reading)
    columns = [
        (name, typed_column(values, name, label, context))
        for name, values in zip(heads, zip(*rows, strict=True) if rows else [()] * len(heads),
                                strict=True)
    ]  # fmt: skip
    return Opened.of_table(label, values_table(label, columns))


def _connected(path: Path, label: str) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        connection = sqlite3.connect(address, uri=True, isolation_level=None)
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA query_only=ON")
        connection.execute("PRAGMA cell_size_check=ON")
    except sqlite3.Error as error:
        raise InvalidTableError(
            f"{label} cannot be read as SQLite; it is damaged or of another format "
            f"({reason(error)})."
        ) from error
    connection.text_factory = lambda content: content.decode(errors="replace")
    connection.set_authorizer(_authorized)
    end = monotonic() + MOST_SECONDS
    connection.set_progress_handler(lambda: int(monotonic() > end), _STEPS)
    return connection


def _authorized(action: int, first: str | None, second: str | None, *_: object) -> int:
    """Whether SQLite may do something: reading, and nothing else."""
    if action in _ALLOWED:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _FORBIDDEN_FUNCTIONS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _fetched(cursor: sqlite3.Cursor, label: str) -> Iterator[Any]:
    """Rows, as long as there is room for them."""
    count, width = 0, len(cursor.description)
    while rows := cursor.fetchmany(_BATCH_ROWS):
        count += len(rows)
        # An object of Python and its place in a list.
        check_room(label, count, width, 48.0 * count * width)
        yield from rows


def _query(reading: Reading, names: list[str], label: str) -> str:
    """What is asked: the query, or all of the table that is meant."""
    if reading.query is not None:
        return reading.query
    if reading.table is None and len(names) != 1:
        listed = ", ".join(map(repr, names)) or "none"
        raise InvalidTableError(
            f"{label} has {len(names)} tables ({listed}); say which: table (--table), or query "
            "(--query)."
        )
    name = names[0] if reading.table is None else reading.table
    if name not in names:
        listed = ", ".join(map(repr, names)) or "none"
        raise InvalidTableError(f"{label} has no table {name!r}; it has {listed}.")
    quoted = name.replace('"', '""')
    return f'SELECT * FROM "{quoted}"'


def _refuse_query(label: str, why: str) -> NoReturn:
    if "not authorized" in why or "prohibited" in why:
        why = "it may read and do nothing else"
    elif why == "interrupted":
        why = f"it takes more than {MOST_SECONDS:.0f} seconds"
    raise InvalidTableError(f"The query of {label} is refused: {why}.")


def open_duckdb(path: Path, label: str, reading: Reading) -> Opened:
    """Table or query of a DuckDB file.

    Raises
    ------
    InvalidTableError
        If the file is damaged, or the query does anything but read this file.
    MissingPackageError
        If duckdb is not installed.
    """
    reading.check_used("DuckDB", ("table", "query"))
    duckdb = require("duckdb", extra="files", needed_by="A DuckDB file")
    with _duckdb(duckdb, path, label) as connection:
        try:
            names = [str(row[0]) for row in connection.execute(
                "SELECT table_name FROM information_schema.tables "
                "WHERE table_schema = 'main' ORDER BY table_name").fetchall()]  # fmt: skip
            query = _query(reading, names, label)
            statements = connection.extract_statements(query)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                _refuse_query(label, "it must be one SELECT")
            table = _arrow(connection.sql(query), label)
        except duckdb.Error as error:
            _refuse_query(label, reason(error))
    return Opened.of_table(label, table)


@contextmanager
def _duckdb(duckdb: Any, path: Path, label: str) -> Iterator[Any]:
    """Connection that reads this file and nothing else."""
    settings = {
        "enable_external_access": "false",
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "lock_configuration": "true",
    }
    try:
        connection = duckdb.connect(str(path), read_only=True, config=settings)
    except duckdb.Error as error:
        raise InvalidTableError(
            f"{label} cannot be read as DuckDB; it is damaged, in use or of another format "
            f"({reason(error)})."
        ) from error
    with closing(connection):
        yield connection


def _arrow(relation: Any, label: str) -> Any:
    """Rows of a query, as long as there is room for them."""
    import pyarrow as pa

    # It is called so since 1.5, and otherwise before.
    stream = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    reader = stream(10 * _BATCH_ROWS)
    kept, used, room = [], 0, free_bytes()
    for batch in reader:
        kept.append(batch)
        used += batch.nbytes
        if used > room:
            raise InvalidTableError(f"{label} does not fit in the memory that is free.")
    return pa.Table.from_batches(kept, schema=reader.schema)
