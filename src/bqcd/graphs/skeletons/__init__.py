"""Graphs learnt from columns: CAM and quantile learners natively, others by causal-learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bqcd.errors import UnknownNameError
from bqcd.graphs.knowledge import NOTHING_KNOWN, Knowledge
from bqcd.graphs.partial import PartialGraph
from bqcd.graphs.skeletons.cam import CAM, CAMEdge, CAMSearch
from bqcd.graphs.skeletons.causal_learn import GES, PC, LearntGraph
from bqcd.graphs.skeletons.fci import FCI
from bqcd.graphs.skeletons.learner import Learner
from bqcd.graphs.skeletons.qcam import QuantileCAM
from bqcd.graphs.skeletons.qresit import QuantileRESIT, RESITSearch
from bqcd.runtime.settings import nearest_names

__all__ = [
    "CAM",
    "FCI",
    "GES",
    "PC",
    "SKELETONS",
    "CAMEdge",
    "CAMSearch",
    "Learner",
    "LearntGraph",
    "QuantileCAM",
    "QuantileRESIT",
    "RESITSearch",
    "learn_graph",
    "make_learner",
    "name_of",
]

SKELETONS: Mapping[str, type[Learner]] = MappingProxyType(
    {
        "cam": CAM,
        "fci": FCI,
        "ges": GES,
        "pc": PC,
        "qcam": QuantileCAM,
        "qresit": QuantileRESIT,
    }
)
"""What learns graphs, by name."""


def learn_graph(
    columns: Mapping[str, NDArray[np.float64]],
    *,
    name: str,
    knowledge: Knowledge = NOTHING_KNOWN,
    **settings: object,
) -> PartialGraph:
    """Graph of some columns, each of which is a node.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n,)
        Finite numbers, no column constant.
    name : {"cam", "fci", "ges", "pc", "qcam", "qresit"}
        What learns the graph: a DAG by "cam", "qcam" and "qresit", a PAG by "fci", a CPDAG by the
        others.
    knowledge : Knowledge, optional
        Directions that are known, which the search obeys.
    **settings
        Settings of it.

    Raises
    ------
    UnknownNameError
        If nothing has this name, or it has no such setting.
    InvalidTableError
        If a graph cannot be learnt from the columns.
    InvalidKnowledgeError
        If the knowledge names what is no column, with the nearest names.
    MissingPackageError
        If causal-learn is needed and not installed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, noise = rng.normal(size=(2, 200))
    >>> learn_graph({"y": x**2 + 0.5 * noise, "x": x}, name="cam").directed
    [('x', 'y')]
    """
    return make_learner(name, **settings).learn(columns, knowledge=knowledge)


def make_learner(name: str, /, **settings: object) -> Learner:
    """Learner of graphs with some settings.

    Raises
    ------
    UnknownNameError
        If nothing has this name, or it has no such setting.

    Examples
    --------
    >>> make_learner("pc", alpha=0.01)
    PC(test='fisherz', alpha=0.01)
    """
    if name not in SKELETONS:
        hint = nearest_names(str(name), SKELETONS)
        raise UnknownNameError(f"Unknown skeleton learner {name!r}. {hint}")
    known = [field.name for field in fields(SKELETONS[name])]
    for setting in settings:
        if setting not in known:
            raise UnknownNameError(
                f"{name!r} has no setting {setting!r}. {nearest_names(setting, known)}"
            )
    return SKELETONS[name](**settings)


def name_of(learner: object) -> str:
    """Name of a learner: that in ``SKELETONS``, or of its class.

    Examples
    --------
    >>> name_of(PC(alpha=0.01)), name_of(object())
    ('pc', 'object')
    """
    names = (name for name, known in SKELETONS.items() if type(learner) is known)
    return next(names, type(learner).__name__)
