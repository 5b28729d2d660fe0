"""What the shell offers when Tab is pressed: names of methods, benchmarks, generators, targets."""

from __future__ import annotations

from collections.abc import Iterable

from bqcd.cli.names import GENERATOR_NAMES, METHOD_NAMES, PAIRSET_NAMES, TARGET_NAMES


def method_names(incomplete: str) -> list[str]:
    """Methods whose names begin so."""
    return _beginning(METHOD_NAMES, incomplete)


def method_lists(incomplete: str) -> list[str]:
    """Lists of methods, separated by commas, whose last name begins so."""
    return _lists(METHOD_NAMES, incomplete)


def pairset_names(incomplete: str) -> list[str]:
    """Published benchmarks whose names begin so."""
    return _beginning(PAIRSET_NAMES, incomplete)


def pairset_lists(incomplete: str) -> list[str]:
    """Lists of benchmarks, separated by commas, whose last name begins so."""
    return _lists(PAIRSET_NAMES, incomplete)


def generator_names(incomplete: str) -> list[str]:
    """Generators whose names begin so."""
    return _beginning(GENERATOR_NAMES, incomplete)


def target_names(incomplete: str) -> list[str]:
    """Tables and figures of the paper whose names begin so."""
    return _beginning(TARGET_NAMES, incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _lists(names: Iterable[str], incomplete: str) -> list[str]:
    before, comma, last = incomplete.rpartition(",")
    taken = set(before.split(","))
    return [f"{before}{comma}{name}" for name in _beginning(names, last) if name not in taken]
