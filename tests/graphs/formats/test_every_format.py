"""What holds in every format: graphs survive it, and no file whatever breaks the readers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bqcd.errors import InvalidGraphError, InvalidSettingError
from bqcd.graphs.formats import FORMATS, ReadGraph, read_graph, write_graph
from bqcd.graphs.formats.attributes import checked_attributes
from bqcd.graphs.partial import PartialGraph
from tests.graphs.formats.examples import AWKWARD, graphs

every_format = pytest.mark.parametrize("name", FORMATS)
MIXED = PartialGraph("abcdz", directed=["ab", "cb"], undirected=["cd"])
TOLD = {
    ("a", "b"): {"confidence": 0.25, "rank": 1, "reason": 'judged "a" -> b, =1+1 <&> \\ ü'},
    ("d", "c"): {"confidence": -1e-12, "share": None, "settled": True, "gap": float("nan")},
}


def through(name: str, graph: PartialGraph, attributes=None) -> ReadGraph:
    text = FORMATS[name].write(graph, checked_attributes(graph, attributes), None)
    return FORMATS[name].read(text.encode(), "the test", None)


@every_format
@given(graph=graphs())
@example(graph=PartialGraph())
@example(graph=PartialGraph(["alone"]))
@example(graph=PartialGraph([";"]))
@example(graph=PartialGraph(AWKWARD, undirected=list(pairwise(AWKWARD))))
@example(graph=PartialGraph(AWKWARD, directed=list(pairwise(AWKWARD))))
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_a_graph_survives_being_written_and_read(name, graph):
    read = through(name, graph)
    assert read.graph == graph
    assert read.kind == ("cpdag" if graph.directed else "skeleton")
    assert list(read.labels) == list(read.labels.values())


@every_format
def test_attributes_leave_the_graph_as_it_is(name):
    assert through(name, MIXED, TOLD).graph == MIXED


VALID = [
    (name, FORMATS[name].write(graph, checked_attributes(graph, told), None).encode())
    for name in FORMATS
    for graph, told in (
        (MIXED, TOLD),
        (PartialGraph(AWKWARD[:20], undirected=[AWKWARD[:2], AWKWARD[5:7]]), None),
    )
]
PIECES = st.sampled_from(
    [
        *(
            b"{",
            b"}",
            b"[",
            b"]",
            b'"',
            b"'",
            b"<",
            b">",
            b"&",
            b"\\",
            b"\n",
            b"\r",
            b"\0",
            b"\xff",
        ),
        *(
            b"->",
            b"--",
            b"<-",
            b"<->",
            b"@->",
            b"=",
            b";",
            b",",
            b"+",
            b":",
            b"\xef\xbb\xbf",
            b"\xc3",
        ),
        *(b"/*", b"//", b"#", b"1e999", b"null", b"NaN", b"-1", b"a", b"graph", b"edge", b"node"),
        *(
            b"\\ud800",
            b"&#0;",
            b"&#xD800;",
            b"<!DOCTYPE a>",
            b"<![CDATA[",
            b"subgraph",
            b"9" * 5000,
        ),
    ]
)


@st.composite
def mutations(draw: st.DrawFn) -> tuple[str, bytes]:
    """A valid file with a few pieces cut out, put in, or doubled."""
    name, data = draw(st.sampled_from(VALID))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        piece = draw(PIECES | st.binary(max_size=6) | st.just(data[start : end + 30] * 2))
        data = data[:start] + piece + data[end:]
    return name, data


def refusal_of(name: str, data: bytes) -> str | None:
    """Why a file is refused; None if a graph was read."""
    try:
        read = FORMATS[name].read(data, "the test", None)
    except InvalidGraphError as error:
        return str(error)
    assert isinstance(read, ReadGraph)
    return None


@given(case=mutations())
@settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
def test_a_damaged_file_is_read_or_refused(case):
    refusal = refusal_of(*case)
    assert refusal is None or "the test" in refusal


@every_format
@given(data=st.binary(max_size=200))
@example(data=b"")
@example(data=b" \n\n ")
@example(data=b"\xff\xfe")
@example(data=b"[" * 100_000)
@example(data=b'{"a":' * 100_000)
@example(data=b"digraph {" + b"{" * 100_000)
@example(data=b"graph [ a " * 20_000)
@example(data=b"graph { a" + b' + "b"' * 20_000 + b"}")
@example(data=b'digraph { "a"' + b' + "b"' * 20_000 + b"}")
@example(data=b"<graphml>" + b"<graph>" * 20_000)
@settings(deadline=None, max_examples=25)
def test_any_bytes_are_read_or_refused(name, data):
    assert len(refusal_of(name, data) or "") < 2_000


@every_format
def test_a_file_too_large_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.setattr("bqcd.graphs.formats.files.MAX_BYTES", 2**20)
    path = tmp_path / "large"
    path.write_bytes(b" " * (2**20 + 1))
    with pytest.raises(
        InvalidGraphError, match=r"large' cannot be read as a graph: it must have at most 1 MB"
    ):
        read_graph(path, format=name)


@every_format
def test_an_edge_of_a_node_with_itself_is_refused(name):
    text = FORMATS[name].write(PartialGraph(directed=[("first", "second")]), {}, None)
    for old in ("second", "target 1"):
        text = text.replace(old, old.replace("second", "first").replace("1", "0"))
    if name == "adjacency":
        text = "row-causes-column,first\nfirst,1\n"
    if name == "gml":
        text = text.replace('label "first"\n  ]\n  edge', 'label "second"\n  ]\n  edge')
    if name == "graphml":
        text = text.replace('<node id="first" />', "", 1)
    with pytest.raises(InvalidGraphError, match="must join two nodes, got one of 'first'"):
        FORMATS[name].read(text.encode(), "the test", None)


@every_format
def test_names_that_cannot_be_printed_are_not_written(name, tmp_path):
    path = tmp_path / "graph"
    for bad in ("", "two\nlines", "bell\a", "nul\0", "half\ud800", "\u2028", "x" * 1001):
        with pytest.raises(InvalidGraphError, match="Names of nodes in the graph must"):
            write_graph(PartialGraph(["a", bad]), path, format=name)
        assert not path.exists(), bad


@pytest.mark.parametrize(
    ("suffix", "name"),
    [
        (".gml", "gml"),
        (".graphml", "graphml"),
        (".dot", "dot"),
        (".gv", "dot"),
        (".dagitty", "dagitty"),
        (".txt", "dagitty"),
        (".csv", "csv"),
        (".TSV", "tsv"),
        (".json", "json"),
    ],
)
def test_the_suffix_tells_the_format(suffix, name, tmp_path):
    path = tmp_path / f"graph{suffix}"
    write_graph(MIXED, str(path), attributes=TOLD)
    assert path.read_text(encoding="utf-8") == FORMATS[name].write(
        MIXED, checked_attributes(MIXED, TOLD), None
    )
    assert read_graph(str(path)).graph == MIXED
    assert read_graph(path, format=name).graph == MIXED


def test_an_unknown_suffix_or_format_is_refused(tmp_path):
    path = tmp_path / "graph.png"
    with pytest.raises(InvalidGraphError, match=r"suffix '.png' is none of .gml, .graphml"):
        read_graph(path)
    with pytest.raises(InvalidGraphError, match="format= one of gml, graphml, dot"):
        write_graph(MIXED, path)
    with pytest.raises(InvalidSettingError, match="format of a graph must be one of"):
        write_graph(MIXED, path, format="png")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("where", ["nowhere.gml", "", "nul\0.gml", "x" * 5000 + ".gml"])
def test_a_path_without_a_file_is_refused(where, tmp_path):
    with pytest.raises(InvalidGraphError, match=r"must be a file|cannot be read"):
        read_graph(f"{tmp_path}/{where}", format="gml")


def test_a_graph_of_our_own_is_copied():
    read = read_graph(MIXED)
    assert read.graph == MIXED
    read.graph.orient("c", "d")
    assert MIXED.is_undirected("c", "d")


@pytest.mark.parametrize("source", [None, 5, {"a": "b"}, object(), {"a"}])
def test_what_is_no_graph_is_refused_by_type(source):
    with pytest.raises(InvalidGraphError, match=f"got {type(source).__name__}"):
        read_graph(source)


def test_settings_that_do_not_belong_to_the_source_are_refused(tmp_path):
    path = tmp_path / "graph.dot"
    write_graph(MIXED, path)
    with pytest.raises(InvalidSettingError, match="convention of read_graph must not be given"):
        read_graph(path, convention="row-causes-column")
    assert read_graph(path, names=["x"]).graph == MIXED
    with pytest.raises(InvalidSettingError, match="format of read_graph must not be given"):
        read_graph(MIXED, format="dot")
    write_graph(MIXED, tmp_path / "graph.csv")
    with pytest.raises(InvalidSettingError, match="must be one of 'directed', 'undirected'"):
        read_graph(tmp_path / "graph.csv", convention="row-causes-column")
