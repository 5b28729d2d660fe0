"""Names that count how often they are compared: growth of work without a clock."""

from __future__ import annotations

from typing import ClassVar


class CountedName(str):
    """Text whose comparisons with other text are counted, all together."""

    __slots__ = ()
    compared: ClassVar[int] = 0

    def __eq__(self, other: object) -> bool:
        CountedName.compared += 1
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __str__(self) -> str:
        return self

    __hash__ = str.__hash__


def counted_names(count: int, start: str = "c") -> list[CountedName]:
    """Different names, with the count at zero."""
    CountedName.compared = 0
    return [CountedName(f"{start}{at}") for at in range(count)]
