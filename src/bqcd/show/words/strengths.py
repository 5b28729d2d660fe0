"""How strong a confidence is, in a sentence for each kind of evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from bqcd.show.chances import LEAST, p_text

_LIMIT = "the 95 % limit for linear Gaussian data, where no direction exists"
_UNMEASURED = "What is common where no direction exists was not measured, and none is told."
_MOST_DISSENT = 3


def strength(evidence: Any, confidence: float) -> str:
    """Sentence that says how strong a confidence is; nothing if that is not known.

    Parameters
    ----------
    evidence : Evidence or None
        What it was computed from.
    confidence : float
        Of the verdict; nothing is said of 0.
    """
    words = STRENGTHS.get(type(evidence).__name__)
    return "" if words is None or confidence == 0.0 else words(evidence, confidence)


def tie_words(evidence: Any) -> str:
    """How many orders of ties were fitted, and how far their mean may be off."""
    orders = f"{evidence.tie_orders:,} orders"
    if evidence.tie_error is None:
        return "a single order"
    return f"{orders}, standard error {evidence.tie_error:.1g}"


def _of_quantiles(evidence: Any, confidence: float) -> str:
    if evidence.chance_bound is None:
        measured = "copula regressor" if evidence.regressor != "Copula" else "default levels"
        size = f"What |confidence| is typical has been measured for the {measured} only."
    else:
        rows = "with this many rows"
        if evidence.is_coarse:
            rows += ", recorded as coarsely"
        size = _beside_chance(confidence, evidence.chance_bound, evidence.real_sizes, rows)
    if not evidence.sign_hangs_on_ties:
        return size
    return f"{size} The direction hangs on how ties are broken ({tie_words(evidence)})."


def _of_spreads(evidence: Any, confidence: float) -> str:
    if evidence.chance_bound is None:
        return "Its size depends on the units of the columns and cannot be judged."
    if evidence.tied:
        return (
            "Values repeat, and the column with more such values is then taken for the cause "
            "whatever the truth is: no direction is told."
        )
    return _beside_chance(confidence, evidence.chance_bound, evidence.real_sizes)


def _beside_chance(
    confidence: float, limit: float, deciles: Sequence[float], rows: str = "with this many rows"
) -> str:
    """A confidence compared with chance, and with real pairs, given the deciles of their sizes."""
    size = abs(confidence)
    share = 10 * int(np.searchsorted(deciles, size, side="right"))
    real = f"more than {share} %" if share else "less than 10 %"
    among = f"of 99 real pairs with a known answer, {real} have a smaller |confidence|"
    if size <= limit:
        return (
            f"That is weak, and should not be relied on: it is within {_LIMIT} ({limit:.2g} "
            f"{rows}); {among}."
        )
    return f"That is {size / limit:.1f} times {_LIMIT} ({limit:.2g} {rows}); {among}."


def _of_scores(evidence: Any, confidence: float) -> str:
    return (
        f"{evidence.measure}: {evidence.x_to_y:.4g} for x -> y, {evidence.y_to_x:.4g} for y -> x, "
        f"on {evidence.n_rows:,} rows; what difference is typical has not been measured."
    )


def _of_codes(evidence: Any, confidence: float) -> str:
    verb = "significant" if evidence.p_value < LEAST else f"not significant at the usual {LEAST:g}"
    return (
        f"That direction is {abs(evidence.difference):.4g} bits shorter, of "
        f"{evidence.x + evidence.y:.4g} for the columns alone "
        f"(p {p_text(evidence.p_value)}, {verb})."
    )


def _of_prices(evidence: Any, confidence: float) -> str:
    better, worse = _by_direction(evidence, confidence)
    if better is None or worse is None:
        return ""
    return (
        f"In that direction the {evidence.criterion.upper()} is {better.cost:.4g} (with "
        f"{better.parameters:.3g} parameters), in the other one {worse.cost:.4g} (with "
        f"{worse.parameters:.3g})."
    )


def _of_splines(evidence: Any, confidence: float) -> str:
    better, worse = _by_direction(evidence, confidence)
    straight = (
        " Either spline is almost a straight line, and lines cannot tell the two apart."
        if max(better.degrees, worse.degrees) < 2.5
        else ""
    )
    return (
        f"In that direction a spline leaves {better.share:.3g} of the variance "
        f"unexplained, in the other one {worse.share:.3g}.{straight}"
    )


def _of_panels(evidence: Any, confidence: float) -> str:
    side = 1.0 if confidence > 0.0 else -1.0
    seen = {name: 0.5 + side * (chance - 0.5) for name, chance in evidence.probabilities.items()}
    agreeing, against = evidence.split()
    answers = evidence.answers
    return (
        f"{_sureness(abs(confidence), seen['panel'])}: the relation alone gives it "
        f"{seen['relation']:.2f}, the scales {seen['scales']:.2f}; the margins alone, which are "
        f"not used, would give it {seen['margins']:.2f}. {len(agreeing)} of "
        f"{len(agreeing) + len(against)} voices agree.{_dissent(against)}"
        f"{_slow_voices(evidence, seen, side)} If other answers are "
        f"allowed, a common cause alone has {answers['common_cause']:.2f} and no link "
        f"{answers['no_link']:.2f}; two columns cannot in general tell a common cause from a link."
    )


def _sureness(confidence: float, given_link: float) -> str:
    """Probability of the direction taken, and what it would be if a direct link were certain."""
    told, granted = f"{(1.0 + confidence) / 2.0:.2f}", f"{given_link:.2f}"
    besides = "" if told == granted else f"; if one causes the other, {granted}"
    return f"The probability of that direction is {told}{besides}"


def _slow_voices(evidence: Any, seen: Mapping[str, float], side: float) -> str:
    """What GPLVM says, if it was asked, and what the panel would say without it."""
    if not evidence.slow:
        return ""
    stands = {1: "for it", -1: "against it", 0: "neither way"}
    columns, ranks = (
        f"{stands[int(side) * voice.sign]} (strength {voice.strength:.2f})"
        for voice in evidence.slow
    )
    before, now = (f"{seen[name]:.2f}" for name in ("quick", "panel"))
    return (
        f" The evidence of gplvm in the columns is {columns}; that in their ranks, {ranks}, is "
        f"taken off. Without evidence it would be {before} in place of {now}."
    )


_ON = {"relation": "on ranks", "scales": "as they come"}


def _dissent(against: Sequence[Any]) -> str:
    """The loudest of the voices that disagree."""
    if not against:
        return ""
    loudest = sorted(against, key=lambda voice: -voice.strength)[:_MOST_DISSENT]
    named = ", ".join(f"{voice.name} ({_ON[voice.sees]})" for voice in loudest)
    return f" Loudest against it: {named}."


def _by_direction(evidence: Any, confidence: float) -> tuple[Any, Any]:
    """Fits of the direction that was taken, and of the other one."""
    if confidence > 0.0:
        return evidence.y_given_x, evidence.x_given_y
    return evidence.x_given_y, evidence.y_given_x


def _of_vectors(evidence: Any, confidence: float) -> str:
    pairs = evidence.confidences.size
    mean = f"It is the mean over {pairs:,} pairs of columns, of which {evidence.agreeing:,} agree."
    limit = evidence.chance_bound
    if limit is None:
        return mean
    told = f"{_LIMIT} ({limit:.2g} with this many rows)"
    if abs(confidence) <= limit:
        return f"{mean} That is weak, and should not be relied on: it is within {told}."
    return f"{mean} That is {abs(confidence) / limit:.1f} times {told}."


def _of_traces(evidence: Any, confidence: float) -> str:
    return (
        f"Distance from the trace condition: {abs(evidence.x_to_y):.3g} for x -> y (p "
        f"{p_text(evidence.p_x_to_y)} among rotations), {abs(evidence.y_to_x):.3g} for y -> x (p "
        f"{p_text(evidence.p_y_to_x)}). {_UNMEASURED}"
    )


def _of_densities(evidence: Any, confidence: float) -> str:
    return (
        f"Of the pairs of columns within x {evidence.x:.0%} are linked, given y "
        f"{evidence.x_given_y:.0%}; within y {evidence.y:.0%}, given x {evidence.y_given_x:.0%}. "
        f"{_UNMEASURED}"
    )


def _of_margins(evidence: Any, confidence: float) -> str:
    likelier = max(evidence.x_to_y, evidence.y_to_x)
    return (
        f"Probability {likelier:.2f} from each column by itself: which values come together had no "
        "say. It is a floor for comparisons and no reason to believe a direction."
    )


STRENGTHS: Mapping[str, Callable[[Any, float], str]] = MappingProxyType(
    {
        "QuantileEvidence": _of_quantiles,
        "VectorEvidence": _of_vectors,
        "TraceEvidence": _of_traces,
        "DensityEvidence": _of_densities,
        "DirectedScores": _of_scores,
        "SpreadEvidence": _of_spreads,
        "SlopeEvidence": _of_codes,
        "SloppyEvidence": _of_prices,
        "BiCAMEvidence": _of_splines,
        "MarginsEvidence": _of_margins,
        "PanelEvidence": _of_panels,
        "Lots": lambda evidence, confidence: "It was drawn at random: the data had no say.",
    }
)
"""What to say of each kind of evidence, by the name of its class: most methods are not loaded."""
