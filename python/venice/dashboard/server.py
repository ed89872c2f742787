"""HTTP server of the live page, which accepts connections of this machine only."""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from venice._native import UsageError
from venice.dashboard.page import POLICY, page_of
from venice.dashboard.progress import progress_of
from venice.view.vega import require_vega

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HERE = "127.0.0.1"
_NAMES = (HERE, "localhost")
"""Accepted host names; other ones indicate a request from a page of another site."""


class Dashboard(ThreadingHTTPServer):
    """HTTP server of the live page of a folder.

    Raises
    ------
    UsageError
        If the port is in use, or the library that draws the plot is not installed.
    """

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0) -> None:
        require_vega()
        self.folder = folder
        self.page = cache(lambda: page_of(str(folder)).encode())
        try:
            super().__init__((HERE, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is too large"
            raise UsageError(
                f"port {port} cannot be used: {reason}; expected: a free port, 0 to 65535"
            ) from None

    @property
    def address(self) -> str:
        """URL of the live page."""
        return f"http://{HERE}:{self.server_port}/"


@contextmanager
def serving(folder: Path, port: int = 0) -> Iterator[Dashboard]:
    """Serve the live page of a folder while the ``with`` block runs.

    Parameters
    ----------
    folder
        Folder of the results, which may be created later.
    port
        Port; 0 for any free one.
    """
    with Dashboard(folder, port) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: Dashboard
    server_version = "Venice"
    sys_version = ""

    def do_GET(self) -> None:
        """Send the page, its script or the progress."""
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        path = urlsplit(self.path)
        if host not in _NAMES:
            self._answer(HTTPStatus.FORBIDDEN, "text/plain", b"not this machine")
        elif path.path == "/":
            self._answer(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page())
        elif path.path == "/progress.json":
            after = parse_qs(path.query).get("after", ["0"])[0]
            number = int(after) if after.isascii() and after.isdigit() else 0
            found = json.dumps(progress_of(self.server.folder, number)).encode()
            self._answer(HTTPStatus.OK, "application/json", found)
        else:
            self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"not found")

    def _answer(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 as the base class
        """Suppress the server's log messages."""
