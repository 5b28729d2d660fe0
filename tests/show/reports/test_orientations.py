"""The graph of a report: right at every bar of confidence, not only at its own."""

from __future__ import annotations

import json
import pickle
import shlex
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import bqcd
from bqcd.cli.commands import app
from bqcd.errors import InvalidGraphError, InvalidSettingError
from bqcd.graphs import Knowledge, Orientation, Outcome
from bqcd.graphs.orienting.orient import NOTHING_KNOWN
from bqcd.graphs.partial import PartialGraph
from bqcd.methods.verdict import Verdict
from bqcd.show.pages.tables import state_at
from bqcd.show.reports.orientations import MOST_BARS, OUTCOMES, graph_part, report_orientation
from bqcd.show.reports.places import BOX
from tests.graphs.orienting.test_settling import problems
from tests.show.reports.tables import FORMULA, SCRIPT, columns

ROWS = np.random.default_rng(0).normal(size=(12, 8))


class Oracle:
    """Judges pairs by a list."""

    def __init__(self, confidences):
        self.confidences = confidences

    def decide(self, pair, rng):
        return Verdict(self.confidences.get((pair.x_name, pair.y_name), 0.0), pair)


def oriented(graph, confidences, *, knowledge=NOTHING_KNOWN, **settings) -> Orientation:
    table = dict(zip(graph.nodes, np.resize(ROWS, (len(graph.nodes), 12)), strict=True))
    return bqcd.orient(table, graph, method=Oracle(confidences), knowledge=knowledge, **settings)


def told(orientation, bar):
    """State, outcome and reason of each edge as an orientation at this bar has them."""
    found = {}
    for record in orientation.edges:
        states = {record.first: "a->b", record.second: "b->a", None: "open"}
        reason = record.sentence.replace(f"; less than {bar:g} is", "; less than the bar is")
        found[record.edge] = (states[record.tail], record.outcome.value, reason)
    return found


def shown(graph, bar):
    """The same as the page finds it in the content of a report."""
    names = {node["id"]: node["name"] for node in graph["nodes"]}
    states = {(names[e["a"]], names[e["b"]]): state_at(e, bar) for e in graph["edges"]}
    return {edge: (one["state"], one["outcome"], one["reason"]) for edge, one in states.items()}


@settings(max_examples=30, deadline=None)
@given(problems(), st.booleans(), st.sampled_from([0.2, 0.5, 0.7, 1.0, 1.5, 2.0, 2.5]))
def test_the_states_at_any_bar_are_those_of_an_orientation_made_with_it(problem, complete, bar):
    _, graph, kind, confidences, knowledge, own = problem
    asked = {"kind": kind, "knowledge": knowledge, "complete": complete}
    found = oriented(graph, confidences, min_confidence=own, **asked)
    content = graph_part(found).as_dict()
    assert shown(content, own) == told(found, own)
    for other in (0.0, bar):
        again = oriented(graph, confidences, min_confidence=other, **asked)
        assert shown(content, other) == told(again, other)
        assert told(found.at(other), other) == told(again, other)


def star(n_edges: int) -> tuple[PartialGraph, dict]:
    graph = PartialGraph(undirected=[("hub", f"n{at:03d}") for at in range(n_edges)])
    return graph, {edge: (-1.0) ** at * (1.0 + at) for at, edge in enumerate(graph.undirected)}


def test_of_many_bars_some_are_kept_and_right_and_the_own_one_is_among_them():
    graph, confidences = star(90)
    found = oriented(graph, confidences, min_confidence=33.3)
    part = graph_part(found)
    assert part.bar == 33.3
    assert 33.3 in part.bars
    assert len(part.bars) <= MOST_BARS
    assert part.bars[0] == 0.0
    assert "The bar moves in 60 steps; verdicts drop out at 90 bars." in part.notes
    for bar in part.bars[::13] + part.bars[-1:]:
        open_edges = {edge for edge, states in part.states.items() if _at(states, bar) == "open"}
        assert open_edges == {edge for edge, size in confidences.items() if abs(size) < bar}


def _at(states, bar):
    return [one.state for one in states if one.bar <= bar][-1]


def test_an_edge_is_open_only_above_its_confidence_and_states_in_a_row_differ():
    graph, confidences = star(3)
    part = graph_part(oriented(graph, confidences))
    for edge, states in part.states.items():
        size = abs(confidences[edge])
        assert (_at(states, size), _at(states, np.nextafter(size, 9.0))) == (
            "a->b" if confidences[edge] > 0 else "b->a",
            "open",
        )
        assert len(states) == 2
    assert all(one < two for one, two in pairwise(part.bars))


