"""What the numbers of a column stand for, in words."""

from __future__ import annotations

from bqcd.data.pair import Pair
from bqcd.data.scales import Scale
from bqcd.data.vector_pair import VectorPair
from bqcd.errors import printable, shortened
from bqcd.runtime.arrays import Vector

_MOST_LEVELS = 8
_NAMES = {
    "date": "dates",
    "datetime": "dates",
    "time": "times",
    "duration": "durations",
    "period": "periods",
}


def scale_rows(pair: Pair | VectorPair) -> list[tuple[str, str]]:
    """Columns that are not of numbers, with what was made of them.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(12).astype("datetime64[D]")
    >>> scale_rows(Pair.from_arrays(x, np.arange(12.0) % 5, x_name="day"))
    [('day', 'dates from 1970-01-01 to 1970-01-12')]
    """
    if isinstance(pair, VectorPair):
        sides = (pair.x_names, pair.x_scales, pair.x), (pair.y_names, pair.y_scales, pair.y)
        columns = [
            each
            for names, scales, values in sides
            for each in zip(names, scales, values.T, strict=True)
        ]
    else:
        columns = [(pair.x_name, pair.x_scale, pair.x), (pair.y_name, pair.y_scale, pair.y)]
    return [(name, _told(scale, values)) for name, scale, values in columns if scale is not None]


def _told(scale: Scale, values: Vector) -> str:
    if not scale.levels:
        low, high = scale.label(float(values.min())), scale.label(float(values.max()))
        return f"{_NAMES[scale.kind]} from {low} to {high}"
    levels = [shortened(printable(level), 30) for level in scale.levels]
    if len(levels) > _MOST_LEVELS:
        levels = [*levels[: _MOST_LEVELS - 1], "...", levels[-1]]
    if scale.is_nominal:
        return f"{len(scale.levels)} levels without an order: {', '.join(levels)}"
    return f"in the order {' < '.join(levels)}"
