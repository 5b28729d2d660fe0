"""The server answers its own page, and nothing and nobody else."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys

import numpy as np
import pytest

import bqcd
from bqcd.errors import InvalidSettingError, InvalidTableError
from bqcd.explorer import Explorer
from bqcd.explorer.server import MOST_BYTES
from tests.test_cli import COMMAND
from tests.waiting import soon

pytestmark = [
    pytest.mark.xdist_group("explorer"),
    pytest.mark.skipif(sys.platform == "win32", reason="signals"),
]


class Asked:
    """One request: its status, headers and body."""

    def __init__(self, explorer, method, path, *, body=None, headers=None) -> None:
        line = http.client.HTTPConnection("127.0.0.1", explorer.port, timeout=60)
        sent = {"Content-Type": "application/json"} if body is not None else {}
        line.request(method, path, body=body, headers={**sent, **(headers or {})})
        answer = line.getresponse()
        self.status, self.headers, self.text = answer.status, answer.headers, answer.read().decode()
        line.close()

    @property
    def json(self):
        return json.loads(self.text)


def behind_token(explorer, place: str) -> str:
    return f"/{explorer.token}/{place}"


def ask(explorer, **asked) -> Asked:
    return Asked(explorer, "POST", behind_token(explorer, "jobs"), body=json.dumps(asked))


def ended(explorer, number: int) -> dict[str, object]:
    place = behind_token(explorer, f"jobs/{number}")
    assert soon(lambda: Asked(explorer, "GET", place).json["state"] != "running")
    return Asked(explorer, "GET", place).json


def test_it_listens_on_this_machine_only(explorer):
    assert explorer._server.server_address[0] == "127.0.0.1"
    with socket.socket() as line:
        line.settimeout(1.0)
        assert line.connect_ex(("127.0.0.2", explorer.port)) != 0


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/wrong/",
        "/wrong/jobs/1",
        "/../../etc/passwd",
        "/{token}",
        "/{token}/table.csv",
        "/{token}/../table.csv",
        "/{token}/%2e%2e/%2e%2e/etc/passwd",
        "/{token}//etc/passwd",
        "/{token}/jobs/0",
        "/{token}/jobs/999",
        "/{token}/jobs/1e3/report.html",
        "/{token}/jobs/../",
    ],
)
def test_nothing_is_found_elsewhere(explorer, path):
    found = Asked(explorer, "GET", path.replace("{token}", explorer.token))
    assert found.status == 404
    assert set(found.json) == {"message"}


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_page_of_another_site_gets_no_answer(explorer, headers, method):
    body = json.dumps({"columns": [0, 1]}) if method == "POST" else None
    place = behind_token(explorer, "jobs" if body else "")
    assert Asked(explorer, method, place, body=body, headers=headers).status == 403


def test_forms_of_other_sites_cannot_ask(explorer):
    place, plain = behind_token(explorer, "jobs"), {"Content-Type": "text/plain"}
    assert Asked(explorer, "POST", place, body="{}", headers=plain).status == 415


@pytest.mark.parametrize("method", ["PUT", "DELETE", "TRACE", "OPTIONS"])
def test_other_ways_of_asking_are_not_known(explorer, method):
    assert Asked(explorer, method, behind_token(explorer, "")).status == 501


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
    found = Asked(explorer, "POST", behind_token(explorer, "jobs"), body=body)
    assert found.status == status
    assert found.json["message"]


def test_the_page_may_load_nothing_from_elsewhere(explorer):
    found = Asked(explorer, "GET", behind_token(explorer, ""))
    assert found.status == 200
    policy = found.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert found.headers["X-Content-Type-Options"] == "nosniff"
    assert found.headers["Referrer-Policy"] == "no-referrer"
    assert "<script>alert(1)" not in found.text


def test_a_report_has_the_numbers_of_decide(explorer, table):
    asked = ask(explorer, columns=[0, 1], n_levels=5)
    assert asked.status == 201
    state = ended(explorer, asked.json["id"])
    assert state["state"] == "done", state
    place = behind_token(explorer, f"jobs/{state['id']}/report.html")
    page = Asked(explorer, "GET", place)
    content = page.text.split('id="report">', 1)[1].split("</script>", 1)[0]
    (row,) = json.loads(content)["pairs"]
    x, y = np.loadtxt(table, delimiter=",", skiprows=1, usecols=(0, 1), unpack=True)
    assert row["confidence"] == bqcd.decide(x, y, n_levels=5).confidence
    saved = Asked(explorer, "GET", place + "?save")
    assert saved.text == page.text
    assert saved.headers["Content-Disposition"] == 'attachment; filename="report.html"'


def test_what_cannot_be_judged_is_told(explorer):
    asked = ask(explorer, columns=[0, 3], missing="raise")
    state = ended(explorer, asked.json["id"])
    assert state["state"] == "failed"
    assert "gaps" in state["message"]
    place = behind_token(explorer, f"jobs/{state['id']}/report.html")
    assert Asked(explorer, "GET", place).status == 409


def test_a_new_question_stops_the_one_at_work_and_so_does_stop(explorer):
    slow = {"columns": [0, 1, 4], "method": "gpi"}
    first, second = ask(explorer, **slow).json["id"], ask(explorer, **slow).json["id"]
    assert ended(explorer, first)["state"] == "stopped"
    place = behind_token(explorer, f"jobs/{second}")
    assert Asked(explorer, "GET", place).json["state"] == "running"
    stopped = Asked(explorer, "POST", f"{place}/stop", body="{}")
    assert stopped.json["state"] == "stopped"
    assert ended(explorer, second)["state"] == "stopped"


def test_work_that_is_killed_is_told_of(explorer):
    number = ask(explorer, columns=[0, 1, 4], method="gpi").json["id"]
    explorer.jobs.get(number)._process.kill()
    assert "signal 9 (SIGKILL)" in ended(explorer, number)["message"]


def test_tokens_are_not_the_same_twice(table):
    with Explorer(table) as one, Explorer(table) as other:
        assert one.token != other.token
        assert len(one.token) >= 32


def test_a_table_that_cannot_be_read_is_told_before_anything_is_served(tmp_path):
    with pytest.raises(InvalidTableError, match="nothing"):
        Explorer(tmp_path / "nothing.csv")


@pytest.mark.parametrize("port", [-1, 65_536, 1.5])
def test_a_port_is_a_port(table, port):
    with pytest.raises(InvalidSettingError, match="port of Explorer"):
        Explorer(table, port=port)


def test_the_command_tells_its_address_and_ends_with_ctrl_c(table):
    command = [COMMAND, "explore", table, "--no-browser"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )
    address = process.stdout.readline().strip()
    assert address.startswith("http://127.0.0.1:")
    host, token = address.removeprefix("http://").split("/", 1)
    line = http.client.HTTPConnection(host, timeout=60)
    line.request("GET", f"/{token}")
    assert b"table.csv" in line.getresponse().read()
    line.close()
    process.send_signal(2)
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (130, "")