def test_an_edge_that_others_compel_keeps_its_direction_until_they_open():
    # b -> c follows from a -> b, as the chain has no collider.
    graph = PartialGraph(undirected=["ab", "bc"])
    found = oriented(graph, {("a", "b"): 2.0, ("b", "c"): 1.0}, kind="cpdag")
    states = graph_part(found).states["b", "c"]
    assert [(one.state, one.outcome) for one in states] == [
        ("a->b", Outcome.COMPELLED),
        ("open", Outcome.BORDERLINE),
    ]
    assert states[1].bar == np.nextafter(2.0, 3.0)


def test_verdicts_that_depend_on_the_bar_are_shown_at_their_own_only():
    found = bqcd.orient(columns(), nx.Graph([("dose", SCRIPT)]), given_known=True)
    report = report_orientation(found)
    assert report.graph["bars"] == [0.0]
    assert {len(edge["states"]) for edge in report.graph["edges"]} == {1}
    assert any(note.startswith("The bar cannot be moved") for note in report.notes)
    with pytest.raises(InvalidSettingError, match="given_known=True"):
        found.at(0.5)


@pytest.mark.parametrize("bar", [-0.1, float("nan"), "high"])
def test_a_bar_that_is_none_is_refused(bar):
    with pytest.raises(InvalidSettingError, match=r"min_confidence of Orientation\.at"):
        oriented(*star(2)).at(bar)


def test_bars_at_which_no_dag_fits_are_left_out_and_the_notes_say_so(monkeypatch):
    found = oriented(*star(4))
    settle = Orientation.at

    def at(self, bar):
        if bar > 2.5:
            raise InvalidGraphError("No DAG has these edges.")
        return settle(self, bar)

    monkeypatch.setattr(Orientation, "at", at)
    part = graph_part(found)
    assert max(part.bars) == np.nextafter(2.0, 3.0)
    assert part.notes == ("The graph is not shown at bars of 3 or more: No DAG has these edges.",)


def test_an_orientation_that_was_pickled_can_be_settled_again():
    knowledge = Knowledge(required=(("hub", "n000"),))
    found = pickle.loads(pickle.dumps(oriented(*star(3), knowledge=knowledge)))
    assert found.at(2.5).record("hub", "n000").outcome is Outcome.KNOWLEDGE
    assert found.at(2.5).record("hub", "n001").outcome is Outcome.BORDERLINE
    assert found.at(2.5).facts["min_confidence"] == 2.5


def test_causes_stand_above_their_effects_and_nodes_apart():
    graph = PartialGraph([*"abcd", "alone"], undirected=["ab", "bc", "bd"])
    part = graph_part(oriented(graph, dict.fromkeys(graph.undirected, 1.0)))
    places = part.drawing.places
    down = {name: place[1] for name, place in places.items()}
    assert down["a"] < down["b"] < down["c"] == down["d"]
    assert len(set(places.values())) == 5
    assert list(graph_part(oriented(PartialGraph("a"), {})).drawing.places) == ["a"]


def test_a_report_links_edges_to_their_pairs_and_speaks_json():
    graph = nx.DiGraph([("dose", SCRIPT), (SCRIPT, FORMULA), (FORMULA, SCRIPT)])
    report = report_orientation(bqcd.orient(columns(), graph, kind="skeleton", seed=4))
    content = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    edges = {(e["pair"], e["confidence"]) for e in content["graph"]["edges"]}
    (row,) = content["pairs"]
    assert edges == {(None, None), (row["id"], row["confidence"])}
    assert (row["n_rows"], {row["x"], row["y"]}) == (150, {SCRIPT, FORMULA})
    assert {one["name"] for one in content["graph"]["outcomes"]} == {
        "given",
        "judged",
        "borderline",
    }
    assert content["answer"].startswith(
        "2 of 2 edges have a direction: 1 as given, 1 judged from the data."
    )
    assert content["colophon"]["seed"] == 4
    assert (
        'found = bqcd.orient(table, graph, kind="skeleton", seed=4)'
        in (content["colophon"]["python"])
    )


def test_the_call_of_a_report_names_what_is_not_usual():
    knowledge = Knowledge(required=(("dose", SCRIPT),))
    found = bqcd.orient(
        columns(), nx.Graph([("dose", SCRIPT)]), knowledge=knowledge, n_levels=5, replicates=2
    )
    report = report_orientation(found, table=columns())
    call = report.colophon.python
    assert (
        'bqcd.orient(table, graph, kind="skeleton", replicates=2, n_levels=5, knowledge=knowledge)'
    ) in call
    assert report.pairs[0].stability == found.edges[0].judgement.share
    whole = bqcd.report(columns(), graph=nx.Graph([("dose", SCRIPT)]), replicates=0)
    assert report.colophon.fingerprint == whole.colophon.fingerprint


