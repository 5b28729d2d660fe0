"""Valid files of every kind that is read, as bytes."""

from __future__ import annotations

import gzip
import io
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

from bqcd.graphs import PartialGraph
from bqcd.graphs.formats import FORMATS
from tests.data.files.awkward import FILES
from tests.fuzz.mutation import numbers

ROWS = numbers(14, 3)


def _text(by: str = ",", end: str = "\n", head: tuple[str, ...] = ("a", "b", "c")) -> str:
    lines = [by.join(map(str, row)) for row in ROWS]
    return end.join(([by.join(head)] if head else []) + lines) + end


@cache
def texts() -> tuple[bytes, ...]:
    """Delimited text as it comes."""
    plain = _text()
    return (
        plain.encode(),
        _text(";").replace(".", ",").encode(),
        _text("\t", "\r\n").encode(),
        _text("|", head=()).encode(),
        _text("   ", head=()).replace("\n", "\n ").encode(),
        ("\ufeff" + plain).encode(),
        plain.encode("utf-16"),
        plain.replace("a,b", '"a ""quoted"" name","line\nbreak"').encode(),
        _text(head=("a", "a", "")).encode(),
        plain.replace(".", ".\u2009", 1).replace("0.1", "NA").encode(),
        "\n".join(["id,word,big"] + [f"{i},w{i},{2**60 + i}" for i in range(12)]).encode(),
        "\n".join(["0,1"] + [f"{i / 8},{i * i / 16}" for i in range(12)]).encode(),
        ("\n\n" + plain + "\n\n").encode(),
        b"x,y\n1,2\n",
    )


@cache
def packed_texts() -> tuple[bytes, ...]:
    """Delimited text compressed with gzip."""
    return tuple(gzip.compress(text, mtime=0) for text in texts()[:4])


def _tables() -> tuple[pa.Table, ...]:
    first, second, third = ROWS.T
    words = [f"w{i}" for i in range(len(first))]
    masked = pa.array(second, mask=first > 0.5)
    return (
        pa.table({"a": first, "b": second, "c": third}),
        pa.table({"a": pa.array(range(14), pa.int64()), "b": masked, "word": words}),
        pa.table([pa.array(first), pa.array(third)], names=["a", "a"]),
        pa.table(
            {"t": pa.array(range(14), pa.timestamp("us")), "d": pa.array(words).dictionary_encode()}
        ),
        pa.table({"f": pa.array(first, pa.float32()), "l": [[1, 2]] * 14, "z": pa.nulls(14)}),
        pa.table({"a": first, "s": [{"u": 1, "v": 2.5}] * 14, "b": [True, False] * 7}),
    )


@cache
def parquets() -> tuple[bytes, ...]:
    """Parquet files of all kinds of columns, compressed and not."""
    found = []
    for table in _tables():
        for compression in ("none", "snappy"):
            sink = io.BytesIO()
            pq.write_table(table, sink, compression=compression, row_group_size=8)
            found.append(sink.getvalue())
    return tuple(found)


@cache
def arrows() -> tuple[bytes, ...]:
    """Arrow files and streams, and Feather files, compressed and not."""
    found = []
    for table in _tables():
        for kind in (pa.ipc.new_file, pa.ipc.new_stream):
            sink = io.BytesIO()
            with kind(sink, table.schema) as writer:
                writer.write_table(table, max_chunksize=8)
            found.append(sink.getvalue())
    sink = io.BytesIO()
    feather.write_feather(_tables()[0], sink, compression="lz4")
    return (*found, sink.getvalue())


def _written(*names: str) -> tuple[bytes, ...]:
    """Bytes of some of the awkward files."""
    found = []
    with TemporaryDirectory() as folder:
        for one in FILES:
            if one.name in names:
                path = Path(folder, one.name)
                one.write(path)
                found.append(path.read_bytes())
    assert len(found) == len(names)
    return tuple(found)


@cache
def otherwise_packed_texts() -> tuple[bytes, ...]:
    """Delimited text compressed in other ways."""
    return _written("t.tsv.bz2", "t.csv.xz", "t.csv.zst", "t.zip")


