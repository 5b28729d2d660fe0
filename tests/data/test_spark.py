"""Frames of Spark are tables like any other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import bqcd

pyspark_sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")

# A virtual machine of Java is started, which takes a while.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

RNG = np.random.default_rng(6)
X = RNG.normal(size=60)
ROWS = list(zip(X.tolist(), (X**2).tolist(), range(60), strict=True))


@pytest.fixture(scope="module")
def frame() -> Iterator[Any]:
    session = (
        pyspark_sql.SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    yield session.createDataFrame(ROWS, ["x", "y", "spare"])
    session.stop()


def test_a_frame_of_spark_is_read_and_judged_as_its_columns_are(frame) -> None:
    read = bqcd.read_table(frame, ["y", "x"])
    assert read.to_pydict() == {"y": (X**2).tolist(), "x": X.tolist()}
    expected = bqcd.decide(X, X**2).confidence
    assert bqcd.decide("x", "y", table=frame).confidence == expected
    assert bqcd.assess("x", "y", table=frame, method="bqcd", replicates=10).confidence == expected
    found = bqcd.scan(frame, pairs=[("x", "y")])
    assert found.table["confidence"].to_pylist() == [expected]
    assert bqcd.decide(["x", "spare"], "y", table=frame).pair.x_names == ("x", "spare")
