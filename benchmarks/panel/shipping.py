"""Models of scikit-learn as plain arrays, and the file of weights."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from learning import Odd, Trees
from numpy.typing import NDArray

import bqcd
from bqcd.methods.models.panel_model import STORED, WEIGHTS

FILE = Path(bqcd.__file__).parent / "methods" / "models" / WEIGHTS

Arrays = dict[str, NDArray[np.generic]]


def tree_arrays(model: Trees) -> Arrays:
    """Nodes of all trees; a leaf sends every input to itself, and the start is a tree of one."""
    features, thresholds, lefts, rights, values, roots = [], [], [], [], [], []
    depth = 0
    at = 0
    start = np.array([(float(np.ravel(model._baseline_prediction)[0]))])
    for nodes in [None, *(trees[0].nodes for trees in model._predictors)]:
        count = 1 if nodes is None else len(nodes)
        leaf = np.array([True]) if nodes is None else nodes["is_leaf"].astype(bool)
        own = at + np.arange(count)
        roots.append(at)
        features.append(np.where(leaf, 0, 0 if nodes is None else nodes["feature_idx"]))
        thresholds.append(np.where(leaf, 0.0, 0.0 if nodes is None else nodes["num_threshold"]))
        lefts.append(np.where(leaf, own, at + (0 if nodes is None else nodes["left"])))
        rights.append(np.where(leaf, own, at + (0 if nodes is None else nodes["right"])))
        values.append(start if nodes is None else np.where(leaf, nodes["value"], 0.0))
        depth = max(depth, 0 if nodes is None else int(nodes["depth"].max()))
        at += count
    return {
        "roots": np.array(roots, dtype=np.int32),
        "feature": np.concatenate(features).astype(np.int16),
        # Single precision, of which the sums are then exact copies on every machine.
        "threshold": np.concatenate(thresholds).astype(np.float32),
        "left": np.concatenate(lefts).astype(np.int32),
        "right": np.concatenate(rights).astype(np.int32),
        "value": np.concatenate(values).astype(np.float32),
        "depth": np.array(depth),
    }


def odd_head(model: Odd, shrinkage: float) -> Arrays:
    """Arrays of a head with a direction."""
    networks = model.networks
    arrays = {
        "weights": np.array([net.coefs_[0].T for net in networks], dtype=np.float32),
        "biases": np.array([net.intercepts_[0] for net in networks], dtype=np.float32),
        "out": np.array([net.coefs_[1].ravel() for net in networks], dtype=np.float32),
    }
    return _head(model.names, model.units, model.trees, shrinkage, 0.0) | arrays


def kind_head(
    names: Sequence[str], units: NDArray[np.float64], trees: Trees, shrinkage: float, offset: float
) -> Arrays:
    """Arrays of a head without direction."""
    return _head(names, units, trees, shrinkage, offset)


def _head(
    names: Sequence[str],
    units: NDArray[np.float64],
    trees: Trees,
    shrinkage: float,
    offset: float,
) -> Arrays:
    arrays = tree_arrays(trees)
    depth = arrays.pop("depth")
    return {
        "names": np.array(names),
        "units": units,
        "numbers": np.array([float(depth), shrinkage, offset]),
        "weights": np.zeros((0, 1, 1), dtype=np.float32),
        "biases": np.zeros((0, 1), dtype=np.float32),
        "out": np.zeros((0, 1), dtype=np.float32),
        **arrays,
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
