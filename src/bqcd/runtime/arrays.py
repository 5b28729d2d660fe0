"""Names of array types, by what they hold and how many axes they have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
"""Numbers along one axis, such as a column."""

Matrix = NDArray[np.float64]
"""Numbers along two axes."""

Stack = NDArray[np.float64]
"""Numbers along three axes."""

Numbers = NDArray[np.int64]
"""Whole numbers along one axis, such as the unit of each row."""
