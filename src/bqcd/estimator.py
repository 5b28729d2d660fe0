"""The verdict on a pair in the style of scikit-learn: fit, then read attributes."""

from __future__ import annotations

from collections.abc import Mapping

from bqcd.contract import Method, Verdict
from bqcd.errors import UnknownNameError
from bqcd.methods import decide
from bqcd.pair import Direction, Missing
from bqcd.settings import nearest_names


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
    direction_ : Direction
        Direction with the sign of the confidence.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=300)
    >>> DirectionEstimator(settings={"n_levels": 1}).fit(x, x**2).direction_.value
    '->'
    """

    verdict_: Verdict

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

    def fit(self, X: object, y: object = None) -> DirectionEstimator:
        """Judge two columns: ``X`` and ``y``, or the two columns of the table ``X``."""
        table, first, second = (None, X, y) if y is not None else (X, 0, 1)
        self.verdict_ = decide(
            first,
            second,
            table=table,
            method=self.method,
            seed=self.seed,
            missing=self.missing,
            **dict(self.settings or {}),
        )
        return self

    @property
    def confidence_(self) -> float:
        """Confidence of the verdict."""
        return self.verdict_.confidence

    @property
    def direction_(self) -> Direction:
        """Direction of the verdict."""
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
