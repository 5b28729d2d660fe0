"""Any two columns: a verdict whose sign flips with the columns, or an error on purpose."""

from __future__ import annotations

import decimal
import fractions
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bqcd
from bqcd.errors import BqcdError
from tests.fuzz.cases import CASES, ONLY, in_time

pytestmark = pytest.mark.skipif(bool(ONLY), reason="a single case of another kind is asked for")

LENGTHS = (0, 1, 2, 9, 10, 11, 12, 25, 60, 300)
FAST = ("bqcd", "bqcd", "bqcd", "igci-u", "igci-g", "lingam", "slope", "cdci", "coin")
PAYLOADS = (0x7FF8000000000001, 0xFFF8DEADBEEF0000, 0x7FF0000000000001)
VALUES = (
    *(0.0, -0.0, 1.0, -1.0, 0.1, 5e-324, -5e-324, 2.2e-308, 1e-300, 1e300, 1e308, -1e308),
    *(float(2**53), float(2**53 + 2), float(2**63), float("inf"), float("-inf"), float("nan")),
)
DTYPES = ("f2", "f4", "f8", ">f8", "g", "i1", "u1", "i4", "i8", "u8", ">i8", "?", "O", "U8", "S4")
ODD_DTYPES = ("c16", "M8[s]", "m8[D]", "V8")
OBJECTS = (
    *(None, True, np.nan, 1, 2**70, -(2**2000), "a", "1.5", b"1", [1], {}, object, pd.NA, pd.NaT),
    *(decimal.Decimal("1e400"), decimal.Decimal("sNaN"), fractions.Fraction(1, 3), np.ma.masked),
    *(1j, np.float32(2), np.datetime64("2001-01-01"), np.datetime64("NaT"), ...),
)
SHAPES = ("plain", "plain", "plain", "masked", "two-dimensional", "scalar", "read-only", "strided")
HOLDERS = ("array", "list", "tuple", "pandas", "polars", "arrow", "chunks", "nullable", "generator")


