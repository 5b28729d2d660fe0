"""The server answers its own page, and nothing and nobody else."""

from __future__ import annotations

import http.client
import json
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import active_children
from socket import socketpair
from threading import Thread

import numpy as np
import pytest

import bqcd
from bqcd.errors import InvalidSettingError, InvalidTableError
from bqcd.show.explorer import Explorer
from bqcd.show.explorer.lines import Lines
from bqcd.show.explorer.server import MOST_BYTES
from tests.show.explorer.visiting import Asked, cookie_of, owner, way_in
from tests.waiting import soon

pytestmark = [
    pytest.mark.xdist_group("explorer"),
    pytest.mark.skipif(sys.platform == "win32", reason="signals"),
]


def ask(explorer, **asked) -> Asked:
    return owner(explorer, "POST", "/jobs", body=json.dumps(asked))


def ended(explorer, number: int) -> dict[str, object]:
    place = f"/jobs/{number}"
    assert soon(lambda: owner(explorer, "GET", place).json["state"] != "running")
    return owner(explorer, "GET", place).json


def test_it_listens_on_this_machine_only(explorer):
    assert explorer._server.server_address[0] == "127.0.0.1"
    with socket.socket() as line:
        line.settimeout(1.0)
        assert line.connect_ex(("127.0.0.2", explorer.port)) != 0


PLACES = (
    "/wrong/",
    "/jobs",
    "/jobs/1/stop",
    "/../../etc/passwd",
    "/table.csv",
    "/%2e%2e/%2e%2e/etc/passwd",
    "//etc/passwd",
    "/jobs/0",
    "/jobs/999",
    "/jobs/1e3/report.html",
    "/jobs/../",
    "/enter",
)


@pytest.mark.parametrize("path", PLACES)
def test_nothing_is_found_elsewhere(explorer, path):
    found = owner(explorer, "GET", path)
    assert found.status == 404
    assert set(found.json) == {"message"}


@pytest.mark.parametrize("path", [*PLACES, "/jobs/1", "/jobs/1/report.html"])
def test_a_stranger_is_told_nothing_but_where_to_come_in(explorer, path):
    found = Asked(explorer.port, "GET", path)
    assert found.status == 403
    assert "Open the file that bqcd explore named" in found.json["message"]


@pytest.mark.parametrize(
    "cookie", ["", "bqcd-{port}=", "bqcd-{port}=x", "{name}x", "other={secret}"]
)
def test_without_the_cookie_there_is_no_page(explorer, cookie):
    name = cookie_of(explorer)
    sent = cookie.format(port=explorer.port, name=name, secret=name.partition("=")[2])
    found = Asked(explorer.port, "GET", "/", headers={"Cookie": sent})
    assert found.status == 403
    assert "Open the file that bqcd explore named" in found.text
    assert "table.csv" not in found.text


def test_a_key_lets_in_once_and_no_address_after_it_holds_a_secret(explorer):
    port, path = way_in(explorer.door.file)
    first = Asked(port, "GET", path)
    assert first.status == 200
    assert 'content="0; url=/"' in first.text
    cookie = first.headers["Set-Cookie"]
    assert cookie.endswith("; Path=/; HttpOnly; SameSite=Strict")
    again = Asked(port, "GET", path)
    assert again.status == 403
    assert "was used before" in again.text
    assert again.headers["Set-Cookie"] is None
    key, secret = path.removeprefix("/enter/"), cookie.partition(";")[0].partition("=")[2]
    page = Asked(port, "GET", "/", headers={"Cookie": cookie.partition(";")[0]})
    assert page.status == 200
    for text in (first.text, again.text, page.text, explorer.address):
        assert key not in text
        assert secret not in text


ELSEWHERE = (
    {"Host": "evil.example"},
    {"Host": "127.0.0.1"},
    {"Origin": "http://evil.example"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "null"},
)


@pytest.mark.parametrize("headers", ELSEWHERE)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_page_of_another_site_gets_no_answer(explorer, headers, method):
    body = json.dumps({"columns": [0, 1]}) if method == "POST" else None
    place = "/jobs" if body else "/"
    assert owner(explorer, method, place, body=body, headers=headers).status == 403


