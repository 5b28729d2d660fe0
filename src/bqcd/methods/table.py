"""The table of all methods, and the short way to a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from types import MappingProxyType

import numpy as np

from bqcd.data.pair import Missing, Pair
from bqcd.data.weights import WeightedPair, observed_pair
from bqcd.discovery.bqcd import BQCD
from bqcd.errors import (
    InvalidPairError,
    InvalidSettingError,
    InvalidVerdictError,
    UnknownNameError,
)
from bqcd.methods import (
    anm,
    bicam,
    cdci,
    chance,
    cure,
    emd,
    gpi,
    gran,
    grci,
    heci,
    igci,
    lingam,
    loci,
    pnl,
    reci,
    resit,
    roche,
    slope,
    sloppy,
)
from bqcd.methods.averaging import averaged_verdict
from bqcd.methods.verdict import Method, MethodCard, Verdict
from bqcd.runtime.seeds import seed_from
from bqcd.runtime.settings import check_integer, nearest_names

METHODS: Mapping[str, MethodCard] = MappingProxyType(
    {
        card.name: card
        for card in (
            MethodCard(
                name="bqcd",
                build=BQCD,
                assumes="the shorter quantile code is the causal one (independent mechanisms)",
                reference="Tagasovska, Chavez-Demoulin, Vatter: Distinguishing cause from "
                "effect using quantiles, ICML 2020",
                cost="n log n",
                seconds=0.0003,
                seconds_beyond=(0.0012, 0.014, 0.1),
                varies=6e-15,
                unchanged_by=frozenset({"shift and scale", "increasing maps"}),
            ),
            *igci.CARDS,
            *anm.CARDS,
            *resit.CARDS,
            *emd.CARDS,
            *lingam.CARDS,
            *reci.CARDS,
            *bicam.CARDS,
            *slope.CARDS,
            *sloppy.CARDS,
            *grci.CARDS,
            *heci.CARDS,
            *cdci.CARDS,
            *pnl.CARDS,
            *gran.CARDS,
            *loci.CARDS,
            *roche.CARDS,
            *gpi.CARDS,
            *cure.CARDS,
            *chance.CARDS,
        )
    }
)
"""Every method by name. The only place that knows all of them."""


def make_method(name: str, /, **settings: object) -> Method:
    """Method built by name.

    Raises
    ------
    UnknownNameError
        If no method is called ``name``, or the method has no setting of a given name.
    InvalidSettingError
        If a setting is outside its range, or contradicts the name: ``"igci-u"`` is IGCI
        with uniform reference and no other.
    MissingPackageError
        If the method needs an optional package that is not installed.

    Examples
    --------
    >>> make_method("bqcd", n_levels=7).n_levels
    7
    """
    card = card_of(name)
    _check_settings(card, settings)
    return card.build(**settings)


def named_method(
    owner: str, method: str | Method, settings: Mapping[str, object]
) -> tuple[str, Method]:
    """Name and method, from a name with settings or from a method that has its own.

    Parameters
    ----------
    owner : str
        What asks, for messages.
    method : str or Method
        A name in ``METHODS``, or any object with a method ``decide``.
    settings : mapping of str to object
        Settings that go with a name.

    Raises
    ------
    UnknownNameError
        As :func:`make_method`.
    InvalidSettingError
        If settings come with a method that is no name, or it is no method.

    Examples
    --------
    >>> name, method = named_method("decide", "bqcd", {"n_levels": 7})
    >>> name, method.n_levels
    ('bqcd', 7)
    """
    if isinstance(method, str):
        return method, make_method(method, **settings)
    if settings:
        raise InvalidSettingError(
            f"Settings go with a method's name, got {sorted(settings)} next to {method!r}."
        )
    if isinstance(method, type) or not isinstance(method, Method):
        raise InvalidSettingError(
            f"method of {owner} must be a name or have a method decide(pair, rng), got {method!r}."
        )
    return type(method).__name__, method


def card_of(name: str) -> MethodCard:
    """Card of the method called so.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    if not isinstance(name, str) or name not in METHODS:
        raise UnknownNameError(f"No method is called {name!r}. {nearest_names(str(name), METHODS)}")
    return METHODS[name]


def _check_settings(card: MethodCard, settings: Mapping[str, object]) -> None:
    """Refuse settings the method does not have, and others than its name stands for."""
    build: object = card.build
    fixed: Mapping[str, object] = {}
    if isinstance(build, partial):
        fixed, build = build.keywords, build.func
    if not is_dataclass(build):
        return
    known = [field.name for field in fields(build)]
    for setting, value in settings.items():
        if setting not in known:
            hint = nearest_names(setting, known) if known else "It has none."
            raise UnknownNameError(f"The method {card.name!r} has no setting {setting!r}. {hint}")
        if setting in fixed and value != fixed[setting]:
            raise InvalidSettingError(
                f"{setting} of the method {card.name!r} must be {fixed[setting]!r}, got {value!r}."
            )