def test_every_outcome_is_explained():
    assert set(OUTCOMES) == set(Outcome)


def test_names_are_text_on_the_page_and_in_a_notebook():
    pytest.importorskip("jinja2")
    found = bqcd.orient(columns(), nx.Graph([("dose", SCRIPT)]))
    page = found.to_html()
    assert page == found.to_html()
    assert SCRIPT not in page
    assert SCRIPT not in found._repr_html_()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in found._repr_html_()


def test_the_command_writes_a_page_that_says_how_it_was_made(tmp_path, monkeypatch):
    pytest.importorskip("jinja2")
    table, graph, page = (tmp_path / name for name in ("t.csv", "g.dot", "o.html"))
    values = np.column_stack(list(columns().values()))
    np.savetxt(table, values, delimiter=",", header="a,b,c,d", comments="")
    graph.write_text("graph { a -- b -- c }", encoding="utf-8")
    typed = ["orient", str(table), "--graph", str(graph), "-o", str(page)]
    monkeypatch.setattr("sys.argv", ["bqcd", *typed])
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 0, done.output
    assert f"Written: {page}" in done.stdout
    text = page.read_text(encoding="utf-8")
    assert f"bqcd {shlex.join(typed)}" in text
    assert "2 of 2 edges have a direction" in text


def page_of_lines(report, folder, monkeypatch, **names) -> str:
    """Page that the lines at the foot of a report write."""
    monkeypatch.chdir(folder)
    exec(report.colophon.python, dict(names))
    return next(folder.glob("*.html")).read_text(encoding="utf-8")


def test_the_lines_at_the_foot_of_a_graph_run_as_they_stand(tmp_path, monkeypatch):
    knowledge = Knowledge(tiers=(("dose",), (SCRIPT,)), required=(("dose", SCRIPT),))
    graph = PartialGraph(directed=[(SCRIPT, FORMULA)], undirected=[("dose", SCRIPT)])
    found = bqcd.orient(columns(), graph, knowledge=knowledge, seed=3, kind="skeleton")
    page = page_of_lines(report_orientation(found), tmp_path, monkeypatch, table=columns())
    assert page == found.to_html()


def test_the_lines_at_the_foot_of_a_page_of_files_need_nothing_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = np.column_stack(list(columns().values()))
    np.savetxt("t.csv", values, delimiter=",", header="a,b,c,d", comments="")
    (tmp_path / "g.dot").write_text("graph { a -- b -- c }", encoding="utf-8")
    asked = {"method": "bqcd", "replicates": 10}
    whole = bqcd.report("t.csv", graph="g.dot", **asked)
    assert page_of_lines(whole, tmp_path, monkeypatch) == whole.to_html()
    held = bqcd.report("t.csv", graph=PartialGraph(undirected=["ab", "bc"]), **asked)
    (tmp_path / "report.html").unlink()
    assert page_of_lines(held, tmp_path, monkeypatch) == held.to_html()
    (tmp_path / "report.html").unlink()
    typed = ["orient", "t.csv", "--graph", "g.dot", "-o", "typed.html"]
    assert CliRunner().invoke(app, typed).exit_code == 0
    exec(_lines(tmp_path / "typed.html"), {})
    shown = [
        json.loads(_payload(tmp_path / name))["graph"] for name in ("typed.html", "graph.html")
    ]
    assert shown[0] == shown[1]


def _payload(path) -> str:
    return path.read_text("utf-8").partition('id="report">')[2].partition("</script>")[0]


def _lines(path) -> str:
    return json.loads(_payload(path))["colophon"]["python"]


def test_no_edge_of_a_dense_graph_passes_behind_a_box():
    rng = np.random.default_rng(2)
    names = [f"node {at}" for at in range(12)]
    edges = [(a, b) for at, a in enumerate(names) for b in names[at + 1 :] if rng.random() < 0.5]
    assert len(edges) > 25
    drawing = graph_part(
        oriented(PartialGraph(undirected=edges), dict.fromkeys(edges, 1.0))
    ).drawing
    for edge in edges:
        points = np.array(drawing.way(*edge))
        between = np.linspace(0.0, 1.0, 9)[:, None, None]
        dense = (points[:-1] + between * (points[1:] - points[:-1])).reshape(-1, 2)
        for name in set(names) - set(edge):
            x, y = drawing.places[name]
            inside = (abs(dense[:, 0] - x) < drawing.widths[name] / 2 - 1) & (
                abs(dense[:, 1] - y) < BOX / 2 - 1
            )
            assert not inside.any(), (edge, name)
