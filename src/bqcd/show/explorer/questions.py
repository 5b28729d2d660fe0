"""What may be asked of a table, as it comes from a browser: checked, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bqcd.data.pair import Missing
from bqcd.discovery.quantiles import QUANTILE_REGRESSORS
from bqcd.errors import InvalidPairError, InvalidSettingError
from bqcd.methods.bqcd import BQCD
from bqcd.methods.table import METHODS, card_of, make_method
from bqcd.runtime.settings import check_choice, check_integer
from bqcd.scans.sources import Source
from bqcd.show.explorer.preview import chosen_numbers, preview

MOST_COLUMNS = 200
MISSING_RULES = ("raise", "drop")
NUMBERS = ("float", "integer", "decimal", "boolean", "date")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which columns to judge, and how.

    Parameters
    ----------
    columns : tuple of int
        Positions in the table, two or more; every pair of them is judged.
    method : str, default="panel"
        A name in ``METHODS``.
    regressor : str or None, default=None
        Quantile regressor of bQCD; None for its own.
    n_levels : int or None, default=None
        Number of quantile levels of bQCD; None for its own.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which a value is missing.
    seed : int, default=0
        Seed of whatever is drawn.
    by : int or None, default=None
        Position of a column that makes groups within which the answer is asked again.
    given : tuple of int, default=()
        Positions of columns that link and direction shall survive.

    Raises
    ------
    InvalidSettingError
        If the columns are too few, too many or twice the same, or a setting is no good.
    UnknownNameError
        If no method or regressor is called so.

    Examples
    --------
    >>> Question(columns=(0, 2), method="bqcd", n_levels=5).settings
    {'n_levels': 5}
    """

    columns: tuple[int, ...]
    method: str = "panel"
    regressor: str | None = None
    n_levels: int | None = None
    missing: Missing = "raise"
    seed: int = 0
    by: int | None = None
    given: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what the work would stumble over later."""
        if not 2 <= len(self.columns) <= MOST_COLUMNS:
            raise InvalidSettingError(
                f"columns must be from 2 to {MOST_COLUMNS}, got {len(self.columns)}; "
                "bqcd scan judges more."
            )
        if len(set(self.columns)) < len(self.columns):
            raise InvalidSettingError("columns must be different.")
        if self.by is not None and self.given:
            raise InvalidSettingError("A question has by or given, not both.")
        if {*self.given, self.by} & {*self.columns} and len(self.columns) == 2:
            raise InvalidSettingError("by and given must be other columns than the two judged.")
        check_choice("Question", "missing", self.missing, MISSING_RULES)
        check_integer("Question", "seed", self.seed, minimum=0)
        make_method(self.method, **self.settings)

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the method that are not its own."""
        given = {"regressor": self.regressor, "n_levels": self.n_levels}
        return {name: value for name, value in given.items() if value is not None}

    @classmethod
    def read(cls, asked: object, names: Sequence[str]) -> Question:
        """Question in what a browser sent.

        Parameters
        ----------
        asked : object
            Decoded JSON.
        names : sequence of str
            Names of the table's columns.

        Raises
        ------
        InvalidSettingError
            If it is something else than a question about these columns.
        """
        if not isinstance(asked, dict) or not set(asked) <= set(cls.__dataclass_fields__):
            entries = ", ".join(cls.__dataclass_fields__)
            raise InvalidSettingError(f"A question has the entries {entries}, got {asked!r:.200}.")
        columns = _positions(asked.get("columns"), "columns", len(names))
        given = _positions(asked.get("given", []), "given", len(names))
        if asked.get("by") is not None:
            _positions([asked["by"]], "by", len(names))
        return cls(**{**asked, "columns": columns, "given": given})


def _positions(listed: object, called: str, below: int) -> tuple[int, ...]:
    """Positions of columns in what a browser sent."""
    if not isinstance(listed, list) or not all(type(at) is int for at in listed):
        raise InvalidSettingError(f"{called} must be a list of positions, got {listed!r:.200}.")
    strange = [at for at in listed if not 0 <= at < below]
    if strange:
        raise InvalidSettingError(
            f"{called} must be below {below}, the number of columns, got {strange[0]}."
        )
    return tuple(listed)


def choices(source: Source) -> dict[str, Any]:
    """What can be chosen for a table: its columns, methods, regressors; ready for JSON.

    Examples
    --------
    >>> from bqcd.scans.sources import open_source
    >>> found = choices(open_source({"age": [1.0, 2.0], "name": ["a", "b"]}))
    >>> [(column["name"], column["usable"]) for column in found["columns"]]
    [('age', True), ('name', False)]
    """
    columns: list[dict[str, Any]] = [
        {"name": name, "kind": kind, "usable": kind in NUMBERS or _has_order(source, at)}
        for at, (name, kind) in enumerate(zip(source.names, source.kinds, strict=True))
    ]
    seen = preview(source)
    cards = seen["overview"]["cards"]  # type: ignore[index]
    for column, worth in zip(columns, chosen_numbers(cards), strict=False):
        column["number"] = worth and column["usable"]
    return {
        "table": source.label,
        "rows": source.n_rows,
        "columns": columns,
        "methods": [_method(name) for name in METHODS],
        "regressors": sorted(QUANTILE_REGRESSORS),
        "missing": list(MISSING_RULES),
        "preview": seen,
        "most_columns": MOST_COLUMNS,
    }


def _has_order(source: Source, at: int) -> bool:
    """Whether a column of words or categories has an order after all."""
    try:
        source.column(at)
    except InvalidPairError:
        return False
    return True


def _method(name: str) -> Mapping[str, object]:
    card = card_of(name)
    return {"name": name, "assumes": card.assumes, "quantiles": card.build is BQCD}
