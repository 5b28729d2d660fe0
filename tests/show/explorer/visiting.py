"""Asking an explorer as a browser does: read the file, come in, bring the cookie along."""

from __future__ import annotations

import http.client
import json
import re
from pathlib import Path

from bqcd.show.explorer import Explorer

PATIENCE = 30.0
"""Seconds; only matters where the server hangs."""

_COOKIES: dict[int, str] = {}


class Asked:
    """One request: its status, headers and body."""

    def __init__(self, port: int, method: str, path: str, *, body=None, headers=None) -> None:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        line.request(method, path, body=body, headers=headers or {})
        answer = line.getresponse()
        self.status, self.headers, self.text = answer.status, answer.headers, answer.read().decode()
        line.close()

    @property
    def json(self):
        return json.loads(self.text)


def way_in(file: Path) -> tuple[int, str]:
    """Port and path that the file leads to."""
    found = re.search(r"url=http://127\.0\.0\.1:(\d+)(/enter/[\w-]+)\"", file.read_text())
    return int(found[1]), found[2]


def entered(file: Path) -> tuple[int, str]:
    """Port and the cookie that one gets there."""
    port, path = way_in(file)
    found = Asked(port, "GET", path)
    assert found.status == 200
    return port, found.headers["Set-Cookie"].partition(";")[0]


def cookie_of(explorer: Explorer) -> str:
    if explorer.port not in _COOKIES or not explorer.door.knows(_COOKIES[explorer.port]):
        _, _COOKIES[explorer.port] = entered(explorer.door.file)
    return _COOKIES[explorer.port]


def owner(explorer: Explorer, method: str, path: str, *, body=None, headers=None) -> Asked:
    """What the owner's page is told."""
    brought = {"Cookie": cookie_of(explorer)}
    if body is not None:
        brought |= {"Content-Type": "application/json", "Origin": explorer.address.rstrip("/")}
    return Asked(explorer.port, method, path, body=body, headers={**brought, **(headers or {})})
