"""JSON of our own and of networkx."""

from __future__ import annotations

import json

import networkx as nx
import pytest

from bqcd.errors import InvalidGraphError
from bqcd.graphs.formats import json_graphs, read_graph, write_graph
from bqcd.graphs.formats.assembly import ReadGraph
from bqcd.graphs.partial import PartialGraph

MIXED = PartialGraph("abcd", directed=["ab"], undirected=["bc"])


def read(told: object) -> ReadGraph:
    return json_graphs.read(json.dumps(told).encode(), "'graph.json'")


def test_our_own_schema():
    told = {
        "nodes": ["alone"],
        "edges": [
            {"from": "a", "to": "b"},
            {"from": "b", "to": "c", "type": "undirected", "confidence": 0.5},
            {"from": "b", "to": "d", "type": "<-"},
        ],
    }
    graph = PartialGraph(["alone"], directed=["ab", "db"], undirected=["bc"])
    assert read(told).graph == graph


@pytest.mark.parametrize("edges", ["edges", "links"])
def test_node_link_data_of_networkx(edges):
    whole = nx.DiGraph([(1, 2), (2, 3), (3, 2)])
    whole.add_edge("x", 1, directed=False)
    read_back = read(nx.node_link_data(whole, edges=edges))
    assert read_back.graph == PartialGraph(directed=["12"], undirected=["23", "1x"])
    assert read_back.labels == {"1": 1, "2": 2, "3": 3, "x": "x"}
    assert read(nx.node_link_data(nx.Graph(["ab"]), edges=edges)).kind == "skeleton"


def test_tuples_as_labels_survive():
    whole = nx.Graph([((0, 1), (1, 1))])
    assert read(nx.node_link_data(whole, edges="edges")).labels["(0, 1)"] == (0, 1)


def test_networkx_reads_node_link_data_with_labels(tmp_path):
    path = tmp_path / "graph.json"
    graph = PartialGraph(directed=["12"], undirected=["23"])
    told = {("1", "2"): {"confidence": 0.5}}
    write_graph(graph, path, format="node-link", attributes=told, labels={"1": 1, "2": 2})
    whole = nx.node_link_graph(json.loads(path.read_text()), edges="edges")
    assert list(whole.edges(data=True)) == [
        (1, 2, {"directed": True, "confidence": 0.5}),
        (2, "3", {"directed": False}),
    ]
    assert read_graph(path).labels == {"1": 1, "2": 2, "3": "3"}


def test_attributes_are_keys_of_edges():
    told = {("a", "b"): {"confidence": 0.5, "reason": 'ü "x"', "rank": 1}}
    edges = json.loads(json_graphs.write(MIXED, told))["edges"]
    assert edges == [
        {
            "from": "a",
            "to": "b",
            "type": "directed",
            "confidence": 0.5,
            "reason": 'ü "x"',
            "rank": 1,
        },
        {"from": "b", "to": "c", "type": "undirected"},
    ]


NODES = [{"id": "a"}, {"id": "b"}]
LINK = {"source": "a", "target": "b"}


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ([], "must be an object with nodes and edges"),
        ({}, "must have a list of nodes"),
        ({"nodes": []}, "must have a list of edges or links"),
        ({"nodes": [5], "edges": []}, "name of a node in 'graph.json' must be text, got 5"),
        ({"nodes": [], "edges": [5]}, "must be objects, got 5"),
        ({"nodes": [], "edges": [{"from": "a"}]}, "The 'to' of an edge .* must be text, got None"),
        ({"nodes": [], "edges": [{"from": "a", "to": "b", "type": 1}]}, "type of an edge"),
        ({"nodes": [], "edges": [{"from": "a", "to": "b"}] * 2}, "got 'a' -> 'b' twice"),
        ({"nodes": NODES, "edges": [LINK, LINK]}, "got 'a' -- 'b' twice"),
        ({"nodes": NODES, "edges": [LINK, LINK], "directed": True}, "got 'a' -> 'b' twice"),
        (
            {"nodes": NODES, "edges": [LINK | {"target": {}}]},
            "id of a node in 'graph.json' must be",
        ),
        ({"nodes": [{"id": 1}, {"id": "1"}], "edges": []}, "got 1 and '1', both called '1'"),
    ],
)
def test_what_is_no_graph_is_refused(told, message):
    with pytest.raises(InvalidGraphError, match=message):
        read(told)


def test_labels_that_json_does_not_have_are_written_as_names(tmp_path):
    read_back = json_graphs.read(b'{"nodes": [{"id": 1e400}, {"id": 2}], "edges": []}', "'g'")
    path = tmp_path / "graph.json"
    write_graph(read_back.graph, path, format="node-link", labels=read_back.labels)
    assert read_graph(path).labels == {"inf": "inf", "2": 2}
