"""A publisher's server on the loopback, and the archives it hands out."""

from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

Answer = Callable[[BaseHTTPRequestHandler], None]


class Publisher:
    """A web server that answers one request after the other as it is told."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[BaseHTTPRequestHandler] = []
        self.silence = threading.Event()
        publisher = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                at = len(publisher.requests)
                publisher.requests.append(self)
                publisher.answers[min(at, len(publisher.answers) - 1)](self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}/pairs.zip"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def close(self) -> None:
        self.silence.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def whole(content: bytes, *, size: int | None = None, told: bool = True) -> Answer:
    """The content, of which ``size`` bytes are told of in the header."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        if told:
            request.send_header("Content-Length", str(size or len(content)))
        request.end_headers()
        request.wfile.write(content)

    return answer


def failing(status: int) -> Answer:
    return lambda request: request.send_error(status)


def archive_of(folder: Path, prefix: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, prefix + path.relative_to(folder).as_posix())
    return buffer.getvalue()
