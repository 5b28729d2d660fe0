"""Tables with a third column of a known kind, and with columns that have nothing to do with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bqcd.assessments import assess

Table = dict[str, NDArray[Any]]
ROWS = 400


def curve(rng: Generator, n: int) -> Table:
    """A direction that is seen."""
    x, noise = rng.normal(size=(2, n))
    return {"x": x, "y": x**2 + 0.5 * x + 0.5 * noise}


def weak(rng: Generator, n: int) -> Table:
    """A link that is just seen."""
    x, noise = rng.normal(size=(2, n))
    return {"x": x, "y": 0.25 * x + noise}


def strong(rng: Generator, n: int) -> Table:
    """A strong link without a direction."""
    x, noise = rng.normal(size=(2, n))
    return {"x": x, "y": x + 0.4 * noise}


ALARM_PAIRS: Mapping[str, Callable[[Generator, int], Table]] = {
    "curve": curve,
    "weak linear": weak,
    "strong linear": strong,
}


def unrelated(rng: Generator, n: int, count: int) -> Table:
    """Columns of numbers and of groups in turn that have nothing to do with a pair."""
    made: Table = {}
    for at in range(count):
        made[f"number {at}"] = rng.standard_t(4, size=n)
        made[f"group {at}"] = rng.choice(np.array(list("abcd")), size=n)
    return dict(list(made.items())[:count])


def alarms(name: str, width: int, tables: int) -> dict[str, Any]:
    """How often one of so many unrelated columns is taken for one that explains the link."""
    rng = np.random.default_rng([width, len(name)])
    passed = called = 0
    for _ in range(tables):
        table = ALARM_PAIRS[name](rng, ROWS) | unrelated(rng, ROWS, width)
        looked = assess("x", "y", table=table, replicates=10, method="bqcd").looked
        passed += looked is not None and looked.n_given > 0
        called += looked is not None and looked.separator is not None
    return {"pair": name, "columns": width, "tables": tables, "passed": passed, "alarms": called}


def simpson(rng: Generator, n: int) -> Table:
    """Groups whose means fall where values within them rise."""
    group = rng.integers(3, size=n)
    within = rng.normal(size=n)
    x = 2.5 * group + within
    return {"x": x, "y": -2.5 * group + 0.9 * within + 0.5 * rng.normal(size=n), "z": _named(group)}


def common_cause(rng: Generator, n: int) -> Table:
    """A cause of both, and no other link."""
    z, *noise = rng.normal(size=(3, n))
    return {"x": z + 0.6 * noise[0], "y": np.tanh(z) + 0.4 * noise[1], "z": z}


def common_groups(rng: Generator, n: int) -> Table:
    """Groups that differ in both columns, and no other link."""
    group = rng.integers(4, size=n)
    x, y = rng.normal(size=(2, n)) + 1.5 * group
    return {"x": x, "y": y, "z": _named(group)}


def mediator(rng: Generator, n: int) -> Table:
    """What lies between cause and effect."""
    x, *noise = rng.normal(size=(3, n))
    z = x + 0.5 * x**2 + 0.6 * noise[0]
    return {"x": x, "y": np.tanh(z) + 0.4 * noise[1], "z": z}


def collider(rng: Generator, n: int) -> Table:
    """An effect of both, which have nothing to do with each other."""
    x, y, noise = rng.normal(size=(3, n))
    return {"x": x, "y": y, "z": x + y + 0.5 * noise}


def total(rng: Generator, n: int) -> Table:
    """The sum of cause and effect."""
    x, noise = rng.normal(size=(2, n))
    y = 0.8 * x + noise
    return {"x": x, "y": y, "z": x + y + 0.3 * rng.normal(size=n)}


def other_cause(rng: Generator, n: int) -> Table:
    """Another cause of the cause alone."""
    z, *noise = rng.normal(size=(3, n))
    x = 0.7 * z + noise[0]
    return {"x": x, "y": x**2 + 0.5 * x + 0.5 * noise[1], "z": z}


def copy(rng: Generator, n: int) -> Table:
    """The cause measured again."""
    x, *noise = rng.normal(size=(3, n))
    return {"x": x, "y": x**2 + 0.5 * x + 0.5 * noise[0], "z": x + 0.05 * noise[1]}


CASES: Mapping[str, Callable[[Generator, int], Table]] = {
    "groups of Simpson's kind": simpson,
    "a common cause, numbers": common_cause,
    "a common cause, groups": common_groups,
    "a mediator": mediator,
    "an effect of both (collider), which are unrelated": collider,
    "an effect of both (a total), which are related": total,
    "a cause of the cause": other_cause,
    "a copy of the cause": copy,
}


def case_outcomes(name: str, tables: int) -> dict[str, Any]:
    """What becomes of the link once the third column is given, in how many tables."""
    rng = np.random.default_rng([7, len(name)])
    found: Counter[str] = Counter()
    for _ in range(tables):
        table = CASES[name](rng, ROWS)
        survival = assess("x", "y", table=table, given="z", replicates=10, method="bqcd").survival
        assert survival is not None
        found[survival.outcome] += 1
    return {"case": name, "tables": tables, "outcomes": dict(found)}


def _named(group: NDArray[np.int64]) -> NDArray[np.str_]:
    return np.array(["red", "green", "blue", "white"])[group]
