"""An order of the rows that does not depend on the one they came in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Vector
from bqcd.runtime.once import once_for_columns


@once_for_columns
def row_order(first: Vector, second: Vector) -> NDArray[np.intp]:
    """Rows by increasing first column and, where that repeats values, by the second.

    Sums over rows in this order are the same to the last bit for any order of the table.

    Examples
    --------
    >>> row_order(np.array([2.0, 1.0, 2.0]), np.array([5.0, 9.0, 4.0]))
    array([1, 2, 0])
    """
    order = np.argsort(first)
    values = first[order]
    if (values[1:] > values[:-1]).all():
        return order
    return np.lexsort((second, first))
