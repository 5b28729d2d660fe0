"""Invariant quantile prediction: causes of a target, from tables of several environments.

Given the causes of a target, its conditional quantiles are the same in all environments that do not
act on the target itself. Sets of predictors are tested for that, one by one; what is in all sets
that pass is a cause, with the confidence of the test [1]_.

References
----------
.. [1] Peters, Bühlmann, Meinshausen. Causal inference by using invariant prediction: identification
and
   confidence intervals. JRSS B 2016. Heinze-Deml, Peters, Meinshausen. Invariant causal prediction
   for nonlinear models. Journal of Causal Inference 2018.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import TYPE_CHECKING

import numpy as np

from bqcd.assessments.third_columns import ThirdColumn, third_column
from bqcd.data.pair import Missing
from bqcd.data.places import positions_of
from bqcd.data.tables import held_table, open_table
from bqcd.errors import InvalidSettingError, InvalidTableError
from bqcd.graphs.orienting.table import complete_columns
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import check_integer, check_number
from bqcd.runtime.shown import shown
from bqcd.statistics.level_tests import chosen_inputs, level_test
from bqcd.statistics.splines.level_models import LevelModels

if TYPE_CHECKING:
    from bqcd.runtime.shown import Sheet

# Rows of an environment, and environments.
_FEWEST_ROWS, _MOST_ENVIRONMENTS = 20, 50


@dataclass(frozen=True, slots=True)
class PredictorSet:
    """A set of predictors, and whether the target's quantiles given it are the same everywhere.

    Parameters
    ----------
    predictors : tuple of str
        The set, which may be empty.
    p_value : float
        Probability of levels that differ so much between environments if they do not.
    accepted : bool
        Whether it is larger than alpha.
    """

    predictors: tuple[str, ...]
    p_value: float
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InvariantCauses:
    """Which predictors are in every set whose conditional quantiles are invariant.

    Parameters
    ----------
    target, environment : str
        Names of the columns.
    environments : dict of str to int
        Rows of each environment.
    alpha : float
        Level of the tests: with this probability at most, a column is named that is no cause.
    predictors : tuple of str
        Those whose subsets were tested.
    left_out : tuple of str
        Those that screening left out.
    sets : tuple of PredictorSet
        Every subset, small ones first.
    """

    target: str
    environment: str
    environments: dict[str, int]
    alpha: float
    predictors: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    sets: tuple[PredictorSet, ...] = field(default=(), repr=False)

    @property
    def accepted(self) -> tuple[PredictorSet, ...]:
        """Sets that pass, the largest p-value first."""
        return tuple(
            sorted((one for one in self.sets if one.accepted), key=lambda one: -one.p_value)
        )

    @property
    def causes(self) -> tuple[str, ...]:
        """What is in all sets that pass; nothing if none does."""
        passed = self.accepted
        return tuple(
            name
            for name in self.predictors
            if passed and all(name in one.predictors for one in passed)
        )

    @property
    def plausible(self) -> tuple[str, ...]:
        """What is in any set that passes."""
        return tuple(
            name for name in self.predictors if any(name in one.predictors for one in self.accepted)
        )

    @property
    def p_values(self) -> dict[str, float]:
        """Of each predictor, that it is no cause: the largest p-value of a set without it.

        1 for all where no set passes: the model does not fit, and nothing is said.
        """
        if not self.accepted:
            return dict.fromkeys(self.predictors, 1.0)
        return {
            name: max(one.p_value for one in self.sets if name not in one.predictors)
            for name in self.predictors
        }

    @property
    def summary(self) -> str:
        """What was found, in words."""
        return str(shown(self, "summary"))

    def sheet(self) -> Sheet:
        """Predictors with their p-values, for reading."""
        sheet: Sheet = shown(self, "sheet")
        return sheet

    def as_dict(self) -> dict[str, object]:
        """All of it, ready for JSON."""
        return {
            "target": self.target,
            "environment": self.environment,
            "environments": dict(self.environments),
            "alpha": self.alpha,
            "causes": list(self.causes),
            "plausible": list(self.plausible),
            "p_values": self.p_values,
            "predictors": list(self.predictors),
            "left_out": list(self.left_out),
            "n_sets": len(self.sets),
            "accepted": [
                {"predictors": list(one.predictors), "p": one.p_value} for one in self.accepted
            ],
        }


def invariant_causes(
    table: object,
    target: str | int,
    environment: str | int,
    *,
    predictors: Sequence[str | int] | None = None,
    alpha: float = 0.05,
    max_predictors: int = 8,
    n_basis: int = 10,
    missing: Missing = "raise",
) -> InvariantCauses:
    """Causes of a target: predictors given which its quantiles are the same in all environments.

    Of the target, conditional quantiles given each subset of the predictors are fitted to all rows:
    location and log-scale are sums of splines. Then levels of the rows are compared between
    environments, in location, scale and skewness: pinball residuals integrated over the levels with
    three weights. So a set fails also where an environment changes the spread only, which means do
    not show.

    Parameters
    ----------
    table : path, data frame, mapping or ndarray of shape (n, k)
        Rows of all environments, one below the other.
    target : str or int
        Column whose causes are asked for: its name or position.
    environment : str or int
        Column that says which environment a row is from: text, or numbers that repeat.
    predictors : sequence of str or int, optional
        Columns that may be causes. Default: all others.
    alpha : float, default=0.05
        Sets pass whose p-value is larger.
    max_predictors : int, default=8
        Of more predictors so many are kept: those that levels of the target depend on most, each
        given those kept before. All their subsets are tested, 256 for 8.
    n_basis : int, default=10
        Dimension of the splines.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which a value is missing.

    Returns
    -------
    InvariantCauses
        Causes, p-values and sets.

    Raises
    ------
    InvalidTableError
        If a column is absent, no number, constant or missing values, or environments are fewer than
        two, more than 50, or have fewer than 20 rows.
    InvalidSettingError
        If a setting is out of range.

    Notes
    -----
    Environments must not act on the target itself, and all causes that they act on must be columns,
    or nothing is found. Subsets are tested, so a column that is left out by screening cannot be
    found, and with a cause left out it may be that no set passes. The guarantee is for columns that
    are named: what is not named may still be a cause.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> where = np.repeat(["north", "south"], 300)
    >>> x = rng.normal(size=600) + 1.5 * (where == "south")
    >>> y = x + 0.5 * np.sin(2.0 * x) + 0.5 * rng.normal(size=600)
    >>> z = y + np.where(where == "south", 1.5, 0.5) * rng.normal(size=600)
    >>> found = invariant_causes({"x": x, "y": y, "z": z, "where": where}, "y", "where")
    >>> found.causes
    ('x',)
    """
    check_number("invariant_causes", "alpha", alpha, above=0.0, at_most=0.5)
    check_integer("invariant_causes", "max_predictors", max_predictors, minimum=1, maximum=16)
    check_integer("invariant_causes", "n_basis", n_basis, minimum=3, maximum=1_000)
    columns, where = _columns(held_table(table), target, environment, predictors, missing)
    own, *others = columns
    models = LevelModels(list(columns.values()), n_basis)
    places = _screened(models, max_predictors)
    kept = [others[at - 1] for at in places]
    return InvariantCauses(
        target=own,
        environment=where.name,
        environments=_counts(where),
        alpha=float(alpha),
        predictors=tuple(kept),
        left_out=tuple(name for name in others if name not in kept),
        sets=tuple(_tested(models, places, kept, _contrasts(where), alpha)),
    )


def _columns(
    table: object,
    target: str | int,
    environment: str | int,
    predictors: Sequence[str | int] | None,
    missing: Missing,
) -> tuple[dict[str, Vector], ThirdColumn]:
    """Target and predictors in complete rows, the target first; and the environment of these."""
    names, columns_at = open_table(table)
    told = [str(name) for name in names]
    own, place = positions_of(told, [target, environment])
    others = [at for at in positions_of(told, predictors) if predictors or at not in (own, place)]
    for at, what in ((own, "the target"), (place, "the environment")):
        if at in others:
            raise InvalidSettingError(f"predictors must not have {what}, got {told[at]!r}.")
    if not others:
        raise InvalidTableError(
            f"A table must have columns beside {told[own]!r} and {told[place]!r}, got none."
        )
    where = third_column(columns_at(place)[0], told[place], grouping=True)
    values = columns_at(own, *others)
    used = {told[at]: column for at, column in zip([own, *others], values, strict=True)}
    columns = complete_columns({**used, where.name: where.values}, missing=missing)
    where = ThirdColumn(where.name, columns.pop(where.name), where.labels)
    _check_environments(where)
    return columns, where


def _counts(where: ThirdColumn) -> dict[str, int]:
    """Rows of each environment that has some."""
    counts = np.bincount(where.groups, minlength=len(where.labels)).tolist()
    return {label: count for label, count in zip(where.labels, counts, strict=True) if count}


def _check_environments(where: ThirdColumn) -> None:
    counts = _counts(where)
    if not 2 <= len(counts) <= _MOST_ENVIRONMENTS:
        raise InvalidTableError(
            f"Column {where.name!r} must tell 2 to {_MOST_ENVIRONMENTS} environments apart, got "
            f"{len(counts)} different values."
        )
    label = min(counts, key=lambda label: counts[label])
    if counts[label] < _FEWEST_ROWS:
        raise InvalidTableError(
            f"Environments of {where.name!r} must have at least {_FEWEST_ROWS} rows, got "
            f"{counts[label]} of {label!r}."
        )


def _contrasts(where: ThirdColumn) -> Matrix:
    """Indicators of all environments but the first."""
    _, groups = np.unique(where.groups, return_inverse=True)
    return np.array([groups == group for group in range(1, groups.max() + 1)], dtype=np.float64)


def _screened(models: LevelModels, most: int) -> list[int]:
    """Predictors of the target, which is the first column, by the strength of their tests."""
    others = list(range(1, models.n_nodes))
    return others if len(others) <= most else sorted(chosen_inputs(models, 0, others, most=most))


def _tested(
    models: LevelModels,
    places: Sequence[int],
    names: Sequence[str],
    contrasts: Matrix,
    alpha: float,
) -> Iterator[PredictorSet]:
    """Every subset, small ones first."""
    for at in chain.from_iterable(
        combinations(range(len(places)), k) for k in range(len(places) + 1)
    ):
        model = models.fit(0, [places[i] for i in at])
        p_value = level_test(model, contrasts).p_value
        yield PredictorSet(tuple(names[i] for i in at), p_value, p_value > alpha)
