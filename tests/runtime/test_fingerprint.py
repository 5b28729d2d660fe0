"""Fingerprints: what changes machine code changes them, and nothing else does."""

from __future__ import annotations

import pytest

from bqcd.runtime.fingerprint import fingerprint

PLAIN = """
import math
import numpy as np
RATE = 0.5
TABLE = np.array([1.0, 2.0])
def helper(x):
    return x + RATE
def kernel(x, power=2):
    return helper(x) ** power + math.sqrt(TABLE[0])
"""


def compiled(source: str, name: str = "kernel", file: str = "a.py"):
    scope = {"__name__": "typed_in"}
    exec(compile(source, file, "exec"), scope)
    return scope[name]


def changed(old: str, new: str) -> bool:
    assert old in PLAIN
    return fingerprint(compiled(PLAIN)) != fingerprint(compiled(PLAIN.replace(old, new)))


def test_place_comments_docstrings_and_lines_do_not_count():
    elsewhere = compiled("# moved\n\n\n" + PLAIN, file="/some/other/place.py")
    assert fingerprint(elsewhere) == fingerprint(compiled(PLAIN))
    assert not changed("    return helper", '    """Words."""\n    # why\n    return helper')
    assert not changed("def helper", "OTHER = 3\ndef unused(x): return OTHER\ndef helper")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("RATE = 0.5", "RATE = 0.25"),
        ("RATE = 0.5", "RATE = np.float32(0.5)"),
        ("[1.0, 2.0]", "[1.0, 3.0]"),
        ("x + RATE", "x - RATE"),
        ("power=2", "power=3"),
        ("math.sqrt", "math.cbrt"),
        ("import math", "import cmath as math"),
        ("return helper(x) ** power", "return helper(x) * power"),
    ],
)
def test_whatever_is_computed_with_counts(old, new):
    assert changed(old, new)


def test_functions_that_call_each_other_have_one():
    source = "def even(n): return n == 0 or odd(n - 1)\ndef odd(n): return n != 0 and even(n - 1)\n"
    found = fingerprint(compiled(source, "even"))
    assert found == fingerprint(compiled(source, "even"))
    assert found != fingerprint(compiled(source.replace("n != 0", "n > 0"), "even"))


def test_what_no_text_can_tell_has_none():
    with pytest.raises(TypeError, match="dict"):
        fingerprint(compiled("TABLE = {}\ndef kernel(x): return TABLE[x]\n"))