@pytest.mark.parametrize("headers", ELSEWHERE)
def test_a_key_is_not_taken_from_a_page_of_another_site(explorer, headers):
    port, path = way_in(explorer.door.file)
    assert Asked(port, "GET", path, headers=headers).status == 403
    assert Asked(port, "GET", path).status == 200


@pytest.mark.parametrize(
    ("site", "status"),
    [("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403)],
)
def test_a_page_of_another_port_cannot_make_the_browser_read(explorer, site, status):
    sent = {"Sec-Fetch-Site": site}
    assert owner(explorer, "GET", "/", headers=sent).status == status
    assert (owner(explorer, "GET", "/jobs/999", headers=sent).status == 404) == (status == 200)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 400),
        ({"Origin": "http://127.0.0.1:{port}"}, 400),
        ({"Origin": "http://localhost:{port}"}, 400),
        ({"Origin": "http://localhost:1"}, 403),
    ],
)
def test_who_sends_something_has_to_tell_from_where(explorer, headers, status):
    told = {name: value.format(port=explorer.port) for name, value in headers.items()}
    sent = {"Cookie": cookie_of(explorer), "Content-Type": "application/json", **told}
    assert Asked(explorer.port, "POST", "/jobs", body="{}", headers=sent).status == status


def test_a_stranger_cannot_ask(explorer):
    sent = {"Content-Type": "application/json", "Origin": explorer.address.rstrip("/")}
    body = json.dumps({"columns": [0, 1]})
    assert Asked(explorer.port, "POST", "/jobs", body=body, headers=sent).status == 403


def test_forms_of_other_sites_cannot_ask(explorer):
    plain = {"Content-Type": "text/plain"}
    assert owner(explorer, "POST", "/jobs", body="{}", headers=plain).status == 415


@pytest.mark.parametrize("method", ["PUT", "DELETE", "TRACE", "OPTIONS"])
def test_other_ways_of_asking_are_not_known(explorer, method):
    assert owner(explorer, method, "/").status == 501


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 400),
        ("[" * 50_000, 400),
        ('{"columns": [0]}', 400),
        ('{"columns": [0, 9]}', 400),
        ("x" * (MOST_BYTES + 1), 413),
    ],
)
def test_a_bad_question_is_answered_with_the_rule(explorer, body, status):
    found = owner(explorer, "POST", "/jobs", body=body)
    assert found.status == status
    assert found.json["message"]


def test_the_page_may_load_nothing_from_elsewhere(explorer):
    found = owner(explorer, "GET", "/")
    assert found.status == 200
    policy = found.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert found.headers["X-Content-Type-Options"] == "nosniff"
    assert found.headers["Referrer-Policy"] == "no-referrer"
    assert "<script>alert(1)" not in found.text
    assert '<iframe id="report" title="Report" sandbox="allow-scripts"' in found.text


def test_a_report_has_the_numbers_of_decide(explorer, table):
    asked = ask(explorer, columns=[0, 1], method="bqcd", n_levels=5)
    assert asked.status == 201
    state = ended(explorer, asked.json["id"])
    assert state["state"] == "done", state
    place = f"/jobs/{state['id']}/report.html"
    page = owner(explorer, "GET", place)
    content = page.text.split('id="report">', 1)[1].split("</script>", 1)[0]
    (row,) = json.loads(content)["pairs"]
    x, y = np.loadtxt(table, delimiter=",", skiprows=1, usecols=(0, 1), unpack=True)
    assert row["confidence"] == bqcd.decide(x, y, n_levels=5).confidence
    saved = owner(explorer, "GET", place + "?save")
    assert saved.text == page.text
    assert saved.headers["Content-Disposition"] == 'attachment; filename="report.html"'
    for found in (page, saved):
        policy = found.headers["Content-Security-Policy"]
        assert policy == "sandbox allow-scripts; frame-ancestors 'self'"