@cache
def jsons() -> tuple[bytes, ...]:
    """Tables in JSON, of every form."""
    return _written("records.json", "columns.json", "split.json", "pandas.json", "schema.json",
                    "pretty.json", "lines.jsonl", "bom.json", "gaps.json")  # fmt: skip


@cache
def workbooks() -> tuple[bytes, ...]:
    """Workbooks of Excel."""
    return _written("t.xlsx", "text.xlsx", "no header.xlsx")


@cache
def statistics_files() -> tuple[bytes, ...]:
    """Files of Stata, SPSS and SAS."""
    return _written("t.dta", "t.sav", "t.zsav", "t.xpt")


@cache
def databases() -> tuple[bytes, ...]:
    """Files of SQLite and DuckDB."""
    return _written("t.sqlite", "t.duckdb")


@cache
def arrays() -> tuple[bytes, ...]:
    """Arrays in NumPy's format."""
    found = []
    for array in (ROWS, np.asfortranarray(ROWS), ROWS.astype(np.float32), ROWS.astype(np.int16)):
        sink = io.BytesIO()
        np.save(sink, array)
        found.append(sink.getvalue())
    return tuple(found)


@cache
def graphs(format_name: str) -> tuple[bytes, ...]:
    """Graphs in one of the formats, written by bqcd and as others write them."""
    found = [
        FORMATS[format_name].write(graph, told, None).encode()
        for graph, told in (
            (PartialGraph("abc", directed=["ab"], undirected=["bc"]), {}),
            (PartialGraph("abcd", undirected=["ab", "cd"]), {}),
            (
                PartialGraph(["x 1", "é", "<&>"], directed=[("x 1", "é")]),
                {}
                if format_name == "adjacency"
                else {("x 1", "é"): {"confidence": 0.5, "why": "it is"}},
            ),
        )
    ]
    return (*found, *(text.encode() for text in _FOREIGN.get(format_name, ())))


_FOREIGN = {
    "gml": (
        'graph [ directed 1 node [ id 0 label "a&quot;" ] node [ id 1 label "b" x 1.5e3 ]\n'
        "# note\nedge [ source 0 target 1 w -2 graphics [ f [ g 1 ] ] ] ]",
    ),
    "graphml": (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="node" '
        'attr.name="label"/><graph edgedefault="undirected"><node id="n0"><data key="d0">a</data>'
        '</node><node id="n1"><data key="d0">b</data></node><edge source="n0" target="n1" '
        'directed="true"/></graph></graphml>',
    ),
    "dot": (
        'strict digraph "g" { node [shape=box]; a -> {b c} -> d [dir=none, label=<<b>x</b>>]; '
        'subgraph s { "e\\"f":n -> a:s } /* note */ // more\n x = y; "h" + "i" -> 1.5 }',
    ),
    "dagitty": (
        'pdag { bb="0,0,1,1" a [exposure,pos="0,1"] b [outcome] {a b} -> c -- d\n e <- a }',
    ),
    "csv": ("source;target;type\na;b;->\nb;c;--\nd;;\n", "a,b\nb,c\n", "'=a,b,undirected\n"),
    "tsv": ("from\tto\na\tb\n",),
    "json": (
        '{"nodes": ["a", "b"], "edges": [["a", "b"]]}',
        '{"directed": true, "multigraph": false, "nodes": [{"id": 1}, {"id": "2"}], '
        '"links": [{"source": 1, "target": "2", "type": "undirected", "w": 1e5}]}',
    ),
    "adjacency": ("0,1,0\n0,0,1\n0,0,0\n", ",a,b\na,0,-1\nb,1,0\n", "a b\n0 1\n1 0\n"),
}

KNOWLEDGE = (
    b'tiers = [["age", "sex"], ["dose"], ["response"]]\nrequired = [["dose", "response"]]\n'
    b'forbidden = [["response", "age"]]\n',
    b"tiers = [['a'], ['b\\c']] # note\n",
    b'required = [\n  ["a", "b"],\n  ["b", "c"],\n]\nforbidden = []\n',
    b'\xef\xbb\xbfforbidden = [["\\u00e9", "z"]]\n',
)
