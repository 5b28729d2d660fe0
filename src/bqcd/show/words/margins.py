"""What methods saw of the columns, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

_KINDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "normal": ("normal scores", "the standard normal quantiles of their ranks"),
        "uniform": ("ranks", "their ranks between 0 and 1"),
    }
)


def margins_suffix(margins: str) -> str:
    """What is added to a title; nothing if columns were taken as they came.

    Examples
    --------
    >>> margins_suffix("as-is"), margins_suffix("normal")
    ('', ', equal margins (normal scores)')
    """
    return f", equal margins ({_KINDS[margins][0]})" if margins in _KINDS else ""


def margins_notes(margins: str) -> Iterator[str]:
    """A note below a table; none if columns were taken as they came.

    Examples
    --------
    >>> list(margins_notes("as-is"))
    []
    """
    if margins in _KINDS:
        yield (
            f"Equal margins: methods saw both columns of every pair as {_KINDS[margins][1]}, "
            f"values that repeat at the mean of their ranks (margins={margins})."
        )
