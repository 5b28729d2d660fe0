"""What is known of directions: contradictions named, files read."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest

from bqcd.errors import InvalidKnowledgeError
from bqcd.graphs.knowledge import MAX_BYTES, Knowledge, read_knowledge
from tests.counting import CountedName, counted_names


def test_tiers_required_and_forbidden_edges_give_directions_with_their_reason():
    known = Knowledge(
        tiers=[["age"], ["dose", "weight"]],
        required=[["dose", "weight"]],
        forbidden=[["taste", "dose"]],
    )
    assert known.direction("weight", "dose").tail == "dose"
    assert known.direction("weight", "dose").why == "'dose' -> 'weight' is required"
    assert known.direction("weight", "age").tail == "age"
    assert known.direction("taste", "dose").why == "'taste' -> 'dose' is forbidden"
    assert known.direction("taste", "age") is None
    assert known.nodes == {"age", "dose", "weight", "taste"}


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (
            {"required": [("a", "b"), ("b", "a")]},
            ["'a' -> 'b' is required", "'b' -> 'a' is required"],
        ),
        (
            {"required": [("a", "b")], "forbidden": [("a", "b")]},
            ["'a' -> 'b' is required", "'a' -> 'b' is forbidden"],
        ),
        (
            {"forbidden": [("a", "b"), ("b", "a")]},
            ["'a' -> 'b' is forbidden", "'b' -> 'a' is forbidden"],
        ),
        (
            {"tiers": [("a",), ("b",)], "required": [("b", "a")]},
            ["tier 1 of 'a' is before tier 2 of 'b'", "'b' -> 'a' is required"],
        ),
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, ["a -> b -> c -> a"]),
        ({"tiers": [("a",), ("a", "b")]}, ["'a' in 1 and 2"]),
        ({"tiers": ["age"]}, ["groups of names", "'age'"]),
        ({"required": [("a", "a")]}, ["'a' with itself"]),
        ({"required": ["ab"]}, ["pairs of a cause and an effect", "'ab'"]),
    ],
)
def test_contradictions_are_named(statements, words):
    with pytest.raises(InvalidKnowledgeError) as caught:
        Knowledge(**statements)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_file_is_read(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text(
        'tiers = [["age", "sex"], ["dose"]]\nrequired = [["dose", "response"]]\n', encoding="utf-8"
    )
    assert read_knowledge(path) == Knowledge(
        tiers=(("age", "sex"), ("dose",)), required=(("dose", "response"),)
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("tiers = [", "cannot be read"),
        ("tier = [['a']]", "'tier'"),
        ("tiers = ['a']", "list of lists"),
        ("required = [[1, 2]]", "list of lists"),
        ("required = [['a', 'b', 'c']]", "pairs of a cause"),
        ("required = [['a', 'b'], ['b', 'a']]", "is required"),
        ("\x00", "cannot be read"),
    ],
)
def test_a_bad_file_is_refused_with_the_reason(tmp_path, text, word):
    path = tmp_path / "known.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidKnowledgeError, match=word):
        read_knowledge(path)


@pytest.mark.parametrize("text", ["tiers = " + "[" * 3000, "tiers = [[" + "9" * 5000])
def test_a_file_too_deep_or_with_a_number_too_long_is_refused(tmp_path, text):
    path = tmp_path / "knowledge.toml"
    path.write_text(text)
    with pytest.raises(InvalidKnowledgeError, match="cannot be read as knowledge"):
        read_knowledge(path)


def test_a_line_break_in_the_name_of_a_file_stays_out_of_the_message(tmp_path):
    with pytest.raises(InvalidKnowledgeError) as caught:
        read_knowledge(tmp_path / "a\nb.toml")
    assert "\n" not in str(caught.value)


def test_an_absent_file_is_refused(tmp_path):
    with pytest.raises(InvalidKnowledgeError, match="cannot be read"):
        read_knowledge(tmp_path / "nothing.toml")


@pytest.mark.parametrize(
    "key", ["a" + ".a" * 50_000, '"a"' + '."a"' * 50_000, "['a'" + " . 'a'" * 50_000 + "]"]
)
def test_a_key_of_many_parts_is_refused_before_it_is_read(tmp_path, monkeypatch, key):
    path = tmp_path / "knowledge.toml"
    path.write_text(f"tiers = [['x.y.z', \"#\"]]\n{key} = 1\n")
    monkeypatch.setattr("tomllib.loads", lambda _: pytest.fail("it took the square of the parts"))
    with pytest.raises(InvalidKnowledgeError, match="a key must have at most 16 dots"):
        read_knowledge(path)


@pytest.mark.parametrize("quote", ['"', "'", '"""', "'''"])
def test_dots_within_names_are_no_parts_of_a_key(tmp_path, quote):
    path, name = tmp_path / "knowledge.toml", "a.b" * 50
    path.write_text(f"# {name}\ntiers = [[{quote}{name}{quote}], ['c']] # {name}\n")
    assert read_knowledge(path).tiers == ((name,), ("c",))


def test_a_file_too_large_is_refused(tmp_path):
    path = tmp_path / "knowledge.toml"
    path.write_bytes(b" " * (MAX_BYTES + 1))
    with pytest.raises(InvalidKnowledgeError, match=r"it must have at most 0.5 MB, but has more"):
        read_knowledge(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of POSIX systems")
def test_a_device_without_end_is_refused():
    with pytest.raises(InvalidKnowledgeError, match="'/dev/zero' cannot be read as knowledge: it"):
        read_knowledge("/dev/zero")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX systems")
def test_a_pipe_is_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=lambda: pipe.write_text("tiers = [['a'], ['b']]\r\n"))
    writer.start()
    assert read_knowledge(pipe).tiers == (("a",), ("b",))
    writer.join()


def test_statements_are_looked_up_without_walking_through_the_others():
    names = counted_names(1000)
    chain = tuple(pairwise(names))
    known = Knowledge(required=chain, forbidden=tuple((head, tail) for tail, head in chain))
    assert known.direction("c7", "c8").why == "'c7' -> 'c8' is required"
    assert CountedName.compared <= 50 * 1000


def test_which_contradiction_is_named_does_not_depend_on_the_hashes_of_names():
    names = [f"n{at}" for at in range(40)]
    pairs = [*pairwise(names), *((head, tail) for tail, head in pairwise(names))]
    with pytest.raises(InvalidKnowledgeError, match="known of 'n0' and 'n1'"):
        Knowledge(required=tuple(pairs))


def test_a_cycle_among_thousands_of_statements_is_named_from_its_first_node():
    chain = [(f"n{at}", f"n{at + 1}") for at in range(5000)]
    with pytest.raises(InvalidKnowledgeError, match="got a0 -> b -> c -> a0"):
        Knowledge(required=(*chain, ("b", "c"), ("c", "a0"), ("a0", "b"), ("a0", "n0")))
