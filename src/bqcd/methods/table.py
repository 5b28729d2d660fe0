"""The table of all methods, and how one is built by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import MappingProxyType

from bqcd.errors import (
    InvalidSettingError,
    UnknownNameError,
)
from bqcd.methods import (
    acid,
    anm,
    auto,
    bicam,
    cdci,
    chance,
    cisc,
    cure,
    danm,
    emd,
    entropic,
    gpi,
    gplvm,
    gran,
    grci,
    hcr,
    heci,
    igci,
    kcdc,
    lingam,
    loci,
    margins,
    origo,
    panel,
    pnl,
    reci,
    resit,
    roche,
    slope,
    sloppy,
    trace,
    vecci,
)
from bqcd.methods.bqcd import BQCD
from bqcd.methods.cards import MethodCard, Takes
from bqcd.methods.verdict import Method
from bqcd.runtime.settings import nearest_names

ALL_METHODS: Mapping[str, MethodCard] = MappingProxyType(
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
            *gplvm.CARDS,
            *cure.CARDS,
            *kcdc.CARDS,
            *danm.CARDS,
            *acid.CARDS,
            *cisc.CARDS,
            *entropic.CARDS,
            *hcr.CARDS,
            *origo.CARDS,
            *margins.CARDS,
            *panel.CARDS,
            *auto.CARDS,
            *chance.CARDS,
            *trace.CARDS,
            *vecci.CARDS,
        )
    }
)
"""Every method by name, whatever it takes: the one table. The others are parts of it."""


def _taking(*kinds: Takes) -> Mapping[str, MethodCard]:
    return MappingProxyType(
        {name: card for name, card in ALL_METHODS.items() if card.takes in kinds}
    )


METHODS = _taking("order", "whole numbers", "levels", "any")
"""Every method for pairs of columns by name."""

VECTOR_METHODS = _taking("groups")
"""Methods for groups of columns only, by name; ``TAKE_VECTORS`` names all that take groups."""

COMPARED = _taking("order")
"""Those for columns with an order, which comparisons on continuous columns are about."""


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

    A method of the table has its name there, whichever way it was made: what is known of it, such
    as whether it claims probabilities, does not depend on that.

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
    >>> named_method("decide", method, {})[0]
    'bqcd'
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
    return _name_of(method), method


def _name_of(method: Method) -> str:
    """Name in the table of a method that is in it with these settings, else that of its class."""
    for card in ALL_METHODS.values():
        build, fixed = _built(card)
        if type(method) is build and all(getattr(method, key) == fixed[key] for key in fixed):
            return card.name
    return type(method).__name__


def _built(card: MethodCard) -> tuple[object, Mapping[str, object]]:
    """What a card builds, and the settings that its name stands for."""
    build = card.build
    return (build.func, build.keywords) if isinstance(build, partial) else (build, {})


def card_of(name: str) -> MethodCard:
    """Card of the method called so.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    if not isinstance(name, str) or name not in ALL_METHODS:
        raise UnknownNameError(f"No method is called {name!r}. {_hint(str(name))}")
    return ALL_METHODS[name]


def _hint(name: str) -> str:
    """What else may have been meant."""
    known, colon, settings = name.partition(":")
    if colon and known in ALL_METHODS:
        return (
            f"Settings stand apart from the name {known!r} here: {settings or 'NAME=VALUE'} as an "
            "argument, or after --set on the command line."
        )
    return nearest_names(name, ALL_METHODS)


def _check_settings(card: MethodCard, settings: Mapping[str, object]) -> None:
    """Refuse settings the method does not have, and others than its name stands for."""
    build, fixed = _built(card)
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
