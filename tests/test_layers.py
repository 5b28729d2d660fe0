"""Who may import whom: every import in the source, also one inside a function.

Rooms are listed from the ground up; each may import from those listed beside it and no other. One
arrow points up, from records to what people see of them, and starts in one module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import bqcd

# One process, as what is read takes a while.
pytestmark = pytest.mark.xdist_group("layers")

SOURCE = Path(bqcd.__file__).parent

ROOMS: Mapping[str, set[str]] = {
    "errors": set(),
    "runtime": {"errors"},
    "statistics": {"errors", "runtime"},
    "data": {"errors", "runtime"},
    "discovery": {"errors", "runtime", "data"},
    "methods": {"errors", "runtime", "statistics", "data", "discovery"},
    "assessments": {"errors", "runtime", "statistics", "data", "discovery", "methods"},
    "scans": {"errors", "runtime", "statistics", "data", "discovery", "methods", "assessments"},
    "graphs": {"errors", "runtime", "statistics", "data", "methods", "assessments"},
    "benchmark": {"errors", "runtime", "data", "methods"},
    "show": {
        "errors", "runtime", "data", "discovery", "methods", "assessments", "scans", "graphs",
        "benchmark",
    },
    "cli": {"errors", "runtime", "data", "methods", "assessments", "scans", "graphs", "benchmark",
            "show"},
}  # fmt: skip
"""What each room may import; the front door, ``bqcd`` itself, may import all but the last."""

# The one arrow that points up.
UP = ("bqcd.runtime.shown", "show")

INSIDE: Mapping[str, Mapping[str, set[str]]] = {
    "statistics": {
        "splines": {"ordering", "scaling"},
        "location_scale": {"dependence", "ordering", "scaling"},
        "dependence": {"bell_kernels"},
        "codes": set(),
    },
    "discovery": {"quantiles": {"ranks", "scores", "sorting"}},
    "methods": {"models": set(), "wrappers": {"answers", "decide", "verdict"}},
    "scans": {"engines": {"records"}},
    "graphs": {
        "formats": {"ends", "partial"},
        "skeletons": {"equivalence", "formats", "knowledge", "notes", "partial"},
        "orienting": {"ends", "formats", "knowledge", "notes", "partial"},
    },
    "benchmark": {"datasets": set(), "metrics": set(), "running": {"datasets", "results"}},
    "show": {
        "words": {"chances", "views"},
        "sheets": {"chances", "plots", "words"},
        "plots": {"levels", "views", "words"},
        "pages": {"chances"},
        "reports": {"chances", "levels", "pages", "plots", "terminal", "views", "words"},
        "explorer": {"pages", "reports"},
        "reproduction": {"plots", "sheets", "views", "words"},
    },
}
"""What parts of the big rooms may import from beside them in their room."""

# Rooms of arrays: no tables, no records.
FOREIGN_TO_ARRAYS = {"pandas", "polars", "pyarrow", "narwhals", "networkx", "rich", "typer"}

OPTIONAL_PACKAGES = {
    "causallearn",
    "dask",
    "distributed",
    "duckdb",
    "fsspec",
    "gadjid",
    "jinja2",
    "joblib",
    "joblibspark",
    "matplotlib",
    "openpyxl",
    "pandas",
    "pgmpy",
    "polars",
    "pooch",
    "pyreadstat",
    "pyvinecopulib",
    "quantile_forest",
    "ray",
    "requests",
    "sklearn",
    "statsmodels",
}


MODULES = {
    ".".join(("bqcd", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in sorted(SOURCE.rglob("*.py"))
    # `python -m bqcd` is the command by another name.
    if "__pycache__" not in path.parts and path.name != "__main__.py"
}


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


@cache
def imports(path: Path) -> list[tuple[str, tuple[str, ...], int]]:
    """Imported full name, what it is nested in, and line."""
    return [
        (name, inside, node.lineno)
        for node, inside in statements(ast.parse(path.read_text(encoding="utf-8")))
        for name in imported_names(node, path)
    ]


def room_of(module: str) -> str:
    """Room of a module; "bqcd" for the front door."""
    return ([*module.split("."), "bqcd"])[1]


def module_of(name: str) -> str | None:
    """Module that an imported name is, or is from; None for foreign ones."""
    if name in MODULES:
        return name
    parent = name.rpartition(".")[0]
    return parent if parent in MODULES else None


def arrows() -> Iterator[tuple[str, str, tuple[str, ...], int]]:
    """Every import of a module of ours by another: both, what it is nested in, and line."""
    for module, path in MODULES.items():
        for name, inside, line in imports(path):
            target = module_of(name)
            if target is not None and target != module:
                yield module, target, inside, line


def test_rooms_are_those_of_the_table_and_there_are_twelve():
    found = {room_of(module) for module in MODULES} - {"bqcd"}
    assert found == set(ROOMS)
    assert len(ROOMS) == 12


def test_rooms_point_down():
    order = list(ROOMS)
    for room, below in ROOMS.items():
        assert all(order.index(other) < order.index(room) for other in below)


def test_a_module_imports_from_rooms_below_its_own():
    wrong = [
        f"{module}:{line}: {room_of(module)} may not import {target}"
        for module, target, _, line in arrows()
        if room_of(module) not in ("bqcd", room_of(target))
        and (room_of(module), target) != ("cli", "bqcd")
        and room_of(target) not in ROOMS[room_of(module)]
        and (module, room_of(target)) != UP
    ]
    assert wrong == []


def test_the_table_allows_nothing_that_is_not_needed():
    used = {(room_of(module), room_of(target)) for module, target, _, _ in arrows()}
    allowed = {(room, below) for room, rooms in ROOMS.items() for below in rooms}
    assert allowed - used == set()


def test_one_arrow_points_up_from_inside_a_function():
    up = [
        inside
        for module, target, inside, _ in arrows()
        if room_of(module) == "runtime" and room_of(target) == "show"
    ]
    assert sorted(up) == [("TYPE_CHECKING",), ("shown",)]


def test_nobody_imports_the_command_line():
    assert [module for module, target, _, _ in arrows()
            if room_of(target) == "cli" and room_of(module) != "cli"] == []  # fmt: skip


def test_no_modules_form_a_cycle_also_by_imports_inside_functions():
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for module, target, inside, _ in arrows():
        if "TYPE_CHECKING" not in inside and (module, room_of(target)) != UP:
            graph[module].add(target)
    assert cycle_in(graph) == []


def test_a_cycle_would_be_found():
    assert set(cycle_in({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == {"a", "b", "c"}


def cycle_in(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle; none if there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("room", INSIDE)
def test_parts_of_big_rooms_point_one_way(room):
    wrong = []
    for module, target, _, line in arrows():
        if room_of(module) != room or room_of(target) != room:
            continue
        part, other = module.split(".")[2:3], target.split(".")[2:3]
        if not part or part == other or part[0] not in INSIDE[room]:
            continue
        if not other or other[0] not in INSIDE[room][part[0]]:
            wrong.append(f"{module}:{line}: {target}")
    assert wrong == []


@pytest.mark.parametrize("room", ["statistics", "discovery"])
def test_rooms_of_arrays_know_no_tables(room):
    wrong = [
        f"{module}:{line} {name}"
        for module, path in MODULES.items()
        if room_of(module) == room
        for name, inside, line in imports(path)
        if name.partition(".")[0] in FOREIGN_TO_ARRAYS and "TYPE_CHECKING" not in inside
    ]
    assert wrong == []


def test_optional_packages_are_imported_through_the_gate_only():
    found = [
        f"{module}:{line} {name}"
        for module, path in MODULES.items()
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
    found = {(module_of(name), inside) for name, inside, _ in imports(tmp_path / "m.py")}
    assert found == {
        ("bqcd.data.pair", ()),
        ("bqcd.cli", ("f",)),
        ("bqcd.show.plots", ("TYPE_CHECKING",)),
    }
