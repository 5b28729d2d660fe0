"""What is known of a method, in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from bqcd.benchmark import Results
from bqcd.benchmark.summary import Answers, answers
from bqcd.methods.cards import MethodCard
from bqcd.methods.table import METHODS
from bqcd.methods.verdict import settings_of

MARK = "†"
"""Behind the name of a method with a default that was chosen by looking at benchmark files."""

VERSION = "version"
"""What a card calls a choice that no setting takes back."""


def elsewhere(card: MethodCard) -> str:
    """What of a confidence depends on the machine.

    Examples
    --------
    >>> from bqcd import METHODS
    >>> elsewhere(METHODS["igci-u"])
    'the same to the bit on all kinds of processors tried'
    """
    if card.varies == 0.0:
        return "the same to the bit on all kinds of processors tried"
    return (
        "another kind of processor or C library changed a confidence by up to "
        f"{card.varies:g} of its usual size"
    )


def drawn_rows(card: MethodCard) -> str:
    """How a pair of too many rows is judged; nothing if all of them are taken."""
    if card.most_rows is None:
        return ""
    draws = settings_of(card.build()).get("draws")
    return f"of more than {card.most_rows:,} rows that many are drawn at random, {draws} times"


def taken_columns(card: MethodCard) -> str:
    """What columns a method is made for.

    Examples
    --------
    >>> taken_columns(METHODS["cisc"])
    'levels, also without an order; numbers are cut into levels'
    """
    return {
        "order": "any with an order",
        "whole numbers": "few whole numbers, or levels with an order; others are cut into levels",
        "levels": "levels, also without an order; numbers are cut into levels",
        "any": "any",
        "groups": "groups of columns only",
    }[card.takes]


def chosen_words(card: MethodCard) -> str:
    """Which defaults were chosen by looking at benchmark files, and how.

    Examples
    --------
    >>> chosen_words(METHODS["pnl"])
    'steps: 200 of several, as it comes nearest to the published accuracies'
    """
    return "; ".join(f"{name}: {how}" for name, how in card.chosen.items())


def marked(label: str, method: str, settings: str) -> str:
    """Name of a method in a table of accuracies, with the mark if it needs one.

    Parameters
    ----------
    label : str
        Name without a mark.
    method, settings : str
        Name in the table of methods, and all its settings as JSON.

    Examples
    --------
    >>> marked("pnl", "pnl", '{"steps": 200}'), marked("pnl:steps=50", "pnl", '{"steps": 50}')
    ('pnl †', 'pnl:steps=50')
    """
    return f"{label} {MARK}" if _chosen(method, settings) else label


def counted_answers(results: Results) -> list[Answers]:
    """Answers to pairs that have weight, methods marked that need a mark."""
    return [
        replace(one, label=marked(one.label, one.method, one.settings))
        for one in answers(results)
        if one.weight.any()
    ]


def table_notes(methods: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What a table of accuracies must say of the methods in it, named with their settings.

    Examples
    --------
    >>> list(table_notes([("bqcd", '{"published_ties": true}')]))
    ['Where values repeat, bqcd takes the order of ties of the published results (published_ties).']
    """
    asked = dict.fromkeys(methods)
    names: dict[str, dict[str, None]] = {}
    for method, settings in asked:
        for setting in _chosen(method, settings):
            names.setdefault(method, {})[setting] = None
    if names:
        told = ", ".join(f"{name} ({', '.join(settings)})" for name, settings in names.items())
        yield (
            f"{MARK} Defaults chosen by looking at benchmark files: {told}. "
            "`bqcd methods NAME` tells how."
        )
    orders = dict.fromkeys(
        order_of_ties(json.loads(settings)) for method, settings in asked if method == "bqcd"
    )
    if orders:
        yield f"Where values repeat, bqcd takes {'; or '.join(orders)}."


def order_of_ties(settings: Mapping[str, object]) -> str:
    """In what order bQCD breaks ties.

    Examples
    --------
    >>> order_of_ties({"published_ties": True})
    'the order of ties of the published results (published_ties)'
    """
    if settings.get("published_ties"):
        return "the order of ties of the published results (published_ties)"
    if jitters := settings.get("jitters"):
        return f"the mean over random orders of the ties (jitters={jitters})"
    return "the mean over fixed orders of the ties (its default)"


def ties_label(methods: Iterable[tuple[str, str]]) -> str:
    """In what orders bQCD breaks ties, short enough for a title; empty if it is not there.

    Examples
    --------
    >>> ties_label([("bqcd", "{}"), ("bqcd", '{"published_ties": true}'), ("coin", "{}")])
    'bqcd: ties in fixed orders, or as published'
    >>> ties_label([("coin", "{}")])
    ''
    """
    asked = (json.loads(settings) for name, settings in methods if name == "bqcd")
    found = dict.fromkeys(map(_short_order, asked))
    return f"bqcd: ties {', or '.join(found)}" if found else ""


def _short_order(settings: Mapping[str, object]) -> str:
    if settings.get("published_ties"):
        return "as published"
    if jitters := settings.get("jitters"):
        return f"in random orders ({jitters} a pair)"
    return "in fixed orders"


def _chosen(method: str, settings: str) -> list[str]:
    """Settings of a method whose defaults were chosen so, and which have their defaults."""
    if method not in METHODS or not METHODS[method].chosen:
        return []
    card, given = METHODS[method], json.loads(settings)
    usual = settings_of(card.build())
    return [
        name
        for name in card.chosen
        if name == VERSION or (name in given and given[name] == usual[name])
    ]
