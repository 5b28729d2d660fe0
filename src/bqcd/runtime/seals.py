"""Small JSON files that show whether they still are what was written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

_SEAL = "digest"


def digest_of(held: Mapping[str, Any]) -> str:
    """Digest of what can be written as JSON, whatever the order of its entries.

    Examples
    --------
    >>> digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})
    True
    """
    return sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()


def sealed(held: Mapping[str, Any]) -> bytes:
    """JSON with its digest as the last entry."""
    return json.dumps({**held, _SEAL: digest_of(held)}, indent=1).encode("ascii")


def unsealed(data: bytes) -> dict[str, Any]:
    """What was sealed.

    Raises
    ------
    ValueError
        If it is not what was sealed.

    Examples
    --------
    >>> unsealed(sealed({"rows": 5}))
    {'rows': 5}
    >>> unsealed(sealed({"rows": 5}).replace(b"5", b"7", 1))
    Traceback (most recent call last):
    ...
    ValueError: its checksum does not fit
    """
    held = json.loads(data.decode("ascii"))
    if not isinstance(held, dict) or held.pop(_SEAL, None) != digest_of(held):
        raise ValueError("its checksum does not fit")
    return held
