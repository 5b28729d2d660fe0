"""Graphs learnt and oriented again on sub-samples."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bqcd
from bqcd.errors import InvalidKnowledgeError, InvalidResultsError, InvalidSettingError
from bqcd.graphs import bootstrap_graph, orient
from bqcd.graphs.knowledge import Knowledge
from bqcd.graphs.partial import PartialGraph
from bqcd.graphs.skeletons import CAM, PC


def table(n=400):
    rng = np.random.default_rng(0)
    a = rng.normal(size=n)
    b = a**2 + 0.4 * rng.normal(size=n)
    c = np.sin(2.0 * b) + 0.4 * rng.normal(size=n)
    return {"a": a, "b": b, "c": c, "d": rng.normal(size=n)}


def told(found):
    return [(edge.first, edge.second, dict(edge.counts)) for edge in found.edges]


def test_true_links_and_directions_are_in_most_sub_samples():
    found = bootstrap_graph(table(), CAM(), draws=15)
    assert found.frequency("b", "a").share("a -> b") > 0.9
    assert found.frequency("c", "b").share("b -> c") > 0.9
    assert found.frequency("a", "d").joined < 0.3
    assert (found.draws, found.rows) == (15, 200)
    assert found.sheet().rows[0][:3] == ("a", "b", 1.0)


@pytest.mark.parametrize("source", [CAM(), PartialGraph("abcd", undirected=["ab", "bc", "ad"])])
def test_the_number_of_workers_changes_nothing(source):
    one = bootstrap_graph(table(), source, draws=6, workers=1)
    assert told(bootstrap_graph(table(), source, draws=6, workers=2)) == told(one)


def test_another_seed_gives_other_sub_samples_and_the_same_seed_the_same():
    rng = np.random.default_rng(3)
    noise = {name: rng.normal(size=60) for name in "abc"}
    graph = PartialGraph(undirected=["ab", "bc", "ac"])
    first, again, other = (
        told(bootstrap_graph(noise, graph, draws=40, seed=seed, force=True)) for seed in (0, 0, 1)
    )
    assert first == again != other


def test_a_graph_that_is_given_keeps_its_links():
    graph = PartialGraph("abcd", undirected=["ab", "bc", "ad"])
    found = bootstrap_graph(table(), graph, draws=10)
    assert [edge.joined for edge in found.edges] == [1.0, 1.0, 1.0]


def test_columns_that_are_no_node_may_hold_anything():
    columns = {**table(), "remark": ["none"] * 400}
    graph = PartialGraph("abd", undirected=["ab"])
    known = Knowledge(tiers=[["a"], ["c", "d"]])
    found = bootstrap_graph(columns, graph, draws=3, knowledge=known)
    assert told(found) == [("a", "b", {"a -> b": 3})]


def test_what_is_finished_is_kept_and_the_rest_is_added(tmp_path, monkeypatch):
    folder = tmp_path / "draws"
    graph = PartialGraph("abcd", undirected=["ab", "bc", "ad"])
    bootstrap_graph(table(), graph, draws=4, folder=folder)
    damaged = folder / "draws" / "000002.json"
    damaged.write_bytes(damaged.read_bytes().replace(b"arrows", b"arrowz"))
    done = []

    def counted(now, total):
        done.append((now, total))

    found = bootstrap_graph(table(), graph, draws=7, folder=folder, progress=counted)
    # Three are new and one was damaged.
    assert done == [(4, 7), (5, 7), (6, 7), (7, 7)]
    assert told(found) == told(bootstrap_graph(table(), graph, draws=7))
    done.clear()
    assert told(bootstrap_graph(table(), graph, draws=7, folder=folder, progress=counted)) == told(
        found
    )
    assert done == []


def test_a_folder_of_something_else_is_refused_with_what_differs(tmp_path):
    graph = PartialGraph("abcd", undirected=["ab"])
    bootstrap_graph(table(), graph, draws=2, folder=tmp_path / "draws")
    with pytest.raises(InvalidResultsError, match="in which seed is 0, not 5"):
        bootstrap_graph(table(), graph, draws=2, seed=5, folder=tmp_path / "draws")
    with pytest.raises(InvalidResultsError, match="holds a bootstrap of other columns or rows"):
        bootstrap_graph(table(300), graph, draws=2, folder=tmp_path / "draws")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(InvalidResultsError, match="holds other things"):
        bootstrap_graph(table(), graph, draws=2, folder=tmp_path / "other")


def test_knowledge_is_obeyed_in_every_sub_sample():
    known = Knowledge(required=[("b", "a")])
    found = bootstrap_graph(table(), CAM(), draws=5, knowledge=known)
    assert found.frequency("a", "b").share("a -> b") == 0.0
    with pytest.raises(InvalidKnowledgeError, match="'bb'"):
        bootstrap_graph(table(), CAM(), draws=5, knowledge=Knowledge([["bb"], ["a"]]))


def test_rows_of_a_unit_are_drawn_together():
    # Ten copies of each row: by row, halves hold all of them, by unit half of them.
    few = {name: np.repeat(column[:30], 10) for name, column in table().items()}
    graph = PartialGraph("abcd", undirected=["ab", "ad", "bd", "ac", "cd"])
    units = np.repeat(np.arange(30), 10)
    by_row = bootstrap_graph(few, graph, draws=60, force=True)
    by_unit = bootstrap_graph(few, graph, draws=60, force=True, units=units)

    def doubt(found):
        return sum(1.0 - edge.share(edge.most) for edge in found.edges)

    assert doubt(by_unit) > doubt(by_row)
    with pytest.raises(InvalidSettingError, match="300 complete rows"):
        bootstrap_graph(few, graph, units=[1, 2])


def test_sub_samples_that_give_no_graph_are_counted_apart():
    columns = table(40)
    # Constant in most halves, so that nothing can be learnt from these.
    columns["e"] = np.where(np.arange(40) < 2, 1.0, 0.0)
    pytest.importorskip("causallearn")
    found = bootstrap_graph(columns, PC(), draws=12)
    assert found.draws + len(found.failed) == 12
    assert found.failed
    assert all("'e'" in message for message in found.failed)


def test_edges_of_an_orientation_say_how_often_they_came_out_so():
    graph = PartialGraph("abcd", undirected=["ab", "bc"])
    found = bootstrap_graph(table(), graph, draws=10).told_of(orient(table(), graph))
    record = found.record("a", "b")
    assert record.sentence.endswith("; in 100% of 10 sub-samples, this way in 100%.")
    assert found.at(100.0).record("a", "b").sentence.endswith("left open in 0%.")
    assert json.loads(json.dumps(found.as_dict()))["bootstrap"]["draws"] == 10


def test_steady_edges_are_drawn_heavier():
    pytest.importorskip("matplotlib")
    graph = PartialGraph("abd", undirected=["ab", "ad"])
    columns = {name: column for name, column in table().items() if name != "c"}
    found = bootstrap_graph(columns, graph, draws=20).told_of(orient(columns, graph, force=True))
    figure = found.plot()
    lines = {line.get_label(): line.get_linewidth() for line in figure.axes[0].lines}
    steady, shaky = (next(lines[key] for key in lines if name in key) for name in ("b", "d"))
    assert steady > 2.0 * shaky
    assert "width: share of sub-samples" in [
        text.get_text() for text in figure.legends[0].get_texts()
    ]


def test_the_front_door_has_it():
    assert bqcd.bootstrap_graph is bootstrap_graph
