"""What a method must be and give back: Pair in, Verdict out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from math import isfinite
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Direction, Pair
from bqcd.data.vector_pair import VectorPair
from bqcd.errors import InvalidVerdictError
from bqcd.methods.answers import Answer, answer_by_probability, answer_by_size, weaker_answer
from bqcd.runtime.shown import Told, shown

if TYPE_CHECKING:
    from bqcd.data.weights import Weighting


@runtime_checkable
class Method(Protocol):
    """Anything that turns a pair into a verdict.

    Implementations are frozen dataclasses: fields are settings, checked on construction;
    ``decide`` leaves the object and the pair untouched. A class attribute ``tells = False`` is for
    methods that were seen to say a direction of most pairs without any: what they say is a
    confidence and no answer, unless :class:`bqcd.methods.auto.Auto` picked them for the columns.
    """

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Judge one pair.

        All randomness comes from ``rng``. Exchanging the columns changes the sign of the
        confidence and nothing else; permuting the rows changes nothing.
        """
        ...


@runtime_checkable
class VectorMethod(Method, Protocol):
    """A method that also turns groups of columns into a verdict."""

    def decide_vectors(self, pair: VectorPair, rng: Generator) -> Verdict:
        """Judge two groups of columns.

        Exchanging the sides changes the sign of the confidence and nothing else; permuting rows,
        or columns within a side, changes nothing.
        """
        ...


class Evidence(Protocol):
    """What a confidence was computed from, in a method's own record type."""

    def as_dict(self, pair: Pair) -> dict[str, object]:
        """Numbers behind the confidence, ready for JSON."""
        ...

    # A method that claims probabilities has evidence with an attribute ``probability`` as well:
    # see :attr:`Verdict.probability`.


@dataclass(frozen=True, slots=True)
class DirectedScores:
    """Evidence of methods that compare one number per direction; the smaller one wins.

    Parameters
    ----------
    x_to_y, y_to_x : float
        What the model of each direction scored.
    measure : str
        What the numbers are, e.g. ``"HSIC of cause and residuals"``.
    n_rows : int
        Rows they were computed on, which may be fewer than the pair has.
    facts : mapping of str to object, optional
        Whatever else a reader should know, ready for JSON and the same for both directions.
    """

    x_to_y: float
    y_to_x: float
    measure: str
    n_rows: int
    facts: Mapping[str, object] = field(default_factory=dict)

    def as_dict(self, pair: Pair) -> dict[str, object]:
        """Both numbers, what they are, and on how many rows."""
        return {
            "measure": self.measure,
            "x_to_y": self.x_to_y,
            "y_to_x": self.y_to_x,
            "n_rows": self.n_rows,
            **self.facts,
        }


@dataclass(frozen=True, slots=True)
class ClaimedProbability:
    """Evidence of which only the probability is left: the mean over several draws of rows.

    Parameters
    ----------
    probability : float
        Of X -> Y.
    """

    probability: float

    def as_dict(self, pair: Pair) -> dict[str, object]:
        """Probabilities of both directions."""
        return {"x_to_y": self.probability, "y_to_x": 1.0 - self.probability}


@dataclass(frozen=True, slots=True)
class Choice:
    """What method was picked for the columns, and why.

    Parameters
    ----------
    method : str
        Its name.
    reason : {"many values", "few values", "no order", "mixed", "groups"}
        What the columns are: both with an order and many values; an order, and few values in one;
        no order in either; no order in one; groups of columns.
    withheld : bool, default=False
        Whether no direction is told: the method is known to fail on such columns, or says
        otherwise once both are equally coarse.
    """

    method: str
    reason: Literal["many values", "few values", "no order", "mixed", "groups"]
    withheld: bool = False

    @property
    def why_withheld(self) -> str:
        """Why no direction is told, as a message; empty if one is.

        Examples
        --------
        >>> Choice("bqcd", "many values").why_withheld
        ''
        """
        return _WITHHELD.get(self.reason, "") if self.withheld else ""


