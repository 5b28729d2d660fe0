"""Small real tables that ship with the package, with their origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from bqcd.benchmark.datasets.records import Source
from bqcd.data.reading import read_table
from bqcd.errors import UnknownNameError
from bqcd.runtime.settings import nearest_names

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class ShippedTable:
    """A table inside the package.

    Parameters
    ----------
    name : str
        Name to load it by.
    cause, effect : str
        Columns, by common knowledge of the subject.
    about : str
        What the rows are.
    source : Source
        Origin and terms of use.
    """

    name: str
    cause: str
    effect: str
    about: str
    source: Source

    @property
    def path(self) -> Path:
        """File the table is read from."""
        return Path(str(files("bqcd.benchmark.datasets") / "tables" / f"{self.name}.csv"))


TABLES: Mapping[str, ShippedTable] = MappingProxyType(
    {
        table.name: table
        for table in (
            ShippedTable(
                "mcycle",
                "milliseconds",
                "acceleration",
                "head acceleration in a simulated motorcycle accident by time after impact",
                Source(
                    "Silverman: Some aspects of the spline smoothing approach to "
                    "non-parametric curve fitting, JRSS B 47, 1985; mcycle in the R package MASS",
                    "table of the R package MASS (GPL-2 or GPL-3)",
                ),
            ),
            ShippedTable(
                "gagurine",
                "age",
                "gag",
                "concentration of glycosaminoglycans (GAG) in the urine of 314 children by age",
                Source(
                    "S. Prosser, University of Oxford; GAGurine in Venables, Ripley: Modern "
                    "Applied Statistics with S, 2002",
                    "table of the R package MASS (GPL-2 or GPL-3)",
                ),
            ),
            ShippedTable(
                "engel",
                "income",
                "foodexp",
                "income and food expenditure of 235 Belgian working-class households, 1857",
                Source(
                    "Koenker, Bassett: Robust tests for heteroscedasticity based on regression "
                    "quantiles, Econometrica 50, 1982; as shipped by statsmodels",
                    "public domain",
                ),
            ),
        )
    }
)
"""Tables by name."""


def load_table(name: str) -> pa.Table:
    """Table that ships with the package.

    Examples
    --------
    >>> load_table("engel").column_names
    ['income', 'foodexp']
    """
    if name not in TABLES:
        raise UnknownNameError(f"No table is called {name!r}. {nearest_names(name, TABLES)}")
    return read_table(TABLES[name].path)
