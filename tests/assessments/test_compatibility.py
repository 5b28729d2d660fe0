"""How far verdicts fit together: known answers, coins, and tables whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import bqcd
from bqcd.assessments.compatibility import (
    MOST_COLUMNS,
    Compatibility,
    among_most_linked,
    circle_demands,
    collider_demands,
    compatibility_of,
    seen_triples,
)
from bqcd.benchmark.datasets.generators.networks import simulate_table
from bqcd.graphs.partial import PartialGraph
from bqcd.scans.fitting import demands_on, verdicts_of


def fit(verdicts, **triples):
    asked = {"colliders": [], "others": [], **triples}
    demands = [*circle_demands(verdicts), *collider_demands(verdicts, **asked)]
    return compatibility_of(verdicts, demands)


def test_a_circle_breaks_one_of_two_demands_and_an_order_none():
    circle = fit({("a", "b"): 1, ("b", "c"): 1, ("a", "c"): -1})
    order = fit({("a", "b"): 1, ("b", "c"): 1, ("a", "c"): 1})
    assert (circle.demands, circle.broken, circle.circling) == (2, 1, 3)
    assert (order.demands, order.broken, order.circling) == (2, 0, 0)
    # Two of the eight ways to turn three coins are circles.
    assert order.expected == 0.25


def test_independent_causes_must_both_point_at_their_effect():
    right = fit({("a", "c"): 1, ("b", "c"): 1}, colliders=[("a", "c", "b")])
    wrong = fit({("a", "c"): -1, ("b", "c"): -1}, colliders=[("a", "c", "b")])
    assert (right.demands, right.broken, right.fit) == (2, 0, 1.0)
    assert (wrong.broken, wrong.fit) == (2, -1.0)


def test_what_a_column_separates_is_not_both_its_cause():
    triple = [("a", "b", "c")]
    assert fit({("a", "b"): 1, ("b", "c"): 1}, others=triple).broken == 0
    assert fit({("a", "b"): -1, ("b", "c"): 1}, others=triple).broken == 0
    collider = fit({("a", "b"): 1, ("b", "c"): -1}, others=triple)
    assert (collider.demands, collider.broken, collider.expected) == (1, 1, 0.25)


def test_longer_circles_are_counted_in_verdicts():
    ring = {("a", "b"): 1, ("b", "c"): 1, ("c", "d"): 1, ("a", "d"): -1, ("d", "e"): 1}
    assert fit(ring).circling == 4


def test_without_demands_nothing_is_told():
    found = fit({("a", "b"): 1})
    assert np.isnan(found.fit)
    assert found.as_dict()["fit"] is None
    assert "cannot be told from 0 demands" in found.sentence


def test_the_p_value_of_coins_is_small_as_often_as_it_should_be():
    rng = np.random.default_rng(0)
    names = [f"n{at}" for at in range(7)]
    links = [(a, b) for at, a in enumerate(names) for b in names[at + 1 :]]
    small = 0
    for _ in range(200):
        verdicts = {link: int(rng.choice([-1, 1])) for link in links}
        small += fit(verdicts).p_value <= 0.1
    # The p-value is discrete, so that it is small at most as often.
    assert small <= binom.ppf(0.999, 200, 0.1)


def test_names_and_the_order_of_pairs_do_not_matter():
    rng = np.random.default_rng(1)
    table = simulate_table(6, n_rows=300, degree=2.4, mechanism="AN", rng=rng).columns
    found = bqcd.scan(table).compatibility(table)
    turned = {name: table[name] for name in reversed(list(table))}
    again = bqcd.scan(turned).compatibility(turned)
    assert (again.demands, again.broken) == (found.demands, found.broken)


def test_triples_are_seen_in_the_rows():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 800))
    c = a**2 + b + 0.3 * rng.normal(size=800)
    d = np.tanh(c) + 0.2 * rng.normal(size=800)
    table = {"a": a, "b": b, "c": c, "d": d}
    found = bqcd.scan(table)
    ends = [found.table[end].to_pylist() for end in ("x", "y")]
    names = [(min(pair), max(pair)) for pair in zip(*ends, strict=True)]
    p_values = dict(zip(names, found.numbers("p_value").tolist(), strict=True))
    links = [name for name, p in p_values.items() if p < 0.01]
    colliders, others = seen_triples(p_values, links, table)
    assert ("a", "c", "b") in colliders
    assert {("a", "c", "d"), ("b", "c", "d")} <= set(others)
    assert seen_triples(p_values, links) == (colliders, [])


def test_of_a_wide_table_the_most_linked_columns_are_looked_at():
    links = [(f"a{at:03d}", f"b{other:03d}") for at in range(40) for other in range(at)]
    kept = {name for link in among_most_linked(links) for name in link}
    assert len(kept) <= MOST_COLUMNS


def test_right_verdicts_fit_better_than_the_same_turned():
    right, turned, coin = [], [], []
    for at in range(6):
        rng = np.random.default_rng(at)
        table = simulate_table(8, n_rows=500, degree=2.4, mechanism="AN", rng=rng).columns
        found = bqcd.scan(table)
        verdicts = verdicts_of(found)
        demands = demands_on(found, verdicts, table)
        ways = (
            verdicts,
            {link: -sign for link, sign in verdicts.items()},
            {link: int(rng.choice([-1, 1])) for link in verdicts},
        )
        for kept, signs in zip((right, turned, coin), ways, strict=True):
            kept.append(compatibility_of(signs, demands))
    broken = [sum(one.broken for one in kept) for kept in (right, turned, coin)]
    assert broken[0] < 0.7 * broken[2]
    assert broken[0] < 0.7 * broken[1]


def test_the_sentence_says_which_way_it_is():
    fits = Compatibility(9, 20, 2, 8.5, 0.004, 0, {})
    coins = Compatibility(9, 20, 8, 8.5, 0.5, 3, {})
    worse = Compatibility(9, 20, 12, 8.5, 0.97, 0, {})
    assert fits.sentence.startswith("The 9 verdicts fit together: 2 of 20")
    assert "no better than coins" in coins.sentence
    assert coins.sentence.endswith("3 verdicts lie on circles of causes.")
    assert "worse than coins" in worse.sentence


def test_an_orientation_tells_how_its_verdicts_fit_the_graph():
    rng = np.random.default_rng(0)
    a = rng.normal(size=500)
    b = a**2 + 0.4 * rng.normal(size=500)
    c = np.sin(2.0 * b) + 0.4 * rng.normal(size=500)
    graph = PartialGraph(undirected=["ab", "bc"])
    found = bqcd.orient({"a": a, "b": b, "c": c}, graph, kind="cpdag")
    assert (found.compatibility.demands, found.compatibility.broken) == (1, 0)
    # b is an effect of both: its pairs say so, and the CPDAG says that it is not.
    table = {"a": a, "c": rng.normal(size=500)}
    table["b"] = a**2 + table["c"] ** 2 + 0.2 * rng.normal(size=500)
    wrong = bqcd.orient(table, graph, kind="cpdag")
    assert (wrong.compatibility.demands, wrong.compatibility.broken) == (1, 1)
    assert wrong.as_dict()["compatibility"]["broken"] == 1


@pytest.mark.parametrize("table", [None, "given"])
def test_the_report_of_a_scan_tells_it(table):
    pytest.importorskip("jinja2")
    rng = np.random.default_rng(2)
    columns = simulate_table(8, n_rows=500, degree=2.4, mechanism="AN", rng=rng).columns
    found = bqcd.scan(columns)
    fit = found.compatibility(columns if table else None)
    assert fit.demands > 5
    if table is None:
        assert fit.sentence.split(":")[0] in found.to_html()