@st.composite
def columns(draw, length: int) -> Any:
    """Column drawn by a recipe, so that long ones are drawn as fast as short ones."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = _numbers(draw, rng, length)
    dtype = draw(st.sampled_from((*("f8",) * 10, *DTYPES, *DTYPES, *ODD_DTYPES)))
    with np.errstate(all="ignore"):
        if np.dtype(dtype).kind in "iuMmV":
            values = np.nan_to_num(values, posinf=9e18, neginf=-9e18).clip(-9e18, 9e18)
            values = values.astype("i8")
        array = values.astype("i8").view("V8") if dtype == "V8" else values.astype(dtype)
    if dtype == "i8" and draw(st.booleans()):
        array = array // 1000 + 2**62
    for at in draw(st.lists(st.integers(0, max(0, length - 1)), max_size=3)):
        if dtype == "O" and length:
            array[at] = draw(st.sampled_from(OBJECTS))
    return _held(draw, _shaped(draw, array, rng))


def _numbers(draw, rng: np.random.Generator, length: int) -> np.ndarray:
    kind = draw(st.sampled_from(("normal", "few", "constant", "extreme", "huge", "bits", "whole")))
    if kind == "few":
        return rng.choice(draw(st.lists(st.sampled_from(VALUES[:12]), min_size=2)), length)
    if kind == "constant":
        return np.full(length, draw(st.sampled_from(VALUES)))
    if kind == "extreme":
        column = rng.normal(size=length)
        column[: 3 if draw(st.booleans()) else length] = draw(st.sampled_from(VALUES))
        return rng.permutation(column)
    if kind == "huge":
        return rng.normal(size=length) * draw(st.sampled_from((1e307, 1e-310, 1e300, 1e-300)))
    if kind == "bits":
        words = rng.integers(0, 2**64, size=length, dtype=np.uint64)
        words[rng.random(length) < 0.05] = draw(st.sampled_from(PAYLOADS))
        return words.view(np.float64)
    return rng.normal(size=length) if kind == "normal" else rng.integers(-5, 6, length) * 1.0


def _shaped(draw, array: np.ndarray, rng: np.random.Generator) -> Any:
    shape = draw(st.sampled_from(SHAPES))
    if shape == "masked":
        return np.ma.masked_array(array, rng.random(len(array)) < 0.1)
    if shape == "two-dimensional":
        return array.reshape(-1, draw(st.sampled_from((1, len(array) or 1))))
    if shape == "scalar":
        return array[0] if len(array) and draw(st.booleans()) else array
    if shape == "read-only":
        array.flags.writeable = False
    return np.repeat(array, 2)[::2] if shape == "strided" else array


def _held(draw, array: Any) -> Any:
    holder = draw(st.sampled_from(("array",) * 6 + HOLDERS))
    try:
        if holder == "list":
            return array.tolist()
        if holder == "tuple":
            return tuple(array)
        if holder == "pandas":
            return pd.Series(array, name=draw(st.sampled_from((None, "x", "y", 3, ""))))
        if holder == "polars":
            return pl.Series("x", array)
        if holder == "arrow":
            return pa.array(array)
        if holder == "chunks":
            return pa.chunked_array([pa.array(array[:4]), pa.array(array[4:])])
        if holder == "nullable":
            return pd.Series(array).convert_dtypes()
        return (value for value in array) if holder == "generator" else array
    except (Exception, pl.exceptions.PolarsError):
        # The other package refuses it; so it never reaches bqcd.
        return array


@st.composite
def two_columns(draw) -> tuple[Any, Any]:
    length = draw(st.sampled_from(LENGTHS))
    x = draw(columns(length))
    if draw(st.integers(0, 9)) == 0:
        return x, x
    return x, draw(columns(length if draw(st.integers(0, 9)) else draw(st.sampled_from(LENGTHS))))


fuzzed = settings(
    max_examples=4 * CASES,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


def confidence(x: Any, y: Any, **options: Any) -> float | None:
    """Confidence of a verdict, None if the columns are refused."""
    try:
        with in_time():
            found = bqcd.decide(x, y, **options)
    except BqcdError:
        return None
    assert np.isfinite(found.confidence)
    return found.confidence


@fuzzed
@given(two_columns(), st.sampled_from(FAST), st.sampled_from(("raise", "drop")))
def test_any_two_columns_end_in_a_verdict_or_a_refusal(pair, method, missing):
    x, y = pair
    options = {"method": method, "missing": missing}
    forward = confidence(x, y, **options)
    backward = confidence(y, x, **options)
    if method != "coin" and not (hasattr(x, "__next__") or hasattr(y, "__next__")):
        assert (forward is None) == (backward is None)
        assert forward is None or forward == -backward


@st.composite
def tables(draw) -> tuple[Any, Any, Any]:
    """Table of any kind, also with names that repeat, and two columns to ask for."""
    length = draw(st.sampled_from(LENGTHS))
    names = draw(
        st.lists(st.sampled_from(("a", "b", "", "*", "0", "a.b", "\x1b", 0, 1)), max_size=4)
    )
    values = [draw(columns(length)) for _ in names]
    kind = draw(st.sampled_from(("mapping", "pandas", "polars", "arrow", "array", "lazy", "other")))
    table: Any = dict(zip(names, values, strict=True))
    try:
        if kind == "pandas":
            table = pd.concat([pd.Series(value) for value in values], axis=1)
            table.columns = names
        elif kind in ("polars", "lazy"):
            table = pl.DataFrame({str(name): value for name, value in table.items()})
            table = table.lazy() if kind == "lazy" else table
        elif kind == "arrow":
            table = pa.table([pa.array(value) for value in values], names=list(map(str, names)))
        elif kind == "array":
            table = np.array(values).T
        elif kind == "other":
            table = draw(st.sampled_from((None, 3, "t.csv", [], [[1, 2]], set(), object)))
    except (Exception, pl.exceptions.PolarsError):
        pass
    asked = st.sampled_from((*names, 0, 1, -1, 7, "absent", True, 1.5, None, ("a",)))
    return table, draw(asked), draw(asked)


@fuzzed
@given(tables())
def test_any_table_ends_in_a_verdict_or_a_refusal(asked):
    table, x, y = asked
    if table is None:
        return
    forward = confidence(x, y, table=table, missing="drop")
    backward = confidence(y, x, table=table, missing="drop")
    assert (forward is None) == (backward is None)
    assert forward is None or forward == -backward


@pytest.mark.parametrize("n", [100_000, 1_000_000])
def test_long_columns_of_any_kind_are_judged(n):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = (x**2 + rng.normal(size=n)).round(3)
    for table in (pa.table({"x": x, "y": y}), pl.DataFrame({"x": x, "y": y})):
        assert confidence("x", "y", table=table) == -confidence("y", "x", table=table)
