"""Tables in a store that speaks S3: a server of moto on this machine, and s3fs."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bqcd
from bqcd.data.files import remote
from bqcd.errors import InvalidTableError
from tests.cli.commanding import run

pytest.importorskip("s3fs", reason="s3fs is no package of the project")
moto = pytest.importorskip("moto.server", reason="moto is no package of the project")

RNG = np.random.default_rng(0)
X = RNG.normal(size=200)
TABLE = pa.table({"x": X, "y": X**2 + 0.3 * RNG.normal(size=200)})


def written(suffix: str) -> bytes:
    """The table as a file has it."""
    if suffix == "parquet":
        kept = io.BytesIO()
        pq.write_table(TABLE, kept)
        return kept.getvalue()
    rows = ["x,y", *(f"{row['x']!r},{row['y']!r}" for row in TABLE.to_pylist())]
    text = "\n".join(rows).encode()
    return gzip.compress(text) if suffix.endswith("gz") else text


@pytest.fixture(scope="module")
def bucket():
    import fsspec

    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    with pytest.MonkeyPatch.context() as patched:
        host, port = server.get_host_and_port()
        patched.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patched.setenv(name, "test")
        patched.setenv("AWS_DEFAULT_REGION", "us-east-1")
        store = fsspec.filesystem("s3")
        store.mkdir("ward")
        for suffix in ("csv", "csv.gz", "parquet"):
            with store.open(f"ward/t.{suffix}", "wb") as file:
                file.write(written(suffix))
        yield "s3://ward"
    server.stop()


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_a_file_in_a_store_is_read_as_one_on_disk(bucket, suffix):
    address = f"{bucket}/t.{suffix}"
    assert bqcd.read_table(address).equals(TABLE)
    expected = bqcd.decide("x", "y", table=TABLE).confidence
    assert bqcd.decide("x", "y", table=address).confidence == expected
    assert bqcd.scan(address).table["confidence"].to_pylist() == [expected]


def test_commands_take_such_addresses(bucket):
    done = run("decide", f"{bucket}/t.csv", "x", "y")
    assert done.returncode == 0, done.stderr
    assert "x -> y" in done.stdout


def test_what_is_not_there_or_too_large_is_told_in_one_line(bucket, monkeypatch):
    for address in (f"{bucket}/absent.csv", "s3://elsewhere/t.csv"):
        with pytest.raises(InvalidTableError, match="cannot be fetched: nothing is there"):
            bqcd.read_table(address)
    monkeypatch.setattr(remote, "MOST_BYTES", 1000)
    with pytest.raises(InvalidTableError, match="has more than"):
        bqcd.read_table(f"{bucket}/t.csv")
