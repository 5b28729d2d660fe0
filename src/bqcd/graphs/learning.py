"""Graphs learnt from a table, ready to be oriented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bqcd.data.pair import Missing
from bqcd.data.tables import held_table
from bqcd.errors import UnknownNameError
from bqcd.graphs.equivalence import cpdag_of, with_known_directions
from bqcd.graphs.knowledge import NOTHING_KNOWN, Knowledge
from bqcd.graphs.notes import GraphNote
from bqcd.graphs.orienting.table import complete_columns
from bqcd.graphs.skeletons import (
    CAM,
    Learner,
    LearntGraph,
    make_learner,
    name_of,
)
from bqcd.graphs.skeletons.track_record import DIRECTIONS_RIGHT
from bqcd.runtime.arrays import Vector


def learn_graph(
    table: object,
    learner: str | Learner,
    *,
    knowledge: Knowledge = NOTHING_KNOWN,
    missing: Missing = "raise",
    **settings: object,
) -> LearntGraph:
    """Graph of the columns of a table, whose open edges :func:`bqcd.orient` can orient.

    Parameters
    ----------
    table : path, data frame, mapping or ndarray of shape (n, k)
        Each column is a node.
    learner : str or learner
        Name in ``bqcd.graphs.skeletons.SKELETONS``, or an object with ``search``.
    knowledge : Knowledge, optional
        Directions that are known, which the search obeys.
    missing : {"raise", "drop"}, default="raise"
        What to do with rows in which a value is missing.
    **settings
        Settings of the learner, if it is given by name.

    Returns
    -------
    LearntGraph
        The graph, with notes on how it was learnt: a CPDAG, also of CAM, whose directions beyond
        it are for the verdicts on pairs to tell. Quantile CAM and quantile RESIT give a DAG: they
        judge each direction by quantiles given all parents.

    Raises
    ------
    UnknownNameError
        If nothing has this name, or it has no such setting.
    InvalidTableError
        If a graph cannot be learnt from the columns.
    InvalidKnowledgeError
        If the knowledge names what is no column, with the nearest names.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(2, 300))
    >>> table = {"a": a, "b": b, "c": a**2 + b**2 + 0.5 * rng.normal(size=300)}
    >>> learn_graph(table, "cam").graph.directed
    [('a', 'c'), ('b', 'c')]
    """
    if isinstance(learner, str):
        learner = make_learner(learner, **settings)
    elif settings:
        first = next(iter(settings))
        raise UnknownNameError(
            f"Settings go with the name of a learner, got {first!r} beside {learner!r}."
        )
    columns = complete_columns(held_table(table), missing=missing)
    return learnt_from(columns, learner, knowledge)


def learnt_from(
    columns: Mapping[str, Vector], learner: Learner, knowledge: Knowledge
) -> LearntGraph:
    """What a learner makes of complete columns; see :func:`learn_graph`."""
    name = name_of(learner)
    notes = [GraphNote("learner", {"learner": repr(learner)})]
    found = learner.search(columns, knowledge=knowledge)
    if isinstance(found, LearntGraph):
        return replace(found, notes=(*notes, *found.notes), learner=name)
    if isinstance(learner, CAM):
        graph = with_known_directions(cpdag_of(found.graph), knowledge)
        return LearntGraph(graph, tuple(notes), learner=name)
    if name in DIRECTIONS_RIGHT:
        notes.append(GraphNote("directions right", DIRECTIONS_RIGHT[name].facts(name)))
    return LearntGraph(found.graph, tuple(notes), learner=name)
