"""Without the optional packages all but their own features work; importing does nothing else."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path

import pytest

import bqcd
from bqcd.errors import MissingPackageError
from bqcd.runtime.optional import require

# One process, as what is shared takes a while to make.
pytestmark = pytest.mark.xdist_group("minimal")

HEAVY = ("matplotlib", "narwhals", "numba", "pandas", "polars", "pyarrow", "rich", "scipy", "typer")

WITHOUT_OPTIONAL_PACKAGES = """
import importlib, json, pkgutil, sys

BLOCKED = {
    "causallearn", "dask", "distributed", "duckdb", "fsspec", "gadjid", "jinja2", "joblib",
    "joblibspark", "matplotlib", "openpyxl", "pandas", "polars", "pooch", "pyreadstat",
    "pyvinecopulib", "quantile_forest", "ray", "requests", "sklearn",
}

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Block())
import numpy as np
import bqcd
from bqcd.errors import MissingPackageError

modules = [m.name for m in pkgutil.walk_packages(bqcd.__path__, "bqcd.")]
for name in modules:
    importlib.import_module(name)

rng = np.random.default_rng(0)
x = rng.normal(size=100)
y = x**2 + 0.1 * rng.normal(size=100)
verdict = bqcd.decide(x, y)

def refusal(ask):
    try:
        return f"no error but {ask()!r}"
    except MissingPackageError as error:
        return str(error)

from pathlib import Path
from tempfile import mkdtemp

folder = Path(mkdtemp())
for name in ("t.xlsx", "t.dta", "t.duckdb"):
    folder.joinpath(name).write_bytes(b"PK")

class Estimator:
    def get_params(self):
        return {"quantile": 0.5}

from bqcd.discovery.quantiles import EstimatorQuantiles

print(json.dumps({
    "modules": modules,
    "confidence": verdict.confidence,
    "refusals": {
        "vinecopulib": refusal(lambda: bqcd.decide(x, y, regressor="vinecopulib")),
        "quantile-forest": refusal(lambda: bqcd.decide(x, y, regressor="quantile-forest")),
        "plot": refusal(verdict.plot),
        "page": refusal(verdict.to_html),
        "Excel": refusal(lambda: bqcd.read_table(folder / "t.xlsx")),
        "Stata": refusal(lambda: bqcd.read_table(folder / "t.dta")),
        "DuckDB": refusal(lambda: bqcd.read_table(folder / "t.duckdb")),
        "address": refusal(lambda: bqcd.read_table("s3://bucket/t.csv")),
        "estimator": refusal(
            lambda: bqcd.decide(x, y, regressor=EstimatorQuantiles(Estimator()))
        ),
    },
    "blocked": sorted(BLOCKED & set(sys.modules)),
}))
"""

IMPORTING = """
import json, random, sys, warnings
import numpy as np

def state():
    kind, keys, *rest = np.random.get_state()
    return [repr(warnings.filters), kind, keys.tolist(), rest, repr(random.getstate()),
            repr(np.geterr()), repr(np.get_printoptions())]

before = state()
import bqcd
after_package = sorted({name.partition(".")[0] for name in sys.modules})
import bqcd.cli.commands
after_cli = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps({"package": after_package, "cli": after_cli, "untouched": before == state()}))
"""

DRAWING = """
import json, sys
import matplotlib
import numpy as np

def settings():
    # Read as a plain dict: rcParams itself may import pyplot to choose a backend.
    return dict(dict.items(matplotlib.rcParams))

matplotlib.use("svg")
settings_before = settings()
import bqcd
rng = np.random.default_rng(0)
x = rng.normal(size=50)
random_state = np.random.get_state()[1].tolist()
figure = bqcd.decide(x, x**2 + 0.1 * rng.normal(size=50)).plot()
print(json.dumps({
    "panels": len(figure.axes),
    "pyplot": "matplotlib.pyplot" in sys.modules,
    "backend": settings()["backend"],
    "settings": settings() == settings_before,
    "random": np.random.get_state()[1].tolist() == random_state,
}))
"""


def told_by(script: str) -> dict:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def without() -> dict:
    return told_by(WITHOUT_OPTIONAL_PACKAGES)


@pytest.fixture(scope="module")
def imported() -> dict:
    return told_by(IMPORTING)


def test_every_module_imports_without_the_optional_packages(without):
    root = Path(bqcd.__file__).parent
    parts = (path.relative_to(root).with_suffix("").parts for path in root.rglob("*.py"))
    files = {".".join(["bqcd", *part]).removesuffix(".__init__") for part in parts}
    assert {"bqcd", *without["modules"]} == files
    assert without["blocked"] == []


def test_a_pair_is_decided_without_the_optional_packages(without):
    assert without["confidence"] > 0.0


@pytest.mark.parametrize(
    ("asked", "package", "extra"),
    [
        ("vinecopulib", "pyvinecopulib", "vinecopulib"),
        ("quantile-forest", "quantile_forest", "forest"),
        ("plot", "matplotlib", "plots"),
        ("page", "jinja2", "report"),
        ("Excel", "openpyxl", "files"),
        ("Stata", "pyreadstat", "files"),
        ("DuckDB", "duckdb", "files"),
        ("address", "fsspec", "files"),
    ],
)
def test_asking_for_what_is_not_installed_says_what_to_install(without, asked, package, extra):
    message = without["refusals"][asked]
    assert f"needs the package '{package}'" in message
    assert message.endswith(f"pip install 'bqcd[{extra}]'")


def test_an_estimator_without_its_package_is_refused_by_name(without):
    assert "needs the package 'sklearn'" in without["refusals"]["estimator"]


def test_every_extra_the_gate_names_can_be_installed():
    named = set()
    for path in Path(bqcd.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "require":
                named |= {k.value.value for k in node.keywords if k.arg == "extra"}
    offered = set(metadata("bqcd").get_all("Provides-Extra"))
    assert len(named) >= 3
    assert named <= offered


@pytest.mark.parametrize("package", HEAVY)
def test_importing_bqcd_does_not_import(imported, package):
    assert package not in imported["package"]


@pytest.mark.parametrize("package", sorted(set(HEAVY) - {"rich", "typer"}))
def test_help_on_the_command_line_does_not_wait_for(imported, package):
    assert package not in imported["cli"]


def test_importing_changes_no_filter_seed_or_setting(imported):
    assert imported["untouched"]


def test_drawing_leaves_matplotlib_as_it_was():
    told = told_by(DRAWING)
    assert told["panels"] >= 2
    assert told["backend"] == "svg"
    assert told["settings"]
    assert told["random"]
    assert not told["pyplot"]


def test_a_broken_package_does_not_look_like_a_missing_one(tmp_path, monkeypatch):
    (tmp_path / "bqcd_broken_example.py").write_text("import bqcd_nowhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="bqcd_nowhere") as caught:
        require("bqcd_broken_example", extra="plots", needed_by="A test")
    assert not isinstance(caught.value, MissingPackageError)


def test_a_missing_package_is_an_import_error_with_the_install_line():
    with pytest.raises(MissingPackageError, match=r"pip install 'bqcd\[plots\]'") as caught:
        require("bqcd_nowhere.part", extra="plots", needed_by="A test")
    assert isinstance(caught.value, ImportError)
    assert str(caught.value).startswith("A test needs the package 'bqcd_nowhere'")
