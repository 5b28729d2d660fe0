"""What the panel heard, ready to be drawn: what each of its sources and each method says."""

from __future__ import annotations

from bqcd.methods.panel import PanelEvidence
from bqcd.methods.verdict import Evidence
from bqcd.show.words.voices import SOURCES

_DIGITS = 3


def voices_of(evidence: Evidence | None) -> dict[str, object] | None:
    """Voices of a panel, ready for JSON; None if the verdict is not of one.

    Each source has the probability that x is the cause, and the methods that saw it with the
    sign and strength of what they say.

    Parameters
    ----------
    evidence : Evidence or None
        What a verdict rests on.
    """
    if not isinstance(evidence, PanelEvidence) or not evidence.draws:
        return None
    said = evidence.probabilities
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
        ],
        "panel": round(evidence.probability, _DIGITS),
    }


def _methods(evidence: PanelEvidence, sees: str) -> list[list[object]]:
    """Name and signed strength of each method that saw a source."""
    heard = (*evidence.voices, *evidence.slow)
    return [
        [voice.name, round(voice.sign * voice.strength, _DIGITS)]
        for voice in heard
        if voice.sees == sees
    ]
