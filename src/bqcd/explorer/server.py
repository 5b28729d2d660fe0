"""The server behind ``bqcd explore``: this machine only, behind a token, and no files."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar

from bqcd.errors import BqcdError
from bqcd.explorer.jobs import Jobs
from bqcd.explorer.questions import Question, choices
from bqcd.pages.exploring import exploring_page, exploring_policy
from bqcd.scans.sources import Source, open_source
from bqcd.settings import check_integer

HOST = "127.0.0.1"
MOST_BYTES = 1 << 16
_JOB = re.compile(r"jobs/([1-9]\d{0,8})(/report\.html|/stop)?")
_REPORT_POLICY = "frame-ancestors 'self'"


class Explorer:
    """A page served to this machine, on which a table is asked and answers.

    Parameters
    ----------
    path : str or Path
        File of the table, as :func:`bqcd.scan` takes it. Nothing else is ever read.
    port : int, default=0
        Port to listen at; 0 for a free one.

    Raises
    ------
    InvalidTableError
        If the table cannot be read.
    OSError
        If the port is taken.
    MissingPackageError
        If jinja2 is not installed.
    """

    def __init__(self, path: str | Path, *, port: int = 0) -> None:
        check_integer("Explorer", "port", port, minimum=0, maximum=65_535)
        self.source: Source = open_source(Path(path))
        self.jobs = Jobs(Path(path).resolve())
        self.token = secrets.token_urlsafe(24)
        self.page = exploring_page(choices(self.source))
        self._server = _Server((HOST, port), _Handler)
        self._server.explorer = self

    @property
    def port(self) -> int:
        """Port it listens at."""
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        """Where to look; only who knows it gets an answer."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def serve(self) -> None:
        """Answer until stopped."""
        self._server.serve_forever(poll_interval=0.2)

    def shut_down(self) -> None:
        """Make ``serve`` return; from another thread."""
        self._server.shutdown()

    def __enter__(self) -> Explorer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.server_close()
        self.jobs.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Another program must not be able to share the port.
    allow_reuse_port = False
    explorer: Explorer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "bqcd", ""
    timeout = 60.0
    server: _Server

    _SAFE: ClassVar[Mapping[str, str]] = {
        "Cache-Control": "no-store",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "SAMEORIGIN",
    }

    def do_GET(self) -> None:
        """Page, state of a job, or its report."""
        place = self._place()
        if place is None:
            return
        if place == "":
            explorer = self.server.explorer
            self._send(explorer.page, "text/html", {"Content-Security-Policy": exploring_policy()})
            return
        name, _, query = place.partition("?")
        match = _JOB.fullmatch(name)
        if not match or match[2] == "/stop":
            self._refuse(HTTPStatus.NOT_FOUND, "There is nothing here.")
            return
        job = self.server.explorer.jobs.get(int(match[1]))
        if job is None:
            self._refuse(HTTPStatus.NOT_FOUND, "There is no such answer any more.")
        elif match[2] is None:
            self._send_json(job.state())
        elif job.page is None:
            self._refuse(HTTPStatus.CONFLICT, "This report is not there yet.")
        else:
            more = {"Content-Security-Policy": _REPORT_POLICY}
            if query == "save":
                more["Content-Disposition"] = 'attachment; filename="report.html"'
            self._send(job.page, "text/html", more)

    def do_POST(self) -> None:
        """Start a job, or stop one."""
        body = self._body()
        place = self._place()
        if place is None or body is None:
            return
        match = _JOB.fullmatch(place)
        if place == "jobs":
            self._start(body)
        elif match and match[2] == "/stop":
            job = self.server.explorer.jobs.get(int(match[1]))
            if job is None:
                self._refuse(HTTPStatus.NOT_FOUND, "There is no such answer any more.")
                return
            job.stop()
            self._send_json(job.state())
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "There is nothing here.")

    def _start(self, body: bytes) -> None:
        explorer = self.server.explorer
        try:
            question = Question.read(json.loads(body), explorer.source.names)
        except (BqcdError, ValueError, RecursionError) as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
            return
        self._send_json(explorer.jobs.start(question).state(), HTTPStatus.CREATED)

    def _place(self) -> str | None:
        """Path behind the token, or None where the asker was sent away."""
        # A page of another site can reach this port under a name of its own.
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        if host not in self._hosts or (origin is not None and origin not in self._origins):
            self._refuse(HTTPStatus.FORBIDDEN, "Only pages of this machine are answered.")
            return None
        token, slash, place = self.path.removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(
            token.encode(), self.server.explorer.token.encode()
        ):
            self._refuse(HTTPStatus.NOT_FOUND, "There is nothing here.")
            return None
        return place

    @cached_property
    def _hosts(self) -> tuple[str, ...]:
        return tuple(f"{name}:{self.server.explorer.port}" for name in (HOST, "localhost"))

    @cached_property
    def _origins(self) -> tuple[str, ...]:
        return tuple(f"http://{host}" for host in self._hosts)

    def _body(self) -> bytes | None:
        """What was sent, or None where it is not JSON of a decent size."""
        length = self.headers.get("Content-Length", "")
        kind = self.headers.get_content_type()
        if not re.fullmatch(r"\d{1,9}", length) or int(length) > MOST_BYTES:
            self.close_connection = True
            self._refuse(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"At most {MOST_BYTES} bytes can be sent, and their number must be told.",
            )
            return None
        body = self.rfile.read(int(length))
        if kind != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Only JSON can be sent.")
            return None
        return body

    def _send_json(self, value: Mapping[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(json.dumps(value), "application/json", {}, status)

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self._send_json({"message": message}, status)

    def _send(
        self,
        text: str,
        kind: str,
        more: Mapping[str, str],
        status: HTTPStatus = HTTPStatus.OK,
    ) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in {**self._SAFE, **more}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: requests are not news, and the address holds the token."""