def decide(
    x: object,
    y: object,
    *,
    table: object = None,
    method: str | Method = "bqcd",
    seed: int = 0,
    missing: Missing = "raise",
    weights: object = None,
    **settings: object,
) -> Verdict:
    """Say which of two columns causes the other.

    Parameters
    ----------
    x, y : array-like of shape (n,), or column names
        Numeric columns, row by row observed together; with ``table``, the names or
        0-based positions of two of its columns. Ties are allowed.
    table : pandas, polars or pyarrow table, 2-D array or mapping of columns, optional
        Where to look ``x`` and ``y`` up.
    method : str or Method, default="bqcd"
        A name listed by ``bqcd methods``, or any object with a ``decide`` method.
    seed : int, default=0
        Seed of the generator handed to the method.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which a value, or the weight, is missing.
    weights : array-like of shape (n,), or a column name, optional
        What each row counts for: the inverse of its chance to be in the data. Only ratios
        matter; a row of weight 0 is left out. Default: all rows count the same.
    **settings
        Settings of the method, e.g. ``n_levels=7`` or ``regressor="forest"``.

    Returns
    -------
    Verdict

    Notes
    -----
    A causal link is taken for granted, and confounding, selection and feedback are taken
    to be absent. The verdict says which direction describes the data more briefly; on
    data that break these assumptions it still says so.

    With weights, any method judges random draws of rows, with chances in proportion to the
    weights, and the mean of its confidences counts: 8 to 100 draws, each of fewer rows than there
    are, see :class:`bqcd.data.weights.WeightedPair`. That undoes a selection of rows whose
    chances are known.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=1000)
    >>> y = np.exp(x) * (1.0 + 0.2 * rng.normal(size=1000)) + x**2
    >>> decide(x, y).direction.value
    '->'
    >>> decide(y, x).direction.value
    '<-'

    Large values of y were recorded half as often as others:

    >>> chance = np.where(y > 2.0, 0.5, 1.0)
    >>> seen = rng.random(1000) < chance
    >>> verdict = decide(x[seen], y[seen], weights=1.0 / chance[seen])
    >>> verdict.direction.value, verdict.weighting.draw_rows < verdict.n_rows
    ('->', True)
    """
    pair = observed_pair(x, y, table=table, missing=missing, weights=weights)
    return decide_pair(pair, method=method, seed=seed, **settings)


def decide_pair(
    pair: Pair | WeightedPair,
    /,
    *,
    method: str | Method = "bqcd",
    seed: int = 0,
    **settings: object,
) -> Verdict:
    """Verdict on a pair that was built before; see :func:`decide`."""
    check_integer("decide", "seed", seed, minimum=0)
    if not isinstance(pair, Pair | WeightedPair):
        raise InvalidPairError(f"decide_pair takes a Pair, got {type(pair).__name__}.")
    name, judge = named_method("decide", method, settings)
    if isinstance(pair, WeightedPair):
        verdict, pair = judged_by_weight(judge, name, pair, seed), pair.pair
    else:
        verdict = judged(judge, name, pair, seed)
    return replace(verdict, pair=pair, method=judge, name=name, seed=seed)


def judged(method: Method, name: str, pair: Pair, seed: int) -> Verdict:
    """What a method says of a pair, as it says it.

    Raises
    ------
    InvalidVerdictError
        If that is no verdict.
    """
    verdict = method.decide(pair, np.random.default_rng(seed))
    if not isinstance(verdict, Verdict):
        raise InvalidVerdictError(f"The method {name} must return a Verdict, got {verdict!r}.")
    return verdict


def judged_by_weight(
    method: Method, name: str, weighted: WeightedPair, seed: int, *, draws: int | None = None
) -> Verdict:
    """What a method says of draws of weighted rows, on average.

    bQCD uses the levels it would use on as many rows as the weighted ones are worth.

    Parameters
    ----------
    method : Method
        Who judges.
    name : str
        What it is called, for messages.
    weighted : WeightedPair
        Rows and weights.
    seed : int
        Of the draws, and of the generators handed to the method.
    draws : int, optional
        How many. Default: as many as the weights demand.

    Raises
    ------
    InvalidVerdictError
        If the method gives back no verdict.
    """
    if isinstance(method, BQCD) and weighted.effective_rows >= method.small_n:
        method = replace(method, small_n=0)
    found = [
        tuple(judged(method, name, pair, seed_from(seed, "judge", at)) for pair in drawn)
        for at, drawn in enumerate(weighted.drawn(seed=seed, draws=draws))
    ]
    return averaged_verdict(found, weighted)
