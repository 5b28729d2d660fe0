"""Room for the owner, whoever else holds on."""

from __future__ import annotations

from collections.abc import Iterator
from socket import socket, socketpair
from threading import Thread

import pytest

from bqcd.show.explorer.lines import Lines
from tests.show.explorer.test_door import Clock


@pytest.fixture
def pairs() -> Iterator[list[tuple[socket, socket]]]:
    """Four connections: our end and theirs."""
    made = [socketpair() for _ in range(4)]
    yield made
    for pair in made:
        for end in pair:
            end.close()


def is_closed(theirs: socket) -> bool:
    theirs.setblocking(False)
    try:
        return theirs.recv(1) == b""
    except BlockingIOError:
        return False


def leaves_when_closed(lines: Lines, ours: socket) -> Thread:
    """What the thread of a connection does: wait for a letter, and leave when there is none."""

    def answer() -> None:
        while ours.recv(1):
            pass
        lines.leave(ours)

    thread = Thread(target=answer)
    thread.start()
    return thread


def test_the_oldest_stranger_goes_when_all_places_are_taken(pairs):
    lines = Lines(most=3)
    assert all(lines.take(ours) for ours, _ in pairs[:3])
    lines.trust(pairs[0][0])
    thread = leaves_when_closed(lines, pairs[1][0])
    assert lines.take(pairs[3][0])
    thread.join()
    assert [is_closed(theirs) for _, theirs in pairs] == [False, True, False, False]
    assert len(lines) == 3


def test_there_are_never_more_and_the_owner_is_not_cut_off(pairs):
    lines = Lines(most=2)
    for ours, _ in pairs[:2]:
        assert lines.take(ours)
        lines.trust(ours)
    assert not lines.take(pairs[2][0])
    lines.leave(pairs[0][0])
    assert lines.take(pairs[3][0])
    assert not is_closed(pairs[1][1])


def test_a_stranger_that_drips_is_closed_all_the_same(pairs):
    clock = Clock()
    lines = Lines(patience=5.0, clock=clock)
    (slow, drips), (owners, page), (late, young), _ = pairs
    lines.take(slow)
    lines.take(owners)
    lines.trust(owners)
    for _ in range(4):
        clock.now += 1.0
        drips.send(b"x")
        lines.end_overdue()
        assert slow.recv(1) == b"x"
    lines.take(late)
    clock.now += 1.0
    lines.end_overdue()
    assert slow.recv(1) == b""
    assert [is_closed(theirs) for theirs in (drips, page, young)] == [True, False, False]


def test_what_is_not_there_can_be_trusted_and_left(pairs):
    lines = Lines()
    lines.trust(pairs[0][0])
    lines.leave(pairs[0][0])
    assert len(lines) == 0
