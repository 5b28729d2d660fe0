"""What the shell offers when Tab is pressed: names of methods, benchmarks, generators, targets."""

from __future__ import annotations

from collections.abc import Iterable


def method_names(incomplete: str) -> list[str]:
    """Methods whose names begin so."""
    from bqcd.methods.table import METHODS

    return _beginning(METHODS, incomplete)


def method_lists(incomplete: str) -> list[str]:
    """Lists of methods, separated by commas, whose last name begins so."""
    from bqcd.methods.table import METHODS

    return _lists(METHODS, incomplete)


def pairset_names(incomplete: str) -> list[str]:
    """Published benchmarks whose names begin so."""
    from bqcd.benchmark.datasets.cards import PAIRSETS

    return _beginning(PAIRSETS, incomplete)


def pairset_lists(incomplete: str) -> list[str]:
    """Lists of benchmarks, separated by commas, whose last name begins so."""
    from bqcd.benchmark.datasets.cards import PAIRSETS

    return _lists(PAIRSETS, incomplete)


def generator_names(incomplete: str) -> list[str]:
    """Generators whose names begin so."""
    from bqcd.benchmark.datasets import GENERATORS

    return _beginning(GENERATORS, incomplete)


def target_names(incomplete: str) -> list[str]:
    """Tables and figures of the paper whose names begin so."""
    from bqcd.show.reproduction import TARGETS

    return _beginning(TARGETS, incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _lists(names: Iterable[str], incomplete: str) -> list[str]:
    before, comma, last = incomplete.rpartition(",")
    taken = set(before.split(","))
    return [f"{before}{comma}{name}" for name in _beginning(names, last) if name not in taken]