def test_what_cannot_be_judged_is_told(explorer):
    asked = ask(explorer, columns=[0, 3], missing="raise")
    state = ended(explorer, asked.json["id"])
    assert state["state"] == "failed"
    assert "gaps" in state["message"]
    place = f"/jobs/{state['id']}/report.html"
    assert owner(explorer, "GET", place).status == 409


def test_a_new_question_stops_the_one_at_work_and_so_does_stop(explorer):
    slow = {"columns": [0, 1, 4], "method": "gpi"}
    first, second = ask(explorer, **slow).json["id"], ask(explorer, **slow).json["id"]
    assert ended(explorer, first)["state"] == "stopped"
    place = f"/jobs/{second}"
    assert owner(explorer, "GET", place).json["state"] == "running"
    stopped = owner(explorer, "POST", f"{place}/stop", body="{}")
    assert stopped.json["state"] == "stopped"
    assert ended(explorer, second)["state"] == "stopped"


def test_work_that_is_killed_is_told_of(explorer):
    number = ask(explorer, columns=[0, 1, 4], method="gpi").json["id"]
    assert soon(lambda: owner(explorer, "GET", f"/jobs/{number}").json["stage"])
    (worker,) = active_children()
    worker.kill()
    assert "signal 9 (SIGKILL)" in ended(explorer, number)["message"]


def test_secrets_are_not_the_same_twice(table):
    with Explorer(table) as one, Explorer(table) as other:
        assert one.door.cookie.partition("=")[2] != other.door.cookie.partition("=")[2]
        assert way_in(one.door.file)[1] != way_in(other.door.file)[1]
        assert one.door.file.parent.name != other.door.file.parent.name


def test_a_table_that_cannot_be_read_is_told_before_anything_is_served(tmp_path):
    with pytest.raises(InvalidTableError, match="nothing"):
        Explorer(tmp_path / "nothing.csv")


@pytest.mark.parametrize("port", [-1, 65_536, 1.5])
def test_a_port_is_a_port(table, port):
    with pytest.raises(InvalidSettingError, match="port of Explorer"):
        Explorer(table, port=port)


@contextmanager
def serving(explorer: Explorer) -> Iterator[Explorer]:
    with explorer:
        thread = Thread(target=explorer.serve)
        thread.start()
        try:
            yield explorer
        finally:
            explorer.shut_down()
            thread.join()


def test_a_question_that_comes_letter_by_letter_is_cut_off(table):
    explorer = Explorer(table)
    explorer._server.lines = Lines(patience=0.1)
    with serving(explorer), socket.create_connection(("127.0.0.1", explorer.port)) as line:
        line.setblocking(False)

        def is_cut_off() -> bool:
            try:
                line.send(b"x")
                return line.recv(1) == b""
            except BlockingIOError:
                return False
            except ConnectionError:
                return True

        assert soon(is_cut_off)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({f"X-{at}": "x" * 60_000 for at in range(2)}, 200),
        ({f"X-{at}": "x" * 60_000 for at in range(3)}, 431),
        ({f"X-{at}": "x" for at in range(100)}, 431),
    ],
)
def test_a_head_has_a_longest_length(explorer, headers, status):
    assert owner(explorer, "GET", "/", headers=headers).status == status


def test_a_connection_is_for_one_answer(explorer):
    assert owner(explorer, "GET", "/").headers["Connection"] == "close"


def test_a_fault_of_ours_is_told_in_one_line(table, monkeypatch, capfd):
    def faulty(number: int) -> None:
        raise RuntimeError("two\nlines \x1b[2J")

    with serving(Explorer(table)) as explorer:
        monkeypatch.setattr(explorer.jobs, "get", faulty)
        with pytest.raises(http.client.RemoteDisconnected):
            owner(explorer, "GET", "/jobs/1")
    assert capfd.readouterr().err == "bqcd: a fault of bqcd: RuntimeError: two lines \\x1b[2J\n"


def test_a_line_that_was_closed_under_its_thread_is_no_news(explorer, capfd):
    """As when Ctrl-C comes between the start of a thread and what it reads."""
    here, there = socketpair()
    here.close()
    explorer._server.process_request_thread(here, ("127.0.0.1", 0))
    there.close()
    assert capfd.readouterr().err == ""
