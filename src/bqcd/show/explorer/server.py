"""The server behind ``bqcd explore``: this machine only, its owner only, and no files."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from errno import EBADF
from functools import cached_property
from http import HTTPStatus
from http.client import LineTooLong
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedReader, RawIOBase
from pathlib import Path
from socket import socket
from types import TracebackType
from typing import Any, ClassVar

from bqcd.data.files.reading import UnreadTable
from bqcd.errors import BqcdError, printable
from bqcd.runtime.settings import check_integer
from bqcd.scans.sources import Source, open_source
from bqcd.show.explorer.door import LIFE, Door
from bqcd.show.explorer.jobs import Jobs
from bqcd.show.explorer.lines import Lines
from bqcd.show.explorer.questions import Question, choices
from bqcd.show.pages.exploring import exploring_page, exploring_policy, notice_page

HOST = "127.0.0.1"
MOST_BYTES = 1 << 16
MOST_HEAD = 1 << 17
"""Bytes that may come before what is sent; one line of 64 kB passes."""
_SINCE = re.compile(r"since=(\d{1,6})")
_JOB = re.compile(r"jobs/([1-9]\d{0,8})(/report\.html|/stop)?")
# Names of columns are in a report: were one ever run, it would find itself without this origin.
_REPORT_POLICY = "sandbox allow-scripts; frame-ancestors 'self'"
_STRANGER = "Open the file that bqcd explore named in its terminal: it lets you in."
_SPENT = f"This address was used before or is older than {LIFE:.0f} seconds. {_STRANGER}"


class Explorer:
    """A page served to this machine, on which a table is asked and answers.

    Parameters
    ----------
    table : str, Path or UnreadTable
        File of the table, as :func:`bqcd.scan` takes it. Nothing else is ever read. What is at an
        address or on standard input is kept in a file of its own meanwhile.
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

    def __init__(self, table: str | Path | UnreadTable, *, port: int = 0) -> None:
        check_integer("Explorer", "port", port, minimum=0, maximum=65_535)
        unread, self._copy = UnreadTable.of(table).at_hand()
        self.source: Source = open_source(unread)
        self.jobs = Jobs(unread)
        self.page = exploring_page(choices(self.source))
        self._server = _Server((HOST, port), _Handler)
        self._server.explorer = self
        self.door = Door(self.address, self.port)

    @property
    def port(self) -> int:
        """Port it listens at."""
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        """Where it is. No secret: who comes in is for the door to say."""
        return f"http://{HOST}:{self.port}/"

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
        self.door.close()
        self._server.server_close()
        self.jobs.stop()
        if self._copy is not None:
            self._copy.cleanup()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Another program must not be able to share the port.
    allow_reuse_port = False
    request_queue_size = 128
    explorer: Explorer

    @cached_property
    def lines(self) -> Lines:
        return Lines()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own, if there is room."""
        if self.lines.take(request):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        super().shutdown_request(request)
        self.lines.leave(request)

    def service_actions(self) -> None:
        """What has to be done now and then."""
        self.lines.end_overdue()
        self.explorer.door.tend()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """One line about a fault of ours; none where the other side has left."""
        error = sys.exception()
        # Ctrl-C just after a thread has started closes its line under it.
        closed = isinstance(error, OSError) and error.errno == EBADF
        if not closed and not isinstance(error, ConnectionError | TimeoutError):
            told = printable(" ".join(f"{type(error).__name__}: {error}".split()))
            sys.stderr.write(f"bqcd: a fault of bqcd: {told}\n")


class _Reader(BufferedReader):
    """Reader of a question that stops where its head is too long."""

    def __init__(self, raw: RawIOBase) -> None:
        super().__init__(raw)
        self._left = MOST_HEAD

    def readline(self, size: int | None = -1) -> bytes:
        """One more line of the head."""
        line = super().readline(size)
        self._left -= len(line)
        if self._left < 0:
            raise LineTooLong("head")
        return line


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "bqcd", ""
    timeout = 60.0
    connection: socket
    server: _Server

    _SAFE: ClassVar[Mapping[str, str]] = {
        "Cache-Control": "no-store",
        # One answer each: a connection that waits for the next question would hold its place.
        "Connection": "close",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "SAMEORIGIN",
    }

    def setup(self) -> None:
        """Make ready to read and write."""
        super().setup()
        self.rfile = _Reader(self.rfile.detach())

    def do_GET(self) -> None:
        """Way in, page, state of a job, or its report."""
        place, _, query = self.path.removeprefix("/").partition("?")
        if not self._is_for_us():
            return
        if place.startswith("enter/"):
            self._let_in(place.removeprefix("enter/"))
        elif not self._is_owner(self._site in (None, "none", "same-origin")):
            self._send_away(place)
        elif place == "":
            explorer = self.server.explorer
            self._send(explorer.page, "text/html", {"Content-Security-Policy": exploring_policy()})
        else:
            self._tell_of_job(_JOB.fullmatch(place), query)

    def do_POST(self) -> None:
        """Start a job, or stop one."""
        body = self._body()
        if body is None or not self._is_for_us():
            return
        place = self.path.removeprefix("/")
        match = _JOB.fullmatch(place)
        # Other ports of this machine are the same site: they would bring our cookie along.
        if not self._is_owner("Origin" in self.headers or self._site == "same-origin"):
            self._refuse(HTTPStatus.FORBIDDEN, _STRANGER)
        elif place == "jobs":
            self._start(body)
        elif match and match[2] == "/stop":
            self._stop(int(match[1]))
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "There is nothing here.")

    def _let_in(self, key: str) -> None:
        if not self.server.explorer.door.opens(key):
            self._notice(_SPENT, HTTPStatus.FORBIDDEN)
            return
        self.server.lines.trust(self.connection)
        # The page itself goes on: browsers send no strict cookie where another site led here.
        given = {"Set-Cookie": self.server.explorer.door.cookie}
        self._notice("One moment …", HTTPStatus.OK, onward="/", more=given)

    def _send_away(self, place: str) -> None:
        if place == "":
            self._notice(_STRANGER, HTTPStatus.FORBIDDEN)
        else:
            self._refuse(HTTPStatus.FORBIDDEN, _STRANGER)

    def _tell_of_job(self, match: re.Match[str] | None, query: str) -> None:
        if not match or match[2] == "/stop":
            self._refuse(HTTPStatus.NOT_FOUND, "There is nothing here.")
            return
        job = self.server.explorer.jobs.get(int(match[1]))
        if job is None:
            self._refuse(HTTPStatus.NOT_FOUND, "There is no such answer any more.")
        elif match[2] is None:
            since = _SINCE.fullmatch(query)
            self._send_json(job.state(int(since[1]) if since else 0))
        elif job.page is None:
            self._refuse(HTTPStatus.CONFLICT, "This report is not there yet.")
        else:
            more = {"Content-Security-Policy": _REPORT_POLICY}
            if query == "save":
                more["Content-Disposition"] = 'attachment; filename="report.html"'
            self._send(job.page, "text/html", more)

    def _start(self, body: bytes) -> None:
        explorer = self.server.explorer
        try:
            question = Question.read(json.loads(body), explorer.source.names)
        except (BqcdError, ValueError, RecursionError) as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
            return
        self._send_json(explorer.jobs.start(question).state(), HTTPStatus.CREATED)

    def _stop(self, number: int) -> None:
        job = self.server.explorer.jobs.get(number)
        if job is None:
            self._refuse(HTTPStatus.NOT_FOUND, "There is no such answer any more.")
            return
        job.stop()
        self._send_json(job.state())

    def _is_for_us(self) -> bool:
        """Whether this server was asked by a page of its own; the asker is told if not."""
        # A page of another site can reach this port under a name of its own.
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        ours = host in self._hosts and (origin is None or origin in self._origins)
        if not ours:
            self._refuse(HTTPStatus.FORBIDDEN, "Only pages of this machine are answered.")
        return ours

    def _is_owner(self, from_here: bool) -> bool:
        """Whether the cookie was brought along, and not by a page from elsewhere."""
        cookies = "; ".join(self.headers.get_all("Cookie", []))
        owner = self.server.explorer.door.knows(cookies) and from_here
        if owner:
            self.server.lines.trust(self.connection)
        return owner

    @property
    def _site(self) -> str | None:
        """Where the question comes from, as browsers tell and pages cannot change."""
        return self.headers.get("Sec-Fetch-Site")

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

    def _notice(
        self,
        text: str,
        status: HTTPStatus,
        *,
        onward: str | None = None,
        more: Mapping[str, str] | None = None,
    ) -> None:
        policy = {"Content-Security-Policy": "frame-ancestors 'none'"}
        self._send(
            notice_page(text, onward=onward), "text/html", {**policy, **(more or {})}, status
        )

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
        """Nothing: requests are not news, and addresses hold keys."""
