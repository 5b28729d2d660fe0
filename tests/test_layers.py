"""Who may import whom: every import in the source, also a lazy one, against one table."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import bqcd

SOURCE = Path(bqcd.__file__).parent

# A unit is a module or package directly below bqcd; "bqcd" itself is the front door.
ALLOWED: Mapping[str, set[str]] = {
    "errors": set(),
    "settings": {"errors"},
    "optional": {"errors"},
    "compilation": set(),
    "version": set(),
    "sheets": {"atomic", "errors"},
    # arrays only
    "ranking_kernels": {"compilation"},
    "normal_scores": {"ranking_kernels"},
    "published_ties": set(),
    "seeding": set(),
    # files and processes
    "atomic": set(),
    "locks": set(),
    "processes": {"errors", "optional"},
    "scores": {"errors", "settings"},
    "dependence": {"normal_scores", "statistics"},
    "code_lengths": {"errors", "normal_scores", "scores", "settings"},
    "metrics": {"errors", "optional", "settings"},
    "statistics": {"compilation", "errors", "settings"},
    "quantiles": {
        "compilation",
        "errors",
        "normal_scores",
        "optional",
        "ranking_kernels",
        "scores",
        "settings",
    },
    # columns and tables
    "columns": {"errors"},
    "frames": {"errors", "settings"},
    "pair": {"columns", "errors", "frames", "settings"},
    "text_files": {"errors"},
    "delimited": {"errors", "text_files"},
    "arrow_files": {"errors", "text_files"},
    "tables": {"arrow_files", "delimited", "errors", "frames", "settings", "text_files"},
    "datasets": {"atomic", "errors", "optional", "pair", "settings", "tables", "text_files"},
    "weighting": {"columns", "errors", "normal_scores", "pair", "seeding"},
    # methods and verdicts
    "contract": {"errors", "pair", "weighting"},
    "averaging": {"contract", "evidence", "weighting"},
    "evidence": {"normal_scores", "pair", "quantiles", "ranking_kernels", "scores"},
    "discovery": {
        "contract",
        "errors",
        "evidence",
        "normal_scores",
        "pair",
        "published_ties",
        "quantiles",
        "scores",
        "settings",
    },
    "baselines": {"compilation", "contract", "errors", "pair", "settings", "statistics"},
    "methods": {
        "averaging",
        "baselines",
        "contract",
        "discovery",
        "errors",
        "pair",
        "seeding",
        "settings",
        "weighting",
    },
    # graphs of many pairs
    "graphs": {
        "atomic",
        "columns",
        "contract",
        "errors",
        "frames",
        "methods",
        "optional",
        "pair",
        "plots",
        "seeding",
        "settings",
        "sheets",
        "statistics",
        "text_files",
    },
    # how far a verdict may be trusted
    "assessments": {
        "columns",
        "compilation",
        "contract",
        "dependence",
        "discovery",
        "errors",
        "evidence",
        "frames",
        "methods",
        "normal_scores",
        "optional",
        "pair",
        "plots",
        "processes",
        "quantiles",
        "scores",
        "seeding",
        "settings",
        "sheets",
        "statistics",
        "weighting",
    },
    # every pair of a table
    "scans": {
        "arrow_files",
        "atomic",
        "columns",
        "compilation",
        "contract",
        "dependence",
        "discovery",
        "errors",
        "frames",
        "locks",
        "methods",
        "normal_scores",
        "optional",
        "pair",
        "processes",
        "quantiles",
        "scores",
        "seeding",
        "settings",
        "sheets",
        "statistics",
        "tables",
        "text_files",
        "version",
    },
    # many methods on many pairs
    "benchmark": {
        "atomic",
        "contract",
        "datasets",
        "errors",
        "locks",
        "methods",
        "metrics",
        "optional",
        "pair",
        "plots",
        "processes",
        "seeding",
        "settings",
        "sheets",
        "version",
    },
    # what people see
    "display": {"contract", "evidence"},
    "views": {
        "contract",
        "discovery",
        "errors",
        "evidence",
        "normal_scores",
        "pair",
        "quantiles",
    },
    "plots": {
        "atomic",
        "code_lengths",
        "contract",
        "discovery",
        "errors",
        "evidence",
        "optional",
        "pair",
        "views",
    },
    "reproduction": {
        "atomic",
        "benchmark",
        "code_lengths",
        "datasets",
        "errors",
        "graphs",
        "methods",
        "metrics",
        "pair",
        "plots",
        "seeding",
        "settings",
        "sheets",
        "version",
        "views",
    },
    "pages": {"errors", "optional", "settings"},
    "reports": {
        "assessments",
        "atomic",
        "benchmark",
        "columns",
        "contract",
        "dependence",
        "discovery",
        "display",
        "errors",
        "evidence",
        "graphs",
        "methods",
        "metrics",
        "normal_scores",
        "pages",
        "pair",
        "plots",
        "scans",
        "seeding",
        "settings",
        "tables",
        "text_files",
        "version",
        "views",
    },
    "explorer": {
        "atomic",
        "discovery",
        "errors",
        "methods",
        "pages",
        "pair",
        "processes",
        "quantiles",
        "reports",
        "scans",
        "settings",
    },
    "estimator": {"contract", "errors", "frames", "methods", "optional", "pair", "settings"},
    "adapters": {
        "atomic",
        "contract",
        "errors",
        "frames",
        "graphs",
        "methods",
        "optional",
        "pair",
        "settings",
        "sheets",
    },
    "bqcd": {
        "assessments",
        "benchmark",
        "contract",
        "datasets",
        "discovery",
        "errors",
        "estimator",
        "graphs",
        "methods",
        "pair",
        "reports",
        "scans",
        "version",
    },
    "cli": {
        "assessments",
        "benchmark",
        "bqcd",
        "compilation",
        "contract",
        "datasets",
        "errors",
        "explorer",
        "graphs",
        "methods",
        "optional",
        "pair",
        "reports",
        "reproduction",
        "scans",
        "settings",
        "sheets",
        "tables",
        "weighting",
    },
}

# Arrows that point up, each from inside a method of one class and nowhere else.
LAZY = {
    ("contract", "display"): "Verdict",
    ("contract", "plots"): "Verdict",
    ("contract", "reports"): "Verdict",
    ("assessments", "reports"): "Assessment",
    ("benchmark", "reports"): "Results",
    ("graphs", "reports"): "Orientation",
    ("scans", "reports"): "Scan",
}

ARRAYS_ONLY = (
    "code_lengths",
    "metrics",
    "normal_scores",
    "published_ties",
    "quantiles",
    "ranking_kernels",
    "scores",
    "statistics",
)
RECORDS = {"pair", "contract", "evidence", "discovery", "methods", "tables", "datasets"}

OPTIONAL_PACKAGES = {
    "causallearn",
    "dask",
    "distributed",
    "gadjid",
    "jinja2",
    "joblib",
    "joblibspark",
    "matplotlib",
    "pandas",
    "pgmpy",
    "polars",
    "pooch",
    "pyvinecopulib",
    "quantile_forest",
    "ray",
    "requests",
    "sklearn",
    "statsmodels",
}


def unit_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return "bqcd" if first == "__init__.py" else first.removesuffix(".py")


MODULES = sorted(path for path in SOURCE.rglob("*.py") if "__pycache__" not in path.parts)
UNITS = {unit_of(path) for path in MODULES}


def statements(tree: ast.AST, inside: tuple[str, ...] = ()) -> Iterator[tuple[ast.AST, tuple]]:
    """Every node with the names of the classes, functions and conditions around it."""
    for node in ast.iter_child_nodes(tree):
        yield node, inside
        around = inside
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            around = (*inside, node.name)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            around = (*inside, "TYPE_CHECKING")
        yield from statements(node, around)


def imported_names(node: ast.AST, path: Path) -> list[str]:
    """Full names of what an import statement may bring in, with the leading package."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    if node.level:
        package = ["bqcd", *path.relative_to(SOURCE).parts[: -node.level]]
        source = ".".join([*package, *([node.module] if node.module else [])])
    else:
        source = node.module or ""
    return [f"{source}.{alias.name}" for alias in node.names]


