"""Models of scikit-learn as plain arrays, and the file of weights."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from learning import Model
from numpy.typing import NDArray

import bqcd
from bqcd.methods.models.panel_model import STORED, WEIGHTS

FILE = Path(bqcd.__file__).parent / "methods" / "models" / WEIGHTS

Arrays = dict[str, NDArray[np.generic]]


def head_arrays(model: Model, shrinkage: float, offset: float = 0.0) -> Arrays:
    """Arrays of a head: networks in single precision."""
    networks = model.networks
    shift = float(np.mean([net.intercepts_[1][0] for net in networks]))
    return {
        "names": np.array(model.names),
        "units": model.units,
        "level_units": model.level_units,
        "numbers": np.array([shift, shrinkage, offset, model.ballot]),
        "voters": np.array(model.voters, dtype=np.int16),
        "weights": np.array([net.coefs_[0].T for net in networks], dtype=np.float32),
        "biases": np.array([net.intercepts_[0] for net in networks], dtype=np.float32),
        "out": np.array([net.coefs_[1].ravel() for net in networks], dtype=np.float32),
    }


def write_heads(heads: Mapping[str, Arrays], path: Path = FILE) -> int:
    """Write all heads as one file, the same bytes from the same numbers; bytes written."""
    arrays = {"heads": np.array(list(heads))}
    for name, head in heads.items():
        arrays |= {f"{name}/{key}": head[key] for key in STORED}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for key, array in arrays.items():
            stream = io.BytesIO()
            np.save(stream, array, allow_pickle=False)
            # Without the time of writing.
            entry = zipfile.ZipInfo(f"{key}.npy", date_time=(2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, stream.getvalue())
    return path.stat().st_size
