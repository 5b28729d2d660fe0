"""What a user may write for a method, and the names it goes by."""

from __future__ import annotations

import json

import pytest

from bqcd import BQCD, METHODS
from bqcd.benchmark.running.contenders import contender, contenders, label, labels, split_specs
from bqcd.errors import InvalidSettingError, UnknownNameError
from bqcd.methods.chance import AlwaysFirst
from bqcd.methods.verdict import settings_of
from tests.benchmark.running.odd_methods import Odd

ODD = "tests.benchmark.running.odd_methods:Odd"
UNTOLD = "tests.benchmark.running.odd_methods:Untold"


def test_a_name_stands_for_the_method_with_its_defaults():
    one = contender("bqcd")
    assert (one.name, one.method) == ("bqcd", BQCD())


def test_settings_after_colons_are_json_or_words():
    one = contender("bqcd:n_levels=7:regressor=forest:published_ties=true")
    assert one.method == BQCD(n_levels=7, regressor="forest", published_ties=True)


def test_settings_are_told_in_full_and_in_one_order():
    settings = contender("bqcd:n_levels=7").settings
    assert json.loads(settings) == settings_of(BQCD(n_levels=7))
    assert list(json.loads(settings)) == sorted(json.loads(settings))
    assert contender("bqcd:regressor=forest:n_levels=5").settings == (
        contender("bqcd:n_levels=5:regressor=forest").settings
    )


def test_a_class_from_elsewhere_is_built_with_its_settings():
    one = contender(f"{ODD}:does=raises:on=/3")
    assert (one.name, one.method) == (ODD, Odd("raises", "/3"))


def test_settings_of_a_class_that_does_not_tell_them_still_tell_two_apart():
    first, second = (contender(f"{UNTOLD}:shift={shift}") for shift in (1, 2))
    assert first.name == second.name
    assert json.loads(first.settings) == {"shift": 1}
    assert first.settings != second.settings


def test_a_card_and_a_named_object_are_contenders_too():
    assert contender(METHODS["coin"]).method == METHODS["coin"].build()
    one = contender(("always", AlwaysFirst()))
    assert (one.name, one.method, one.settings) == ("always", AlwaysFirst(), "{}")


REFUSED = {
    "a misspelt name": ("bqdc", UnknownNameError, "'bqcd'"),
    "a misspelt setting": ("bqcd:n_level=3", UnknownNameError, "'n_levels'"),
    "a setting out of range": ("bqcd:n_levels=0", InvalidSettingError, "n_levels"),
    "a setting twice": ("bqcd:n_levels=3:n_levels=5", InvalidSettingError, "each once"),
    "a setting without a value": ("bqcd:n_levels", InvalidSettingError, "setting=value"),
    "a setting without a name": ("bqcd:=3", InvalidSettingError, "setting=value"),
    "an unknown module": ("no.such.module:Class", UnknownNameError, "no.such"),
    "an unknown attribute": (f"{ODD}s", UnknownNameError, "Odds"),
    "an attribute of no module": ("bqdc:Class", UnknownNameError, "bqdc"),
    "an attribute that is no builder": (
        "tests.benchmark.running.odd_methods:HOURS",
        InvalidSettingError,
        "class or function",
    ),
    "a builder of no method": (
        "tests.waiting:processes_of:mark=x",
        InvalidSettingError,
        "decide",
    ),
    "a setting the class has not": (f"{ODD}:depth=3", InvalidSettingError, "depth"),
    "a setting the class refuses": (f"{UNTOLD}:shift=-1", InvalidSettingError, "must not be"),
    "a class instead of an object": (("odd", Odd), InvalidSettingError, "decide"),
    "a number": (3, InvalidSettingError, "int"),
    "an empty name": ("", UnknownNameError, "''"),
}


@pytest.mark.parametrize(("given", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_method_is_refused(given, error, words):
    with pytest.raises(error, match=words):
        contender(given)


def test_a_module_that_breaks_while_it_is_imported_is_named(tmp_path, monkeypatch):
    (tmp_path / "bqcd_broken_method.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UnknownNameError, match="ZeroDivisionError: division by zero"):
        contender("bqcd_broken_method:Method")


def test_a_contender_comes_once():
    with pytest.raises(InvalidSettingError, match="'bqcd' comes twice"):
        contenders(["bqcd", "coin", "bqcd:n_levels=3"])
    with pytest.raises(InvalidSettingError, match="at least one"):
        contenders([])


def test_contenders_keep_the_order_they_came_in():
    names = ["coin", "bqcd:n_levels=7", "bqcd"]
    found = contenders(names)
    assert [label(one.name, one.settings) for one in found] == names


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b", ["a", "b"]),
        (" a , b ,", ["a", "b"]),
        ("a:x=[1,2],b", ["a:x=[1,2]", "b"]),
        ('a:x="1,2",b', ['a:x="1,2"', "b"]),
        ('a:x={"y":[1,(2,3)]},b', ['a:x={"y":[1,(2,3)]}', "b"]),
        ("a),b", ["a)", "b"]),
        ("", []),
    ],
)
def test_commas_separate_only_outside_of_brackets_and_quotes(text, parts):
    assert split_specs(text) == parts


def test_colons_inside_quotes_belong_to_the_value():
    assert contender(f'{ODD}:on="a:b"').method == Odd(on="a:b")


@pytest.mark.parametrize("name", sorted(METHODS))
def test_a_label_is_the_shortest_text_that_makes_the_same_contender(name):
    one = contender(name)
    assert label(one.name, one.settings) == name


@pytest.mark.parametrize("spec", ["bqcd:n_levels=7", "bqcd:n_levels=5:regressor=forest"])
def test_a_label_with_settings_makes_the_same_contender(spec):
    one = contender(spec)
    assert contender(label(one.name, one.settings)) == one


def test_labels_spell_out_settings_only_where_names_collide():
    specs = [ODD, f"{ODD}:on=/3", "bqcd", f"{UNTOLD}:shift=1"]
    keys = [(one.name, one.settings) for one in contenders(specs)]
    found = labels(keys)
    assert found == [
        f"{ODD}:does=answer:milliseconds=0.0:on=:warm_ups=",
        f"{ODD}:does=answer:milliseconds=0.0:on=/3:warm_ups=",
        "bqcd",
        UNTOLD,
    ]
