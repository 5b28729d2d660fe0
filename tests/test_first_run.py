"""The first verdict after installation: what is compiled for it; moving it compiles nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bqcd

# One process, as what is shared takes a while to make.
pytestmark = pytest.mark.xdist_group("first run")

FIRST = """
import json
from functools import partial
import numpy as np
from numba.core import event
import bqcd
from bqcd.runtime.kernel import counted_compilations

rng = np.random.default_rng(1)
x = rng.normal(size=1000)
y = x**3 + rng.normal(size=1000)
told = {"package": bqcd.__file__}
with event.install_recorder("numba:compile") as record:
    for name, ask in (("decide", bqcd.decide), ("assess", partial(bqcd.assess, method="bqcd"))):
        with counted_compilations() as kernels:
            told[name + " answer"] = repr(ask(x, y).confidence)
        told[name] = sorted(name.removeprefix("bqcd.") for name in kernels)
functions = [one.data["dispatcher"].py_func for _, one in record.buffer if one.is_start]
told["functions"] = [f"{function.__module__}.{function.__name__}" for function in functions]
with counted_compilations() as kernels:
    told["panel answer"] = repr(bqcd.decide(x, y, method="panel").confidence)
told["panel"] = sorted(name.rpartition(".")[2] for name in kernels)
print(json.dumps(told))
"""

DECIDE = [
    "discovery.quantiles.curve_kernels.fill_scores_both_ways",
    "discovery.quantiles.density_kernels.fill_densities",
    "discovery.quantiles.dependence_kernels.fill_kernel_shapes",
    "discovery.ranking_kernels.fill_normal_scores",
]
ASSESS = [
    "assessments.half_kernels.fill_rows_by_first",
    "assessments.half_kernels.fill_sample",
    "assessments.half_kernels.fill_untied_half",
    "statistics.dependence.rank_kernels.fill_largest_singular_values",
    "statistics.dependence.rank_kernels.fill_untied_products",
]
# Each costs a tenth of a second or more before the first assessment is there.
PANEL = [
    "band_energy",
    "best_spline",
    "cheapest_runs",
    "combined_rows",
    "counts_within",
    "covariance_energy",
    "cubed_distance_sums",
    "data_bands",
    "distances_around",
    "explained_squares",
    "feature_band",
    "feature_sums",
    "inner_product",
    "least_gcv",
    "line_bits",
    "logistic_fit",
    "neighbour_distances",
    "orthogonalise",
    "smooth",
    "smoothed",
    "spline_fit",
    "tridiagonal_eigenvectors",
]


def run(home: Path, packages: Path) -> dict:
    done = subprocess.run(
        [sys.executable, "-c", FIRST],
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | {"BQCD_KERNELS": str(home), "PYTHONPATH": str(packages)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert Path(told["package"]).is_relative_to(packages)
    return told


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> tuple[dict, dict]:
    """What a fresh installation compiles, and what it compiles after it was moved."""
    home, elsewhere = tmp_path_factory.mktemp("kernels"), tmp_path_factory.mktemp("elsewhere")
    source = Path(bqcd.__file__).parent
    first = run(home, source.parent)
    leave = shutil.ignore_patterns("__pycache__")
    # Every file is younger than the one it is a copy of.
    shutil.copytree(source, elsewhere / "bqcd", ignore=leave, copy_function=shutil.copyfile)
    return first, run(home, elsewhere)


def test_only_what_the_question_needs_is_compiled(runs):
    first, _ = runs
    assert first["decide"] == DECIDE
    assert first["assess"] == ASSESS
    assert first["panel"] == PANEL


def test_neither_ties_nor_long_columns_nor_text_are_compiled_for(runs):
    first, _ = runs
    named = {name.rpartition(".")[2] for name in first["functions"]}
    assert not {name for name in named if "tie" in name.split("_") or "group" in name}
    assert not named & {
        "fill_order",
        "fill_untied_form",
        "maximal_by_table",
        "fill_scores_by_cells",
    }
    # Numba makes code for its messages where an array is copied into a slice of another.
    assert not [name for name in first["functions"] if "unicode" in name]
    assert len(first["functions"]) <= 100


def test_each_function_is_compiled_once(runs):
    first, _ = runs
    ours = [name for name in first["functions"] if name.startswith("bqcd.")]
    # But for one that is called with columns of both kinds, to be written to and not.
    again = {name for name in ours if ours.count(name) > 1}
    assert again <= {"bqcd.runtime.sum_kernels.long_inner_product"}


def test_a_package_that_was_moved_compiles_nothing(runs):
    first, moved = runs
    assert moved["package"] != first["package"]
    assert moved["decide"] == moved["assess"] == moved["functions"] == moved["panel"] == []
    for answer in ("decide answer", "assess answer", "panel answer"):
        assert moved[answer] == first[answer]
