"""Certificates of OUTBOUND_CA_FILE are trusted in connections to tenants' hosts, besides the system's."""

from __future__ import annotations

import http.server
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.env import certificates_file
from core.outbound_http import HttpFailed, send_request
from tests.kit.smtp_server import certificate


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: Any) -> None:
        return


@contextmanager
def https_server(context: ssl.SSLContext) -> Iterator[int]:
    """Run one on a free port of loopback."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join(5)


def test_https_trusts_the_file_too(tmp_path: Path, settings: Any) -> None:
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8", "::1"]
    context, trusted = certificate(tmp_path)
    with https_server(context) as port:
        with pytest.raises(HttpFailed, match="is its certificate valid"):
            send_request("GET", f"https://localhost:{port}/", seconds=10)
        settings.OUTBOUND_CA_FILE = trusted
        assert send_request("GET", f"https://localhost:{port}/", seconds=10).body == b"ok"
        with pytest.raises(HttpFailed, match="is its certificate valid"):  # the name is another one
            send_request("GET", f"https://127.0.0.1:{port}/", seconds=10)


def test_a_file_without_certificates_is_refused_at_the_start(tmp_path: Path) -> None:
    _context, trusted = certificate(tmp_path)
    assert (certificates_file(""), certificates_file(trusted)) == ("", trusted)
    empty = tmp_path / "empty.pem"
    empty.write_text("no certificate")
    for path in (str(empty), str(tmp_path / "missing.pem")):
        with pytest.raises(ImproperlyConfigured, match="OUTBOUND_CA_FILE"):
            certificates_file(path)