def imports(path: Path) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Imported full name, what it is nested in, and line."""
    for node, inside in statements(ast.parse(path.read_text(encoding="utf-8"))):
        for name in imported_names(node, path):
            yield name, inside, node.lineno


def target_unit(name: str) -> str | None:
    first, _, rest = name.partition(".")
    if first != "bqcd":
        return None
    unit = rest.partition(".")[0]
    # `from bqcd import __version__` asks the front door itself.
    return unit if unit in UNITS else "bqcd"


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(SOURCE)) for path in MODULES])
def test_a_module_imports_only_units_below_its_own(path):
    unit = unit_of(path)
    for name, inside, line in imports(path):
        target = target_unit(name)
        if target in (None, unit):
            continue
        if (unit, target) in LAZY:
            owner = LAZY[unit, target]
            assert inside[:1] == (owner,), f"{path}:{line} {name}: only inside {owner}"
            assert len(inside) == 2, f"{path}:{line} {name}: only inside a method"
            continue
        assert target in ALLOWED[unit], f"{path}:{line}: {unit} may not import {target}"


def test_the_table_lists_every_unit_and_no_other():
    assert set(ALLOWED) == UNITS
    assert set().union(*ALLOWED.values()) <= UNITS


def test_the_table_has_no_cycle():
    order = list(TopologicalSorter(ALLOWED).static_order())
    assert order.index("errors") < order.index("pair") < order.index("contract")
    assert order.index("contract") < order.index("discovery") < order.index("cli")


def test_nobody_imports_the_command_line():
    assert [unit for unit, below in ALLOWED.items() if "cli" in below] == []


@pytest.mark.parametrize("unit", ARRAYS_ONLY)
def test_units_of_arrays_never_reach_records(unit):
    reached, open_units = set(), [unit]
    while open_units:
        for below in ALLOWED[open_units.pop()] - reached:
            reached.add(below)
            open_units.append(below)
    assert not reached & RECORDS


def test_optional_packages_are_imported_through_the_gate_only():
    found = [
        f"{path.relative_to(SOURCE)}:{line} {name}"
        for path in MODULES
        for name, inside, line in imports(path)
        if name.partition(".")[0] in OPTIONAL_PACKAGES and "TYPE_CHECKING" not in inside
    ]
    assert found == []


def test_an_import_is_found_wherever_it_hides(tmp_path):
    source = (
        "from bqcd.data.pair import Pair\n"
        "def f():\n    from bqcd import cli\n"
        "if TYPE_CHECKING:\n    import bqcd.show.plots\n"
    )
    (tmp_path / "m.py").write_text(source)
    found = {(target_unit(name), inside) for name, inside, _ in imports(tmp_path / "m.py")}
    assert found == {("pair", ()), ("cli", ("f",)), ("plots", ("TYPE_CHECKING",))}