_WITHHELD = {
    "few values": "A coarser column favours a direction by itself: with both columns cut into the "
    "same grades, this one does not show, and none is told.",
    "no order": "One column has more than one and a half times as many levels as the other, which "
    "favours a direction by itself, and none is told.",
    "mixed": "No method was better than chance on simulated pairs like this one, of which one "
    "column has no order, and no direction is told.",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Verdict(Told):
    """What a method concluded about one pair.

    Nothing but the confidence is stored: its sign is what the method says if it has to, its
    size decides whether that is worth saying.

    Parameters
    ----------
    confidence : float
        Positive for X -> Y, negative for Y -> X, zero when the method abstains. The size
        ranks pairs judged by the same method; it is not a probability and is not
        comparable between methods.
    pair : Pair or VectorPair
        The pair that was judged.
    evidence : Evidence, optional
        What the confidence was computed from.
    method : Method, optional
        The method that judged, with its settings.
    name : str
        Name of the method in the table of methods, or of its class.
    seed : int, optional
        Seed of the generator handed to the method.
    weighting : Weighting, optional
        How the rows were weighted; None where all count the same.
    choice : Choice, optional
        How the method was picked; None where it was asked for by name.
    """

    confidence: float
    pair: Pair | VectorPair
    evidence: Evidence | None = None
    method: Method | None = None
    name: str = ""
    seed: int | None = None
    weighting: Weighting | None = None
    choice: Choice | None = None

    def __post_init__(self) -> None:
        """Refuse a confidence that is no finite number: abstaining is zero."""
        if not isfinite(self.confidence):
            raise InvalidVerdictError(
                f"confidence of a Verdict must be a finite number, got {self.confidence!r} "
                f"on {self.pair!r}."
            )
        object.__setattr__(self, "confidence", float(self.confidence))

    @property
    def answer(self) -> Answer:
        """What may be said of the direction: "clear", "leaning" or "cannot tell".

        By the probability of a method that claims one; without it "cannot tell" up to the size
        that is common where no direction exists, if that is known. Nothing is told of groups of
        columns where it is not, nor by a method that says a direction of most pairs that have none,
        unless it was picked for the columns. Never more than "leaning": what is known to mislead
        has not been looked at, which :func:`bqcd.assess` does.

        Examples
        --------
        >>> import bqcd
        >>> x, y = np.random.default_rng(0).normal(size=(2, 100))
        >>> bqcd.decide(x, y).answer
        'cannot tell'
        """
        if self.choice.withheld if self.choice is not None else not tells(self.method):
            return "cannot tell"
        probability = self.probability
        if probability is not None:
            likelier = answer_by_probability(max(probability, 1.0 - probability))
            return weaker_answer(likelier, "leaning")
        limit = self.limit
        if limit is None and isinstance(self.pair, VectorPair):
            return "cannot tell"
        return answer_by_size(self.confidence, limit)

    @property
    def limit(self) -> float | None:
        """Size that is common where no direction exists, and that a confidence must exceed.

        None where it was not measured, or where the method claims a probability instead; infinity
        where the method tells nothing of such columns.
        """
        if self.probability is not None:
            return None
        limit: float | None = getattr(self.evidence, "chance_bound", None)
        return limit

    @property
    def direction(self) -> Direction:
        """Direction of the answer: undecided where it cannot be told.

        What a method says if it has to, as in a benchmark, is the sign of ``confidence``:
        :meth:`Direction.of`.
        """
        return (
            Direction.UNDECIDED if self.answer == "cannot tell" else Direction.of(self.confidence)
        )

    @property
    def cause(self) -> str | None:
        """Name of the column taken for the cause, None when it cannot be told."""
        return self.pair.cause_by(self.direction)

    @property
    def effect(self) -> str | None:
        """Name of the column taken for the effect, None when it cannot be told."""
        return self.pair.effect_by(self.direction)

    @property
    def strength(self) -> str:
        """Sentence that says how strong the confidence is; empty if that is not known."""
        return str(shown(self, "strength"))

    @property
    def probability(self) -> float | None:
        """Probability of X -> Y that the method claims; None for methods that claim none.

        Such a method has the confidence 2p - 1, and evidence with an attribute
        ``probability``. This is the probability of X -> Y, which may be below one half;
        :attr:`Assessment.probability` is that of the direction that was taken.

        Examples
        --------
        >>> import bqcd
        >>> x, y = np.random.default_rng(0).normal(size=(2, 100))
        >>> bqcd.decide(x, y).probability is None
        True

        Raises
        ------
        InvalidVerdictError
            If the evidence claims no number from 0 to 1.
        """
        claimed = getattr(self.evidence, "probability", None)
        if claimed is None:
            return None
        if not 0.0 <= claimed <= 1.0:
            raise InvalidVerdictError(
                f"probability of a Verdict must be a number from 0 to 1, got {claimed!r} "
                f"on {self.pair!r}."
            )
        return float(claimed)

    @property
    def settings(self) -> dict[str, object]:
        """Settings of the method by name, ready for JSON; empty if it does not tell them."""
        return settings_of(self.method)

    @property
    def n_rows(self) -> int:
        """Rows the verdict rests on."""
        return len(self.pair)

    @property
    def seen_pair(self) -> Pair:
        """Two columns to look at: the pair or, of weighted rows, the first of the draws.

        Of vectors, the columns with the largest rank correlation.
        """
        if isinstance(self.pair, VectorPair):
            return self.pair.foremost
        return self.pair if self.weighting is None else self.weighting.sample

    @property
    def dropped_rows(self) -> int:
        """Rows left out because a value was missing."""
        return self.pair.dropped_rows

    def as_dict(self) -> dict[str, object]:
        """Everything but the data, ready for JSON."""
        return {
            "x": self.pair.x_name,
            "y": self.pair.y_name,
            "answer": self.answer,
            "direction": self.direction.value,
            "confidence": self.confidence,
            "cause": self.cause,
            "effect": self.effect,
            "n_rows": self.n_rows,
            "dropped_rows": self.dropped_rows,
            "method": self.name,
            "settings": self.settings,
            "choice": None if self.choice is None else asdict(self.choice),
            "seed": self.seed,
            "evidence": None if self.evidence is None else self.evidence.as_dict(self.seen_pair),
            "weighting": None if self.weighting is None else self.weighting.as_dict(),
        }

    def __repr__(self) -> str:
        return f"<Verdict {self.headline}, {self.name or 'method'}, {self.n_rows:,} rows>"


def tells(method: object) -> bool:
    """Whether a method asked for by name may tell a direction.

    Examples
    --------
    >>> from bqcd import make_method
    >>> tells(make_method("cisc")), tells(make_method("bqcd"))
    (False, True)
    """
    return bool(getattr(method, "tells", True))


def settings_of(method: object) -> dict[str, object]:
    """Settings of a method by name, ready for JSON; empty if it does not tell them."""
    if not is_dataclass(method):
        return {}
    return {field.name: _plain(getattr(method, field.name)) for field in fields(method)}


def _plain(value: object) -> object:
    """Value as JSON knows it: numbers, words and lists of them, anything else as its repr."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
