"""How far verdicts fit together, in words."""

from __future__ import annotations

from bqcd.assessments.compatibility import Compatibility
from bqcd.show.chances import p_text
from bqcd.show.words import counted

# Fewer demands tell nothing, and a larger share of coins than this does as well.
FEW, _BY_CHANCE = 5, 0.05


def sentence(found: Compatibility) -> str:
    """How many demands are met, next to verdicts by coin.

    Examples
    --------
    >>> sentence(Compatibility(9, 20, 2, 8.5, 0.004, 0, {}))
    'The 9 verdicts fit together: 2 of 20 demands are broken, 8.5 would be by coin (p = 0.004).'
    """
    if found.demands < FEW:
        demands = counted(found.demands, "demand")
        return f"Whether the verdicts fit together cannot be told from {demands} on them."
    numbers = (
        f"{found.broken:,} of {found.demands:,} demands are broken, {found.expected:.1f} would be "
        f"by coin (p {p_text(found.p_value)})"
    )
    circle = (
        f" {counted(found.circling, 'verdict')} lie on circles of causes." if found.circling else ""
    )
    if found.p_value <= _BY_CHANCE:
        return f"The {found.verdicts:,} verdicts fit together: {numbers}.{circle}"
    worse = "worse than coins" if found.p_value >= 1.0 - _BY_CHANCE else "no better than coins"
    return f"The {found.verdicts:,} verdicts fit together {worse}: {numbers}.{circle}"
