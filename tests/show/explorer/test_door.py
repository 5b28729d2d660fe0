"""A key opens once and for a while; the file with the next one is the owner's alone."""

from __future__ import annotations

import stat
import sys

import pytest

from bqcd.show.explorer import door as doors
from bqcd.show.explorer.door import LIFE, Door
from tests.show.explorer.visiting import way_in


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def door(clock, tmp_path, monkeypatch):
    monkeypatch.setattr(doors, "_places", lambda: iter([str(tmp_path)]))
    made = Door("http://127.0.0.1:8000/", 8000, clock=clock)
    yield made
    made.close()


def key_in(door: Door) -> str:
    port, path = way_in(door.file)
    assert port == 8000
    return path.removeprefix("/enter/")


@pytest.mark.skipif(sys.platform == "win32", reason="modes of files")
def test_file_and_folder_are_the_owners_alone_also_when_renewed(door):
    for _ in range(2):
        assert stat.S_IMODE(door.file.stat().st_mode) == 0o600
        assert stat.S_IMODE(door.file.parent.stat().st_mode) == 0o700
        assert door.opens(key_in(door))


def test_nothing_is_left_in_the_end(door, tmp_path):
    assert list(tmp_path.iterdir()) == [door.file.parent]
    door.close()
    assert list(tmp_path.iterdir()) == []


def test_a_key_opens_once_and_then_there_is_another(door):
    first = key_in(door)
    assert door.opens(first)
    assert not door.opens(first)
    second = key_in(door)
    assert second != first
    assert door.opens(second)


@pytest.mark.parametrize("key", ["", "x", "ä", "key/", "\udc80"])
def test_no_other_key_opens(door, key):
    assert not door.opens(key.encode("utf-8", "replace").decode())
    assert door.opens(key_in(door))


def test_a_key_grows_too_old_and_the_file_has_a_young_one(door, clock):
    first = key_in(door)
    clock.now += LIFE / 2 - 1
    door.tend()
    assert key_in(door) == first
    clock.now += 1
    door.tend()
    second = key_in(door)
    assert second != first
    clock.now += LIFE / 2 - 1
    assert door.opens(first), "whoever read it last half-life may still come"
    clock.now += LIFE / 2 + 1
    assert not door.opens(second)


def test_a_key_that_nobody_used_is_dead_after_its_life(door, clock):
    first = key_in(door)
    clock.now += LIFE
    assert not door.opens(first)


def test_the_cookie_is_told_from_those_of_other_ports(door):
    cookie = door.cookie.partition(";")[0]
    name, _, secret = cookie.partition("=")
    assert name == "bqcd-8000"
    assert len(secret) >= 43
    assert door.knows(cookie)
    assert door.knows(f'_xsrf=2|a"; bqcd-8001=other; bqcd-8000=tossed; {cookie}')
    for wrong in ("", name, f"{name}=", f"{name}={secret}x", f"bqcd-8001={secret}", f"{name}=ä"):
        assert not door.knows(wrong)


def test_scripts_and_other_sites_do_not_get_at_the_cookie(door):
    kept = [part.strip() for part in door.cookie.split(";")[1:]]
    assert kept == ["Path=/", "HttpOnly", "SameSite=Strict"]


def test_a_folder_that_is_gone_does_not_end_the_server(door, clock):
    door.close()
    clock.now += LIFE
    door.tend()
    assert door.knows(door.cookie)


def test_where_one_place_cannot_be_written_another_is_taken(tmp_path, monkeypatch):
    places = [str(tmp_path / "missing"), str(tmp_path)]
    monkeypatch.setattr(doors, "_places", lambda: iter(places))
    made = Door("http://127.0.0.1:8000/", 8000)
    assert made.file.parent.parent == tmp_path
    made.close()
