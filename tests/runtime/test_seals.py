"""What is sealed comes back as it was, or not at all."""

from __future__ import annotations

import pytest

from bqcd.runtime.seals import digest_of, sealed, unsealed

HELD = {"name": "ç\u202e", "rows": 50, "share": 1e-05, "none": None, "list": [{"a": 1}, []]}


def test_what_is_sealed_comes_back_as_it_was():
    assert unsealed(sealed(HELD)) == HELD
    assert unsealed(sealed({})) == {}
    assert digest_of(unsealed(sealed(HELD))) == digest_of(HELD)


def test_no_flipped_bit_changes_what_comes_back():
    whole = sealed(HELD)
    refused = 0
    for bit in range(8 * len(whole)):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        try:
            assert unsealed(bytes(data)) == HELD
        except ValueError:
            refused += 1
    # The others are the case of a letter in a number.
    assert refused >= 8 * len(whole) - 5


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b"7", b'{"digest": null}', b"\xff"])
def test_what_was_never_sealed_is_refused(data):
    with pytest.raises(ValueError, match=r"."):
        unsealed(data)
