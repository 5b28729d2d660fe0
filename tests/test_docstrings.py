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

import pytest

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
    signature = inspect.signature(item.call)
    for names, kind in entries(item.docstring, "Parameters"):
        for name in names:
            yield signature.parameters.get(name), name, kind


WITH_PARAMETERS = [item for item in EVERYTHING if entries(item.docstring, "Parameters")]


def named(items: list[Documented]):
    return pytest.mark.parametrize("item", items, ids=[item.name for item in items])


@pytest.mark.parametrize("module", MODULES, ids=[module.__name__ for module in MODULES])
def test_a_module_says_what_it_is(module):
    assert module.__doc__
    assert module.__doc__.splitlines()[0].strip().endswith((".", ":"))


@named(EVERYTHING)
def test_a_public_name_is_documented_and_starts_with_a_sentence(item):
    assert item.docstring, f"{item.name} has no docstring of its own"
    first, *others = item.docstring.splitlines()
    assert first.rstrip().endswith((".", ":")), first
    assert not others or others[0] == ""


@named(WITH_PARAMETERS)
def test_documented_parameters_exist(item):
    for real, name, _ in parameters(item):
        assert real is not None, f"{item.name} has no parameter {name!r}"


@named(WITH_PARAMETERS)
def test_documented_defaults_are_the_real_ones(item):
    for real, name, kind in parameters(item):
        documented = re.search(r"default=(.+)$", kind)
        if documented is None:
            continue
        assert real is not None
        assert real.default is not inspect.Parameter.empty, f"{name} of {item.name} has no default"
        assert ast.literal_eval(documented[1]) == real.default, f"{name} of {item.name}"


@named(WITH_PARAMETERS)
def test_optional_parameters_can_be_left_out(item):
    for real, name, kind in parameters(item):
        if kind.endswith(", optional"):
            assert real is not None
            assert real.default is not inspect.Parameter.empty, f"{name} of {item.name}"


@named([item for item in EVERYTHING if entries(item.docstring, "Raises")])
def test_documented_errors_exist(item):
    for names, _ in entries(item.docstring, "Raises"):
        for name in names:
            known = getattr(errors, name, getattr(builtins, name, None))
            assert known is not None, f"{item.name} raises an unknown {name}"
            assert issubclass(known, Exception)


def test_the_checks_above_have_something_to_check():
    assert len(EVERYTHING) > 60
    assert len(WITH_PARAMETERS) > 15
    defaults = [kind for item in WITH_PARAMETERS for _, _, kind in parameters(item)]
    assert sum("default=" in kind for kind in defaults) > 15


@pytest.mark.parametrize("name", bqcd.__all__)
def test_every_name_at_the_front_door_is_there(name):
    assert hasattr(bqcd, name)
    assert bqcd.__all__.count(name) == 1


def test_the_version_is_that_of_the_installed_package():
    from importlib.metadata import version

    assert bqcd.__version__ == version("bqcd")
