"""Models of scikit-learn as plain arrays, and the file of weights."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from learning import Model
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

import bqcd
from bqcd.methods.models.panel_model import STORED, WEIGHTS
from bqcd.methods.models.trees import FIELDS

FILE = Path(bqcd.__file__).parent / "methods" / "models" / WEIGHTS

Arrays = dict[str, NDArray[np.generic]]


def head_arrays(model: Model, shrinkage: float, offset: float = 0.0) -> Arrays:
    """Arrays of a head: trees in single precision."""
    shift = float(model.trees._baseline_prediction.item())
    trees = grown_trees(model.trees)
    return {
        "names": np.array(model.names),
        "units": model.units,
        "level_units": model.level_units,
        "numbers": np.array([shift, shrinkage, offset, model.ballot]),
        "voters": np.array(model.voters, dtype=np.int16),
        **{name: np.array(trees[name], dtype=_KINDS[name]) for name in FIELDS},
    }


_KINDS: Mapping[str, type[np.generic]] = {
    "root": np.int32,
    "feature": np.uint8,
    "threshold": np.float32,
    "left": np.int32,
    "right": np.int32,
    "value": np.float32,
}


def grown_trees(model: HistGradientBoostingClassifier) -> dict[str, list[float]]:
    """Trees of scikit-learn as :func:`bqcd.methods.models.trees.trees_of` reads them."""
    found: dict[str, list[float]] = {name: [] for name in FIELDS}
    for (tree,) in model._predictors:
        start = len(found["feature"])
        found["root"].append(start)
        for place, node in enumerate(tree.nodes):
            leaf = bool(node["is_leaf"])
            ways = (place, place) if leaf else (node["left"], node["right"])
            found["feature"].append(int(node["feature_idx"]))
            found["threshold"].append(0.0 if leaf else float(node["num_threshold"]))
            found["left"].append(start + int(ways[0]))
            found["right"].append(start + int(ways[1]))
            found["value"].append(float(node["value"]) if leaf else 0.0)
    return found


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
