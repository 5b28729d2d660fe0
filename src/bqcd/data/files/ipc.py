"""Arrow and Feather files, and streams of Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bqcd.data.files.arrow import MAGIC, arrow_batches, check_room
from bqcd.data.files.opened import Opened, arranged, reading_as


def open_arrow(path: Path, label: str) -> Opened:
    """Arrow file of which nothing but the names is read.

    Raises
    ------
    InvalidTableError
        If it is damaged.
    """
    with reading_as(label, "Arrow"):
        schema = _reader(path, None).schema
        names = schema.names

    def read(positions: Sequence[int]) -> Any:
        with reading_as(label, "Arrow"):
            batches = arrow_batches(path)
            n_bytes = sum(batch.bytes_of(schema, positions) for batch in batches)
            n_rows = sum(batch.n_rows for batch in batches)
            check_room(label, n_rows, len(positions), n_bytes)
            fields = sorted(positions)
            some = _reader(path, fields).read_all()
            # Offsets that lead out of the file would be followed.
            some.validate(full=True)
        place = {at: number for number, at in enumerate(fields)}
        return arranged(some, [place[at] for at in positions])

    return Opened(label, names, read)


def _reader(path: Path, fields: list[int] | None) -> Any:
    import pyarrow as pa
    from pyarrow import ipc

    options = ipc.IpcReadOptions(included_fields=fields)
    source = pa.memory_map(str(path))
    is_file = source.read(len(MAGIC)) == MAGIC
    source.seek(0)
    return (ipc.open_file if is_file else ipc.open_stream)(source, options=options)
