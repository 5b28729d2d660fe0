"""Conditional quantile regressors: the contract and the table of all of them.

A regressor is a small record of settings. Its ``fit`` takes two vectors with standard
normal margins and gives back a function from values of the first to quantiles of the
second. Anything with such a ``fit`` will do; no base class, no registration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from bqcd.discovery.quantiles.contract import (
    ConditionalQuantiles,
    JointRegressor,
    OneWay,
    QuantileRegressor,
    fit_one_way,
    is_regressor,
    serves_both_ways,
)
from bqcd.discovery.quantiles.copula import Copula
from bqcd.discovery.quantiles.estimator import EstimatorQuantiles
from bqcd.discovery.quantiles.forest import Forest, QuantileForest
from bqcd.discovery.quantiles.network import Network
from bqcd.discovery.quantiles.vinecopulib import Vinecopulib

__all__ = [
    "QUANTILE_REGRESSORS",
    "ConditionalQuantiles",
    "Copula",
    "EstimatorQuantiles",
    "Forest",
    "JointRegressor",
    "Network",
    "OneWay",
    "QuantileForest",
    "QuantileRegressor",
    "Vinecopulib",
    "fit_one_way",
    "is_regressor",
    "serves_both_ways",
]

QUANTILE_REGRESSORS: Mapping[str, Callable[[], QuantileRegressor]] = MappingProxyType(
    {
        "copula": Copula,
        "forest": Forest,
        "network": Network,
        "quantile-forest": QuantileForest,
        "vinecopulib": Vinecopulib,
    }
)
"""Name to factory of every regressor that can be asked for by name."""
