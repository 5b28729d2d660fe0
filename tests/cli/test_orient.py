"""The command that orients graphs, as a person would use it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.cli.commanding import run

# One process, as the one that becomes the command takes a while to load.
pytestmark = pytest.mark.xdist_group("command")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    b = a**2 + 0.4 * rng.normal(size=400)
    c = np.sin(2.0 * b) + 0.4 * rng.normal(size=400)
    path = tmp_path_factory.mktemp("orient") / "cells.csv"
    np.savetxt(path, np.column_stack((a, b, c)), delimiter=",", header="a,b,c", comments="")
    (path.parent / "skeleton.dot").write_text("graph { a -- b -- c }", encoding="utf-8")
    return path


def test_a_graph_file_is_oriented_written_and_drawn(table, tmp_path):
    pytest.importorskip("matplotlib")
    out, picture = tmp_path / "oriented.dot", tmp_path / "oriented.png"
    asked = ["--graph", table.parent / "skeleton.dot", "-o", out, "-o", picture]
    done = run("orient", table, *asked, cold=True)
    assert done.returncode == 0, done.stderr
    assert "a -> b" in done.stdout
    assert "2 of 2 edges have a direction, judged from the data." in done.stdout
    assert "a -> b" in out.read_text(encoding="utf-8")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_graph_is_told_next_to_the_true_one(table, tmp_path):
    pytest.importorskip("matplotlib")
    truth, picture = tmp_path / "truth.dot", tmp_path / "compared.svg"
    truth.write_text("digraph { a -> b; c -> b }", encoding="utf-8")
    asked = ["--graph", table.parent / "skeleton.dot", "--truth", truth]
    done = run("orient", table, *asked, "--truth-out", picture)
    assert done.returncode == 0, done.stderr
    assert "reversed" in done.stdout
    assert "SHD 1; SID 3;" in " ".join(done.stdout.split())
    assert b"<svg" in picture.read_bytes()
    told = json.loads(run("orient", table, *asked, "--json").stdout)["truth"]
    assert (told["shd"], told["sid"]) == (1, 3)


def test_a_pag_is_oriented_at_its_circles_and_written(table, tmp_path):
    pag, out = tmp_path / "pag.dagitty", tmp_path / "oriented.dagitty"
    pag.write_text("pag { a @-> b\n b <-> c }", encoding="utf-8")
    done = run("orient", table, "--graph", pag, "-o", out, "--explain")
    assert done.returncode == 0, done.stderr
    assert "b <-> c: given in the graph." in done.stdout
    assert "a -> b: judged leaning" in done.stdout
    assert "b <-> c" in out.read_text(encoding="utf-8")
    assert "a -> b" in out.read_text(encoding="utf-8")
    refused = run("orient", table, "--graph", pag, "--complete")
    assert "must be False for a PAG" in refused.stderr


def test_knowledge_turns_a_direction_of_the_graph_only_if_it_may(table, tmp_path):
    graph, known = tmp_path / "graph.dot", tmp_path / "known.toml"
    graph.write_text("digraph { b -> a; b -> c }", encoding="utf-8")
    known.write_text('required = [["a", "b"]]\n', encoding="utf-8")
    asked = ["orient", table, "--graph", graph, "--knowledge", known, "--explain"]
    refused = run(*asked)
    assert "has b -> a, but 'a' -> 'b' is required" in refused.stderr
    done = run(*asked, "--overrule")
    assert "a -> b: known, as 'a' -> 'b' is required, against b -> a in the graph." in done.stdout
    known.write_text('required = [["aa", "b"]]\n', encoding="utf-8")
    assert "'aa', which is no column" in run(*asked).stderr


def test_sub_samples_are_told_kept_and_taken_up_again(table, tmp_path):
    asked = ["--skeleton", "cam", "--bootstrap", "4", "--bootstrap-out", tmp_path / "kept"]
    done = run("orient", table, *asked, "--workers", "2", "--explain")
    assert done.returncode == 0, done.stderr
    assert "in 100% of 4 sub-samples, this way in 100%." in done.stdout
    assert "4 sub-samples of 200 rows: 2 of" in " ".join(done.stdout.split())
    assert len(list((tmp_path / "kept" / "draws").iterdir())) == 4
    told = json.loads(run("orient", table, *asked, "--json").stdout)
    assert told["bootstrap"]["draws"] == 4


def test_every_edge_is_explained_in_a_sentence(table):
    done = run("orient", table, "--graph", table.parent / "skeleton.dot", "--explain")
    assert done.returncode == 0, done.stderr
    first, second, _ = done.stdout.splitlines()
    assert first.startswith("a -> b: judged leaning with confidence 0.")
    assert second.startswith("b -> c: judged leaning with confidence 0.")


def test_json_holds_every_edge(table):
    done = run("orient", table, "--graph", table.parent / "skeleton.dot", "--json")
    told = json.loads(done.stdout)
    assert [(edge["tail"], edge["head"]) for edge in told["edges"]] == [("a", "b"), ("b", "c")]
    assert told["kind"] == "skeleton"


def test_knowledge_is_read_from_a_file(table, tmp_path):
    known = tmp_path / "known.toml"
    known.write_text('required = [["c", "b"]]\n', encoding="utf-8")
    done = run(
        "orient", table, "--graph", table.parent / "skeleton.dot", "--knowledge", known, "--explain"
    )
    assert "c -> b: known, as 'c' -> 'b' is required; the pair alone says b -> c" in done.stdout


def test_a_skeleton_is_learnt_first_if_so_asked(table):
    done = run("orient", table, "--skeleton", "cam", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["kind"] == "cpdag"
    assert {(edge["x"], edge["y"]) for edge in told["edges"]} == {("a", "b"), ("b", "c")}


def test_settings_of_the_skeleton_are_passed_on(table):
    pytest.importorskip("causallearn")
    done = run("orient", table, "--skeleton", "pc", "--skeleton-set", "test=copula", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {edge["y"] for edge in told["edges"]} <= {"b", "c"}
    assert told["notes"] == [{"code": "learner", "learner": "PC(test='copula', alpha=0.05)"}]
    done = run("orient", table, "--skeleton", "pc", "--skeleton-set", "tests=copula")
    assert "'tests'" in done.stderr


def test_an_adjacency_matrix_is_read_and_written(table, tmp_path):
    matrix, out = tmp_path / "matrix.csv", tmp_path / "oriented.adj"
    matrix.write_text(",a,b,c\na,0,1,0\nb,1,0,0\nc,0,1,0\n", encoding="utf-8")
    given = ["--graph-format", "adjacency", "--convention", "column-causes-row"]
    done = run("orient", table, "--graph", matrix, *given, "-o", out)
    assert done.returncode == 0, done.stderr
    assert out.read_text(encoding="utf-8") == (
        "row-causes-column,a,b,c\na,0,1,0\nb,0,0,1\nc,0,0,0\n"
    )


def test_shares_of_replicates_are_told_where_asked(table):
    skeleton = table.parent / "skeleton.dot"
    done = run("orient", table, "--graph", skeleton, "--replicates", "5", "--json")
    assert [edge["share"] for edge in json.loads(done.stdout)["edges"]] == [1.0, 1.0]


def test_what_had_to_be_changed_in_a_learnt_graph_is_told(tmp_path):
    pytest.importorskip("causallearn")
    # On few rows, tests contradict each other: PC returns a cycle.
    rng = np.random.default_rng(126)
    columns = rng.normal(size=(40, 7)) @ rng.normal(size=(7, 7))
    path = tmp_path / "cells.csv"
    np.savetxt(path, columns, delimiter=",", header="a,b,c,d,e,f,g", comments="")
    done = run("orient", path, "--skeleton", "pc", "--skeleton-set", "alpha=0.2", "--explain")
    assert done.returncode == 0, done.stderr
    assert "The cycle c -> e -> d -> g -> c is left undirected." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "either --graph FILE or --skeleton NAME"),
        (["--graph", "none.dot"], "none.dot"),
        (["--graph", "{skeleton}", "--skeleton", "cam"], "either --graph FILE"),
        (["--graph", "{skeleton}", "--method", "bqdc"], "'bqcd'"),
        (["--graph", "{skeleton}", "--knowledge", "none.toml"], "none.toml"),
        (["--graph", "{skeleton}", "-o", "graph.xyz"], "xyz"),
        (["--graph", "{skeleton}", "-o", "nowhere/graph.gml"], "nowhere"),
        (["--graph", "{skeleton}", "--set", "kind=cpdag"], "'kind'"),
        (["--graph", "{skeleton}", "--graph-format", "dto"], "'dto'"),
        (["--skeleton", "cam", "--convention", "pcalg"], "--convention go with --graph"),
        (["--graph", "{skeleton}", "--skeleton-set", "alpha=0.1"], "goes with --skeleton"),
        (["--graph", "{skeleton}", "--truth", "none.dot"], "none.dot"),
        (["--graph", "{skeleton}", "--truth-out", "a.png"], "go with --truth"),
        (["--graph", "{skeleton}", "--bootstrap-out", "kept"], "goes with --bootstrap"),
        (["--graph", "{skeleton}", "--overrule"], "goes with --knowledge"),
    ],
)
def test_mistakes_are_told_in_one_line(table, arguments, word):
    skeleton = str(table.parent / "skeleton.dot")
    given = [skeleton if one == "{skeleton}" else one for one in arguments]
    done = run("orient", table, *given)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert word in done.stderr


def test_columns_are_chosen_by_name_and_text_is_refused_with_the_way_out(table, tmp_path):
    pytest.importorskip("causallearn")
    path = tmp_path / "named.csv"
    head, *rows = table.read_text(encoding="utf-8").splitlines()
    rows = [f"{row},{'xyz'[at % 3]}" for at, row in enumerate(rows)]
    path.write_text("\n".join([f"{head},site", *rows]), encoding="utf-8")
    refused = run("orient", path, "--skeleton", "pc")
    assert refused.returncode == 2
    assert "Column 'site' must hold numbers" in refused.stderr
    assert "To take other columns: --columns." in " ".join(refused.stderr.split())
    done = run("orient", path, "--skeleton", "pc", "--columns", "!site", "--json")
    assert done.returncode == 0, done.stderr
    nodes = {edge[end] for edge in json.loads(done.stdout)["edges"] for end in ("first", "second")}
    assert nodes <= {"a", "b", "c"}
