"""The verdict on a pair in the style of scikit-learn: fit, then read attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bqcd.data.pair import Direction, Missing
from bqcd.data.tables import columns_of_rows, open_table
from bqcd.errors import InvalidTableError, UnknownNameError
from bqcd.methods.answers import Answer
from bqcd.methods.decide import decide
from bqcd.methods.verdict import Method, Verdict
from bqcd.runtime.optional import require
from bqcd.runtime.settings import nearest_names


class DirectionEstimator:
    """Which of two columns is the cause, as an estimator that pipelines can clone.

    Parameters
    ----------
    method : str or Method, default="bqcd"
        A name listed by ``bqcd methods``, or any object with a ``decide`` method.
    seed : int, default=0
        Seed of the generator handed to the method.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which either value is missing.
    settings : mapping, default=None
        Settings of the method by name.

    Attributes
    ----------
    verdict_ : Verdict
        Everything that was found.
    confidence_ : float
        Positive if the first column causes the second.
    answer_ : {"clear", "leaning", "cannot tell"}
        What may be said of the direction.
    direction_ : Direction
        Direction of the answer: undecided where it cannot be told.
    n_features_in_ : int
        Columns of ``X``: two if it was a table, one if ``y`` was given.
    feature_names_in_ : ndarray of shape (2,)
        Names of the table's columns; only where it has names, all of them text.

    Notes
    -----
    scikit-learn's conventions hold as far as they make sense for a question that is asked once:
    parameters are kept as given and checked in :meth:`fit`, and ``clone``, pipelines and
    ``check_is_fitted`` work. There is no ``predict``, ``transform`` or ``score``, as rows have
    no answers of their own, and the truth to score against is what is not known.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=300)
    >>> DirectionEstimator(settings={"n_levels": 1}).fit(x, x**2).direction_.value
    '->'
    """

    verdict_: Verdict
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        method: str | Method = "bqcd",
        *,
        seed: int = 0,
        missing: Missing = "raise",
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.method = method
        self.seed = seed
        self.missing: Missing = missing
        self.settings = settings

    def fit(self, X: Any, y: Any = None) -> DirectionEstimator:
        """Judge two columns: ``X`` and ``y``, or the two columns of the table ``X``.

        Parameters
        ----------
        X : array-like of shape (n,) or (n, 1), or table with two columns
            First column, or both.
        y : array-like of shape (n,), default=None
            Second column.

        Raises
        ------
        InvalidTableError
            If ``y`` is not given and ``X`` is no table with two columns.
        InvalidPairError
            If the columns cannot be judged.
        """
        if y is None:
            table = columns_of_rows(X) if isinstance(X, list | tuple) else X
            names = _two_columns(table, has_names=not isinstance(X, list | tuple | np.ndarray))
            first, second = 0, 1
        else:
            table, names = None, ()
            first, second = _flat(X), y
        settings: dict[str, Any] = dict(self.settings or {})
        self.verdict_ = decide(
            first,
            second,
            table=table,
            method=self.method,
            seed=self.seed,
            missing=self.missing,
            **settings,
        )
        self.n_features_in_ = 2 if y is None else 1
        vars(self).pop("feature_names_in_", None)
        if names:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        return self

    @property
    def confidence_(self) -> float:
        """Confidence of the verdict."""
        return self.verdict_.confidence

    @property
    def answer_(self) -> Answer:
        """What may be said of the direction."""
        return self.verdict_.answer

    @property
    def direction_(self) -> Direction:
        """Direction of the answer: undecided where it cannot be told."""
        return self.verdict_.direction

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Parameters by name, as scikit-learn's ``clone`` asks for them."""
        return {name: getattr(self, name) for name in ("method", "seed", "missing", "settings")}

    def set_params(self, **parameters: object) -> DirectionEstimator:
        """Change parameters by name."""
        known = self.get_params()
        for name, value in parameters.items():
            if name not in known:
                hint = nearest_names(name, known)
                raise UnknownNameError(f"DirectionEstimator has no parameter {name!r}. {hint}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = DirectionEstimator().get_params()
        told = (f"{k}={v!r}" for k, v in self.get_params().items() if v != defaults[k])
        return f"DirectionEstimator({', '.join(told)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "verdict_")

    def __sklearn_tags__(self) -> Any:
        needed_by = "DirectionEstimator in a pipeline"
        utils = require("sklearn.utils", extra="sklearn", needed_by=needed_by)
        return utils.Tags(
            estimator_type=None,
            target_tags=utils.TargetTags(required=False),
            input_tags=utils.InputTags(allow_nan=self.missing == "drop"),
        )


def _flat(column: Any) -> Any:
    """Column of an array that has no other, anything else as it is."""
    if not isinstance(column, np.ndarray) or column.ndim != 2 or column.shape[1] != 1:
        return column
    return (np.asarray(column) if isinstance(column, np.matrix) else column)[:, 0]


def _two_columns(table: object, *, has_names: bool) -> Sequence[object]:
    """Names of the two columns of a table; empty if they are not all text."""
    names, _ = open_table(table)
    if len(names) != 2:
        raise InvalidTableError(
            f"A table must have two columns to be judged as one pair, got {len(names)}; give two "
            "of them as fit(x, y), or see bqcd.scan for all pairs."
        )
    return names if has_names and all(isinstance(name, str) for name in names) else ()
