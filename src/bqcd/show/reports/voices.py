"""What the panel heard, ready to be drawn: what each of its sources and each method says."""

from __future__ import annotations

from bqcd.methods.panel import PanelEvidence, probability
from bqcd.methods.verdict import Evidence
from bqcd.show.words.voices import SOURCES

_DIGITS = 3


def voices_of(evidence: Evidence | None) -> dict[str, object] | None:
    """Voices of a panel, ready for JSON; None if the verdict is not of one.

    Each source has the probability that x is the cause, and the methods that saw it with the
    sign and strength of what they say. That of the evidence is what its share of the answer
    would say by itself; a quick panel has not asked for it.

    Parameters
    ----------
    evidence : Evidence or None
        What a verdict rests on.
    """
    if not isinstance(evidence, PanelEvidence) or not evidence.draws:
        return None
    said = evidence.probabilities | {"evidence": probability(evidence.added)}
    return {
        "sources": [
            {
                "name": name,
                "says": words,
                "used": name != "margins",
                "probability": round(said[name], _DIGITS),
                "methods": _methods(evidence, name),
            }
            for name, words in SOURCES.items()
            if name != "evidence" or evidence.slow
        ],
        "panel": round(evidence.probability, _DIGITS),
    }


def _methods(evidence: PanelEvidence, sees: str) -> list[list[object]]:
    """Name and signed strength of each method that saw a source."""
    return [
        [voice.name, round(voice.sign * voice.strength, _DIGITS)]
        for voice in evidence.voices
        if voice.sees == sees
    ]
