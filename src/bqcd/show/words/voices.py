"""What the sources of a panel are, in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "relation": "Which values come together, by their ranks alone.",
        "scales": "The columns as they come, with their scales.",
        "evidence": "What GPLVM says of the columns beyond what it says of their ranks.",
        "margins": "Each column by itself. Shown, and not used.",
    }
)
"""What each source of a panel sees."""
