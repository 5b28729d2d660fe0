"""Who takes part in a benchmark: a method with its settings frozen, under a name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bqcd.errors import InvalidSettingError
from bqcd.methods.cards import MethodCard
from bqcd.methods.foreign import checked_method, foreign_method
from bqcd.methods.table import ALL_METHODS, make_method
from bqcd.methods.verdict import Method, settings_of


@dataclass(frozen=True)
class Contender:
    """A method ready to judge, and the name it goes by in results.

    Parameters
    ----------
    name : str
        Name in the column ``method`` of the results.
    method : Method
        The method, all settings given.
    given : mapping, optional
        Settings it was built with, for methods that do not tell theirs.
    """

    name: str
    method: Method
    given: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def settings(self) -> str:
        """Every setting of the method, defaults included, as JSON with sorted names."""
        return json.dumps({**self.given, **settings_of(self.method)}, sort_keys=True)


def contender(given: str | MethodCard | tuple[str, Method]) -> Contender:
    """Contender from what a user may write.

    Parameters
    ----------
    given : str, MethodCard or tuple of a name and a method
        As text, ``name``, ``name:setting=value:setting=value``, or
        ``package.module:attribute:setting=value`` for a class or function elsewhere that
        builds a method; values are JSON, or words.

    Raises
    ------
    UnknownNameError
        If no method has this name or no setting is called so.
    InvalidSettingError
        If a setting is outside its range, or what was given is none of the above.

    Examples
    --------
    >>> contender("bqcd:n_levels=7").method.n_levels
    7
    """
    if isinstance(given, MethodCard):
        return Contender(given.name, given.build())
    if isinstance(given, tuple):
        name, method = given
        return Contender(name, checked_method(method, name))
    if not isinstance(given, str):
        raise InvalidSettingError(
            "A method of a benchmark is a name, a MethodCard or (name, method), "
            f"got {type(given).__name__}."
        )
    name, *rest = _parts(given, ":")
    if name not in ALL_METHODS and rest and "=" not in rest[0]:
        return _foreign(f"{name}:{rest[0]}", rest[1:])
    return Contender(name, make_method(name, **_settings(given, rest)))


def contenders(given: Sequence[str | MethodCard | tuple[str, Method]]) -> list[Contender]:
    """Contenders in the order given; one that comes twice is refused."""
    found: dict[tuple[str, str], Contender] = {}
    for item in given:
        one = contender(item)
        if (one.name, one.settings) in found:
            raise InvalidSettingError(
                f"The method {one.name!r} comes twice with the same settings {one.settings}."
            )
        found[one.name, one.settings] = one
    if not found:
        raise InvalidSettingError("A benchmark needs at least one method, got none.")
    return list(found.values())


def split_specs(text: str) -> list[str]:
    """Parts of a comma-separated list; commas inside brackets or quotes do not separate.

    Examples
    --------
    >>> split_specs("bqcd:levels=[0.4,0.6],bqcd")
    ['bqcd:levels=[0.4,0.6]', 'bqcd']
    """
    return [part for part in (part.strip() for part in _parts(text, ",")) if part]


def label(name: str, settings: str) -> str:
    """Name of a method with the settings in which it differs from its defaults.

    Examples
    --------
    >>> one = contender("bqcd:n_levels=7")
    >>> label(one.name, one.settings)
    'bqcd:n_levels=7'
    """
    if name not in ALL_METHODS:
        return name
    usual = settings_of(make_method(name))
    given = json.loads(settings)
    return _spec(name, {key: given[key] for key in given if given[key] != usual.get(key)})


def labels(keys: Sequence[tuple[str, str]]) -> list[str]:
    """Labels of names with settings, all of them different.

    Of a method from elsewhere the defaults are not known: its settings are spelled out
    only where a name comes more than once.

    Examples
    --------
    >>> labels([("mine", '{"depth": 2}'), ("mine", '{"depth": 3}'), ("yours", '{"depth": 2}')])
    ['mine:depth=2', 'mine:depth=3', 'yours']
    """
    short = [label(name, settings) for name, settings in keys]
    return [
        one if short.count(one) == 1 else _spec(name, json.loads(settings))
        for one, (name, settings) in zip(short, keys, strict=True)
    ]


def _spec(name: str, settings: Mapping[str, object]) -> str:
    return ":".join([name, *(f"{key}={_text(value)}" for key, value in settings.items())])


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _parts(text: str, separator: str) -> list[str]:
    parts, depth, quoted = [""], 0, False
    for letter in text:
        quoted ^= letter == '"'
        depth += (letter in "[{(") - (letter in ")}]")
        if letter == separator and depth <= 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _settings(spec: str, items: Sequence[str]) -> dict[str, object]:
    settings: dict[str, object] = {}
    for item in items:
        name, equals, text = item.partition("=")
        if not equals or not name or name in settings:
            raise InvalidSettingError(
                f"Settings of a method are written name:setting=value, each once, got {spec!r}."
            )
        try:
            settings[name] = json.loads(text)
        except json.JSONDecodeError:
            settings[name] = text
    return settings


def _foreign(path: str, items: Sequence[str]) -> Contender:
    settings = _settings(path, items)
    return Contender(path, foreign_method(path, settings), settings)
