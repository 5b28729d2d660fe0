"""Bytes that are nearly those of a valid file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator

# What readers of text stumble over.
WORDS = (
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xed\xa0\x80",
    b"\xe2\x80\xa8",
    b"\x1b[31m",
    b'"',
    b'""',
    b"'",
    b"\\",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n\n",
    b",",
    b";",
    b"\t",
    b"|",
    b" ",
    b"NaN",
    b"-inf",
    b"1e400",
    b"-1e308",
    b"4.9e-324",
    b"9007199254740993",
    b"18446744073709551616",
    b"9" * 400,
    b"9" * 5000,
    b"0x1p3",
    b"1_000",
    b"--",
    b"->",
    b"[",
    b"]",
    b"{",
    b"}",
    b"<",
    b"&lt;",
    b"&#0;",
    b"=",
    b"#",
    b"[" * 3000,
    b"{" * 3000,
    b"<a>" * 3000,
    b"x" * 70_000,
    "\u0662\u00b2\u2212\U0001f600".encode(),
)
# What columns and files may be called, and had better not be.
NAMES = (
    "",
    " ",
    ".",
    "..",
    "../../up",
    "/etc/passwd",
    "C:\\dir",
    "a\0b",
    "a\nb",
    "a\tb",
    "\x1b[31mred",
    "\u202egnp",
    "\ud800",
    "=1+1",
    "-2",
    "@x",
    "'q'",
    '"q"',
    "<b>&amp;",
    "[red]x[/red]",
    "{}",
    "%s",
    "*",
    "?",
    "[a-",
    "!a",
    "^a.*$",
    "0",
    "1",
    "007",
    "9" * 5000,
    "nan",
    "null",
    "x",
    "y",
    "a|b",
    "a,b",
    "é",
    "e\u0301",
    "n" * 3000,
    "😀",
)
_EXTREMES = (0, 1, 0x7F, 0x80, 0xFF)
_LARGEST = 1 << 20

Mutation = Callable[[bytearray, Generator, Sequence[bytes]], bytearray]


def mutated(seeds: Sequence[bytes], rng: Generator) -> bytes:
    """One of the seeds, changed in one or a few places; now and then not at all."""
    data = bytearray(seeds[int(rng.integers(len(seeds)))])
    for _ in range(int(rng.geometric(0.35)) - int(rng.random() < 0.1)):
        change = _MUTATIONS[int(rng.integers(len(_MUTATIONS)))]
        data = change(data, rng, seeds)[:_LARGEST]
    return bytes(data)


def _span(data: bytearray, rng: Generator) -> slice:
    """Some place, most often a short one."""
    start = int(rng.integers(len(data) + 1))
    return slice(start, min(len(data), start + int(2.0 ** rng.uniform(0.0, 9.0))))


def _flipped(data: bytearray, rng: Generator, seeds: Sequence[bytes]) -> bytearray:
    for at in rng.integers(max(1, len(data)), size=rng.geometric(0.4)):
        if data:
            data[at] ^= 1 << int(rng.integers(8))
    return data


def _extreme(data: bytearray, rng: Generator, seeds: Sequence[bytes]) -> bytearray:
    length = int(rng.choice([1, 1, 2, 4, 8]))
    at = int(rng.integers(len(data) + 1))
    data[at : at + length] = bytes([int(rng.choice(_EXTREMES))]) * min(length, len(data) - at)
    return data


def _deleted(data: bytearray, rng: Generator, seeds: Sequence[bytes]) -> bytearray:
    del data[_span(data, rng)]
    return data


def _duplicated(data: bytearray, rng: Generator, seeds: Sequence[bytes]) -> bytearray:
    span = _span(data, rng)
    times = int(rng.choice([1, 1, 2, 50]))
    data[span.stop : span.stop] = data[span] * times
    return data


def _spliced(data: bytearray, rng: Generator, seeds: Sequence[bytes]) -> bytearray:
    other = bytearray(seeds[int(rng.integers(len(seeds)))])
    data[_span(data, rng)] = other[_span(other, rng)]
    return data


def _joined(data: bytearray, rng: Generator, seeds: Sequence[bytes]) -> bytearray:
    other = bytearray(seeds[int(rng.integers(len(seeds)))])
    return data[: int(rng.integers(len(data) + 1))] + other[int(rng.integers(len(other) + 1)) :]


def _truncated(data: bytearray, rng: Generator, seeds: Sequence[bytes]) -> bytearray:
    return data[: int(rng.integers(len(data) + 1))]


def _worded(data: bytearray, rng: Generator, seeds: Sequence[bytes]) -> bytearray:
    at = int(rng.choice([0, len(data), int(rng.integers(len(data) + 1))], p=[0.15, 0.1, 0.75]))
    data[at:at] = WORDS[int(rng.integers(len(WORDS)))]
    return data


def _exchanged(data: bytearray, rng: Generator, seeds: Sequence[bytes]) -> bytearray:
    """One byte value in place of another everywhere: another delimiter, another quote."""
    if not data:
        return data
    old, new = data[int(rng.integers(len(data)))], data[int(rng.integers(len(data)))]
    return bytearray(bytes(data).replace(bytes([old]), bytes([new])))


_MUTATIONS: tuple[Mutation, ...] = (
    _flipped,
    _extreme,
    _deleted,
    _duplicated,
    _spliced,
    _joined,
    _truncated,
    _worded,
    _worded,
    _exchanged,
)


def numbers(n_rows: int, n_columns: int) -> np.ndarray:
    """Rows of a table that is worth judging: the first column causes the others."""
    rng = np.random.default_rng(n_rows)
    cause = rng.normal(size=n_rows)
    others = [cause**2 + 0.3 * rng.normal(size=n_rows) for _ in range(n_columns - 1)]
    return np.column_stack([cause, *others]).round(4)
