"""Keys and seeds of tasks: what they depend on, and what they do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bqcd.benchmark.running.contenders import contenders
from bqcd.benchmark.running.tasks import TaskKey, plan
from tests.benchmark.running.small_sets import small_set

KEY = TaskKey("small", "small/1", "bqcd", '{"n_levels": 3}', 0)


def planned(methods=("bqcd", "coin"), names=("one", "two"), *, repeats=2, seed=0):
    return list(
        plan(contenders(methods), [small_set(name) for name in names], repeats=repeats, seed=seed)
    )


def test_tasks_come_by_benchmark_method_repetition_and_pair():
    keys = [task.key for task in planned()]
    assert len(keys) == 2 * 2 * 2 * 6
    order = [
        (["one", "two"].index(key.pairset), ["bqcd", "coin"].index(key.method), key.repeat)
        for key in keys
    ]
    assert order == sorted(order)
    assert [key.pair for key in keys[:7]] == [*(f"one/{i}" for i in range(1, 7)), "one/1"]


def test_every_task_has_a_key_and_a_seed_of_its_own():
    tasks = planned()
    assert len({task.key for task in tasks}) == len(tasks)
    assert len({task.seed for task in tasks}) == len(tasks)


def test_places_point_at_the_method_and_the_pair_of_the_key():
    sets = [small_set("one", 4), small_set("two", 3)]
    field = contenders(["bqcd", "coin"])
    pairs = [item.pair for pairset in sets for item in pairset]
    for task in plan(field, sets, repeats=1, seed=0):
        assert pairs[task.pair].key == task.key.pair
        assert field[task.contender].name == task.key.method


def test_a_seed_does_not_depend_on_what_else_is_run():
    seeds = {task.key: task.seed for task in planned()}
    others = planned(("coin", "bqcd:n_levels=7", "bqcd"), ("two", "three", "one"), repeats=3)
    again = {task.key: task.seed for task in others}
    assert seeds.items() <= again.items()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("pairset", "large"),
        ("pair", "small/2"),
        ("method", "coin"),
        ("settings", '{"n_levels": 5}'),
        ("repeat", 1),
    ],
)
def test_each_part_of_the_key_changes_the_seed(field, value):
    assert KEY._replace(**{field: value}).seed(0) != KEY.seed(0)


def test_the_seed_of_the_benchmark_changes_every_seed():
    first, second = planned(seed=0), planned(seed=1)
    assert all(a.seed != b.seed for a, b in zip(first, second, strict=True))


def test_seeds_stay_what_they_were():
    # Another rule would make every folder of results useless that was begun before.
    assert KEY.seed(0) == 7575915022760777188
    assert KEY._replace(pair="größe/1").seed(7) == 4256240549053998508


def test_truth_and_weight_have_no_part_in_a_task():
    pairs = small_set()
    turned = replace(
        pairs, items=tuple(replace(i, truth=i.truth.flipped(), weight=9.0) for i in pairs)
    )
    field = contenders(["bqcd"])
    before, after = (list(plan(field, [one], repeats=1, seed=0)) for one in (pairs, turned))
    assert before == after
