"""The foot of a page: what it was made with, of what, and how to make it again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import nan
from os import PathLike, fspath

import numpy as np

from bqcd.data.files.reading import UnreadTable
from bqcd.methods.table import ALL_METHODS
from bqcd.methods.verdict import settings_of
from bqcd.runtime.arrays import Vector
from bqcd.runtime.version import __version__

PAPER = r"""@inproceedings{tagasovska2020bqcd,
  title     = {Distinguishing Cause from Effect Using Quantiles: Bivariate Quantile Causal Discovery},
  author    = {Tagasovska, Natasa and Chavez-Demoulin, Val{\'e}rie and Vatter, Thibault},
  booktitle = {Proceedings of the 37th International Conference on Machine Learning},
  series    = {Proceedings of Machine Learning Research},
  volume    = {119},
  pages     = {9311--9323},
  year      = {2020}
}"""  # noqa: E501
"""Entry of the paper on bQCD."""

# A list of more pairs would hide the line it stands in.
_MOST_PAIRS = 5
# And one of more than so many would hide the foot.
_MOST_LISTED = 200
_FILE = "report.html"


@dataclass(frozen=True, slots=True)
class Colophon:
    """How a report was made.

    Parameters
    ----------
    method : str
        Name of the method.
    settings : tuple of (str, str), default=()
        Its settings.
    seed : int or None, default=None
        Seed of whatever was drawn at random, if it is known.
    fingerprint : str, default=""
        Of the numbers in use; empty if they are not known.
    command, python : str, default=""
        Lines that make the same report again; empty if there is none.
    bibtex : str, default=""
        What to cite.
    version : str, optional
        Of bqcd. Default: the one at work.
    """

    method: str
    settings: tuple[tuple[str, str], ...] = ()
    seed: int | None = None
    fingerprint: str = ""
    command: str = ""
    python: str = ""
    bibtex: str = ""
    version: str = __version__

    def as_dict(self) -> dict[str, object]:
        """All of it, ready for JSON."""
        return {
            "method": self.method,
            "settings": [list(setting) for setting in self.settings],
            "version": self.version,
            "seed": self.seed,
            "fingerprint": self.fingerprint,
            "command": self.command,
            "python": self.python,
            "bibtex": self.bibtex,
        }


def settings_told(method: object) -> tuple[tuple[str, str], ...]:
    """Settings of a method with their values as text.

    Examples
    --------
    >>> from bqcd.methods.igci import IGCI
    >>> settings_told(IGCI())[0]
    ('reference', 'uniform')
    """
    return setting_words(settings_of(method))


def setting_words(settings: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Settings with their values as text.

    Examples
    --------
    >>> setting_words({"n_levels": 7, "levels": None})
    (('n_levels', '7'), ('levels', 'default'))
    """
    return tuple(
        (name, "default" if value is None else str(value)) for name, value in settings.items()
    )


def bibtex_of(method: str) -> str:
    """Entry of the work a method comes from; empty if it is not in the table of methods.

    Examples
    --------
    >>> bibtex_of("bqcd").splitlines()[0]
    '@inproceedings{tagasovska2020bqcd,'
    >>> bibtex_of("cdci").splitlines()[0]
    '@misc{cdci,'
    >>> bibtex_of("coin")
    ''
    """
    card = ALL_METHODS.get(method)
    if card is None or card.reference == "none":
        return ""
    if card.name == "bqcd":
        return PAPER
    return f"@misc{{{card.name},\n  note = {{{card.reference}}}\n}}"


def fingerprint_of(columns: Iterable[tuple[str, Vector]]) -> str:
    """Digest of columns with their names, the same whatever their order and the file's format.

    Parameters
    ----------
    columns : iterable of (str, ndarray of shape (n,))
        Names and numbers, NaN for missing; asked for one at a time.

    Examples
    --------
    >>> a, b = np.array([1.0, np.nan]), np.array([2.0, 3.0])
    >>> fingerprint_of([("a", a), ("b", b)]) == fingerprint_of([("b", b), ("a", a)])
    True
    """
    digests = sorted(_digest(name, column) for name, column in columns)
    return f"sha256:{sha256(b''.join(digests)).hexdigest()[:16]}"


def _digest(name: str, column: Vector) -> bytes:
    # NaN has many bit patterns, and zero has two.
    values = np.where(np.isnan(column), nan, column) + 0.0
    digest = sha256(values.astype("<f8", copy=False).data)
    digest.update(name.encode(errors="replace"))
    return digest.digest()


def recipe(
    table: object, asked: Mapping[str, object], settings: Mapping[str, object]
) -> tuple[str, str]:
    """Lines for a shell and for Python that make a report again.

    Parameters
    ----------
    table : object
        What it is of; of a table in memory there is no line for a shell.
    asked : mapping of str to object
        Parameters of :func:`bqcd.report` that are not the usual ones.
    settings : mapping of str to object
        Settings of the method.

    Examples
    --------
    >>> command, python = recipe("my cells.csv", {"pairs": [("a", "b")], "seed": 3}, {})
    >>> print(command)
    bqcd report 'my cells.csv' a b --seed 3 -o report.html
    >>> print(python)
    import bqcd
    <BLANKLINE>
    bqcd.report('my cells.csv', pairs=[('a', 'b')], seed=3).save('report.html')
    """
    told = [_python_word(name, value) for name, value in {**asked, **settings}.items()]
    python_source, words = source_words(table)
    listed = asked.get("pairs")
    before = f"pairs = {listed!r}\n" if "pairs=pairs" in told and _can_be_listed(listed) else ""
    call = f"bqcd.report({', '.join([python_source, *told])}).save({_FILE!r})"
    python = f"import bqcd\n\n{before}{call}"
    source = table.source if isinstance(table, UnreadTable) else table
    return _command(source, asked, settings, words), python


def source_words(table: object) -> tuple[str, list[str]]:
    """Table in a line of Python, and what is said of it in a line of a shell.

    Parameters
    ----------
    table : object
        A table, or where one is; of one in memory the name ``table`` is all that can be said.
    """
    if not isinstance(table, UnreadTable):
        return (repr(fspath(table)) if isinstance(table, str | PathLike) else "table"), []
    said = table.reading.unusual()
    place = repr(fspath(table.source))
    if not said:
        return place, []
    options: list[str] = []
    for name, value in said.items():
        if name == "header":
            options.append("--header" if value else "--no-header")
            continue
        for one in value if isinstance(value, tuple) else [value]:
            told = f"{one[0]}={','.join(one[1])}" if name == "order" else str(one)
            options.append(f"--{name}={told}")
    python = {**said, **({"order": dict(said["order"])} if "order" in said else {})}
    switches = ", ".join(f"{name}={value!r}" for name, value in python.items())
    return f"bqcd.read_table({place}, {switches})", options


def _python_word(name: str, value: object) -> str:
    if isinstance(value, PathLike):
        value = fspath(value)
    if isinstance(value, UnreadTable):
        return f"{name}={source_words(value)[0]}"
    if name in ("graph", "against") and not isinstance(value, str):
        return f"{name}={name}"
    if name == "pairs" and not isinstance(value, str) and _length(value) > _MOST_PAIRS:
        return "pairs=pairs"
    return f"{name}={value!r}"


def _can_be_listed(pairs: object) -> bool:
    return isinstance(pairs, Sequence) and len(pairs) <= _MOST_LISTED


def _length(value: object) -> int:
    return len(value) if isinstance(value, Sequence) else _MOST_PAIRS + 1


def _command(
    table: object,
    asked: Mapping[str, object],
    settings: Mapping[str, object],
    said: Sequence[str],
) -> str:
    """Line for a shell; empty if what was asked for cannot be said in one."""
    if not isinstance(table, str | PathLike):
        return ""
    places, options = [str(fspath(table))], [*said]
    for name, value in asked.items():
        if name == "pairs" and not isinstance(value, str | PathLike):
            if _length(value) != 1:
                return ""
            places += map(str, value[0])  # type: ignore[index]
            continue
        if isinstance(value, Mapping):
            for group, columns in value.items():
                options += ["--group", f"{group}={','.join(map(str, columns))}"]
            continue
        for one in value if isinstance(value, list | tuple) else [value]:
            one = one.source if isinstance(one, UnreadTable) else one
            if not isinstance(one, str | int | float | PathLike):
                return ""
            options += [f"--{name}", str(one)]
    try:
        for name, value in settings.items():
            options += ["--set", f"{name}={_setting_word(value)}"]
    except TypeError:  # no JSON
        return ""
    options += ["-o", _FILE]
    # After two dashes, a name that begins with one is no option.
    if any(place.startswith("-") and place != "-" for place in places):
        return shlex.join(["bqcd", "report", *options, "--", *places])
    return shlex.join(["bqcd", "report", *places, *options])


def _setting_word(value: object) -> str:
    """Setting as ``--set`` reads it: as it is if that is not read as something else."""
    if isinstance(value, str):
        try:
            json.loads(value)
        except (ValueError, RecursionError):
            return value
    return json.dumps(value)
