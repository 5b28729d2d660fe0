"""``bqcd explore`` as a process: what others see of it, what it withstands, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from bqcd.show.explorer.lines import MOST
from tests.cli.commanding import COMMAND
from tests.show.explorer.visiting import PATIENCE, Asked, entered, way_in
from tests.waiting import soon

pytestmark = [
    pytest.mark.xdist_group("explorer"),
    pytest.mark.skipif(sys.platform == "win32", reason="signals"),
]

FEW_FILES = 256


class Running:
    """The command at work, and the file that it named."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.told = process.stdout.readline() + process.stdout.readline()
        self.file = Path(unquote(urlparse(self.told.splitlines()[0]).path))

    def end(self, number: int) -> tuple[int, str]:
        """Its code and what it complained of, when it and all that it started are gone."""
        self.process.send_signal(number)
        # The work, too, has these pipes: they end with the last process.
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


@contextmanager
def running(table: Path, folder: Path, *options: str, **more: str) -> Iterator[Running]:
    # Few files may be open, as on a Mac.
    few = ["sh", "-c", f'ulimit -n {FEW_FILES}; exec "$@"', "sh"]
    process = subprocess.Popen(
        [*few, COMMAND, "explore", table, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(folder), **more},
    )
    try:
        yield Running(process)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def start_work(port: int, cookie: str) -> None:
    """Ask what takes minutes, and return when it is under way and has nothing to tell."""
    sent = {"Cookie": cookie, "Origin": f"http://127.0.0.1:{port}"}
    body = json.dumps({"columns": [0, 1], "method": "gpi"})
    kind = {"Content-Type": "application/json"}
    number = Asked(port, "POST", "/jobs", body=body, headers={**sent, **kind}).json["id"]

    def is_under_way() -> bool:
        state = Asked(port, "GET", f"/jobs/{number}", headers=sent).json
        assert state["state"] == "running", state
        return state["stage"] == "details"

    assert soon(is_under_way)


def test_no_argument_of_the_browser_and_nothing_on_the_terminal_is_a_secret(table, tmp_path):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o700)
    with running(table, tmp_path, BROWSER=f"{browser} %s") as command:
        assert soon(seen.exists)
        arguments = seen.read_text()
        assert arguments.strip() == command.file.as_uri()
        assert command.told.splitlines()[0] == command.file.as_uri()
        port, path = way_in(command.file)
        key = path.removeprefix("/enter/")
        _, cookie = entered(command.file)
        for text in (arguments, command.told):
            assert "http:" not in text
            assert key not in text
            assert cookie.partition("=")[2] not in text
        assert Asked(port, "GET", "/", headers={"Cookie": cookie}).status == 200


def test_the_server_answers_while_a_browser_stays_in_the_foreground(table, tmp_path):
    started = tmp_path / "started"
    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\ntouch {started}\nwhile [ -e {started} ]; do sleep 0.1; done\n")
    browser.chmod(0o700)
    with running(table, tmp_path, BROWSER=f"{browser} %s") as command:
        assert soon(started.exists)
        entered(command.file)
        command.process.send_signal(signal.SIGINT)
        assert command.process.wait(timeout=60) == 130
        started.unlink()


def test_ctrl_c_ends_it_quietly_with_its_work(table, tmp_path):
    with running(table, tmp_path, "--no-browser") as command:
        port, cookie = entered(command.file)
        start_work(port, cookie)
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.send(b"GET / HT")
            assert command.end(signal.SIGINT) == (130, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_of_the_file_when_it_ends(table, tmp_path, number):
    with running(table, tmp_path, "--no-browser") as command:
        assert [command.file.parent] == list(tmp_path.iterdir())
        assert command.end(number) == (128 + number, "")
    assert list(tmp_path.iterdir()) == []


def test_the_work_ends_with_a_command_that_is_killed(table, tmp_path):
    with running(table, tmp_path, "--no-browser") as command:
        start_work(*entered(command.file))
        code, _ = command.end(signal.SIGKILL)
        assert code == -signal.SIGKILL


def test_connections_that_break_off_are_no_news(table, tmp_path):
    at_once = struct.pack("ii", 1, 0)
    with running(table, tmp_path, "--no-browser") as command:
        port, cookie = entered(command.file)
        for sent in (b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") * 20:
            with socket.create_connection(("127.0.0.1", port)) as line:
                line.sendall(sent)
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        assert Asked(port, "GET", "/", headers={"Cookie": cookie}).status == 200
        assert command.end(signal.SIGINT) == (130, "")


def is_closed(line: socket.socket) -> bool:
    line.setblocking(False)
    try:
        return line.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def test_the_owner_is_answered_while_strangers_hold_on(table, tmp_path):
    with running(table, tmp_path, "--no-browser") as command, ExitStack() as opened:
        port, _ = way_in(command.file)
        strangers = []
        for _ in range(300):
            line = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            strangers.append(opened.enter_context(line))
            line.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        _, cookie = entered(command.file)
        with ThreadPoolExecutor(40) as browsers:
            asked = [
                browsers.submit(Asked, port, "GET", "/", headers={"Cookie": cookie})
                for _ in range(40)
            ]
            assert [one.result().status for one in asked] == [200] * 40
        assert sum(map(is_closed, strangers)) >= len(strangers) - MOST
        assert command.end(signal.SIGINT) == (130, "")
