"""Every public name is documented, and the documented names and defaults are the real ones."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import bqcd
from bqcd import errors

MODULES = [
    importlib.import_module(name)
    for name in ["bqcd", *(m.name for m in pkgutil.walk_packages(bqcd.__path__, "bqcd."))]
]


@dataclass(frozen=True)
class Documented:
    """A public object, the docstring it shows and the function its parameters are those of."""

    name: str
    docstring: str
    call: object


def public_members(module) -> Iterator[tuple[str, object]]:
    for name, member in vars(module).items():
        # Compiled kernels wrap the function they were made from.
        plain = getattr(member, "py_func", member)
        described = inspect.isclass(plain) or inspect.isroutine(plain)
        if described and not name.startswith("_") and plain.__module__ == module.__name__:
            yield f"{module.__name__}.{name}", plain


def methods_of(owner: type) -> Iterator[tuple[str, object]]:
    for name, member in vars(owner).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield name, member.fget
        elif isinstance(member, cached_property):
            yield name, member.func
        elif isinstance(member, classmethod | staticmethod):
            yield name, member.__func__
        elif inspect.isfunction(member):
            yield name, member


def everything() -> Iterator[Documented]:
    for module in MODULES:
        for name, member in public_members(module):
            yield Documented(name, vars_doc(member), member)
            if inspect.isclass(member):
                for method_name, method in methods_of(member):
                    yield Documented(f"{name}.{method_name}", vars_doc(method), method)


def vars_doc(member: object) -> str:
    """Docstring of the object itself: neither inherited nor written by ``dataclass``."""
    text = vars(member).get("__doc__") if inspect.isclass(member) else member.__doc__
    generated = inspect.isclass(member) and (text or "").startswith(f"{member.__name__}(")
    return "" if generated else inspect.cleandoc(text or "")


EVERYTHING = list(everything())


def section(docstring: str, title: str) -> list[str]:
    """Lines of one numpydoc section."""
    lines = docstring.splitlines()
    for at, line in enumerate(lines[:-1]):
        if line == title and lines[at + 1] == "-" * len(title):
            body = lines[at + 2 :]
            ends = [i for i, below in enumerate(body[1:], 1) if set(below) == {"-"}]
            return body[: ends[0] - 1] if ends else body
    return []


def entries(docstring: str, title: str) -> list[tuple[list[str], str]]:
    """Names and types of one section: ``x, y : float, default=1`` is two names of one type."""
    found = []
    for line in section(docstring, title):
        if line and not line.startswith(" "):
            names, _, kind = line.partition(" : ")
            found.append(([name.strip().lstrip("*") for name in names.split(",")], kind))
    return found


def parameters(item: Documented) -> Iterator[tuple[inspect.Parameter | None, str, str]]:
    for names, kind in entries(item.docstring, "Parameters"):
        for name in names:
            yield inspect.signature(item.call).parameters.get(name), name, kind


def lacks_a_first_sentence(docstring: str) -> bool:
    first, *others = docstring.splitlines() or [""]
    return not first.rstrip().endswith((".", ":")) or bool(others and others[0])


def test_every_module_says_what_it_is():
    first = {module.__name__: (module.__doc__ or "").partition("\n")[0] for module in MODULES}
    assert [name for name, line in first.items() if not line.strip().endswith((".", ":"))] == []


def test_every_public_name_is_documented_and_starts_with_a_sentence():
    assert [item.name for item in EVERYTHING if lacks_a_first_sentence(item.docstring)] == []


def test_documented_parameters_exist():
    documented = [
        (item.name, name, real) for item in EVERYTHING for real, name, _ in parameters(item)
    ]
    assert [(owner, name) for owner, name, real in documented if real is None] == []


def test_documented_defaults_are_the_real_ones():
    wrong = []
    for item in EVERYTHING:
        for real, name, kind in parameters(item):
            told = re.search(r"default=(.+)$", kind)
            if told is None or real is None:
                continue
            if real.default is inspect.Parameter.empty or ast.literal_eval(told[1]) != real.default:
                wrong.append((item.name, name, told[1], real.default))
    assert wrong == []


def test_optional_parameters_can_be_left_out():
    needed = [
        (item.name, name)
        for item in EVERYTHING
        for real, name, kind in parameters(item)
        if kind.endswith(", optional") and real and real.default is inspect.Parameter.empty
    ]
    assert needed == []


def is_error(name: str) -> bool:
    known = getattr(errors, name, getattr(builtins, name, None))
    return isinstance(known, type) and issubclass(known, Exception)


def test_documented_errors_exist():
    raised = [
        (item.name, name)
        for item in EVERYTHING
        for names, _ in entries(item.docstring, "Raises")
        for name in names
    ]
    assert [(owner, name) for owner, name in raised if not is_error(name)] == []


def example(x: int, y: int = 2) -> None:
    """Nothing.

    Parameters
    ----------
    x, y : int, default=3
        Two numbers.
    z : str, optional
        Not there.

    Raises
    ------
    OSErorr
        Never.
    """


def test_the_checks_above_see_what_is_written():
    item = Documented("example", vars_doc(example), example)
    assert [(real and real.default, name, kind) for real, name, kind in parameters(item)] == [
        (inspect.Parameter.empty, "x", "int, default=3"),
        (2, "y", "int, default=3"),
        (None, "z", "str, optional"),
    ]
    assert entries(item.docstring, "Raises") == [(["OSErorr"], "")]
    assert not is_error("OSErorr")
    assert is_error("OSError")
    assert not lacks_a_first_sentence(item.docstring)
    assert lacks_a_first_sentence("")
    assert lacks_a_first_sentence("No stop")
    assert lacks_a_first_sentence("A stop.\nAnd no empty line.")


def test_the_checks_above_meet_every_file_and_what_it_defines():
    """A walk that stops early, or a filter that leaves too much out, would check nothing."""
    root = Path(bqcd.__file__).parent
    files = set(root.rglob("*.py"))
    assert {Path(module.__file__) for module in MODULES} == files
    written = {name for path in files for name in public_definitions(path, root)}
    assert {item.name for item in EVERYTHING} >= written


def public_definitions(path: Path, root: Path) -> Iterator[str]:
    """Public functions and classes of a file, and public methods of these classes."""
    module = ".".join(["bqcd", *path.relative_to(root).with_suffix("").parts])
    module = module.removesuffix(".__init__")
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        yield f"{module}.{node.name}"
        for inner in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
                yield f"{module}.{node.name}.{inner.name}"


def test_every_name_at_the_front_door_is_there_once():
    assert [name for name in bqcd.__all__ if not hasattr(bqcd, name)] == []
    assert sorted(set(bqcd.__all__)) == sorted(bqcd.__all__)


def test_the_version_is_that_of_the_installed_package():
    assert bqcd.__version__ == version("bqcd")
