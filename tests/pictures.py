"""What can be told of a picture in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def ink(path: Path) -> float:
    """Share of the pixels of a PNG that differ from its corner; 0 if nothing was drawn."""
    from matplotlib.image import imread

    pixels = imread(path)
    return float(np.mean(np.any(pixels != pixels[0, 0], axis=-1)))
