"""A web process of the test's own, on the test's database: what it does with its threads shows in no other way."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from config.data_dir import PROJECT
from tests.kit.processes import database_url
from tests.kit.service import free_port

HEALTH = "/api/public/health"


@dataclass(frozen=True)
class Web:
    """A running web process."""

    port: int
    process: subprocess.Popen[bytes]

    def call(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes | None = None
    ) -> tuple[int, Any, float]:
        """Return the status and headers of an answer, and the seconds until it was read."""
        started = time.monotonic()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, headers or {}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                response.read()
                return response.status, response.headers, time.monotonic() - started
        except urllib.error.HTTPError as error:
            error.read()
            return error.code, error.headers, time.monotonic() - started

    def health(self) -> tuple[int, float]:
        """Return the status of the health check, and the seconds that it took."""
        status, _, seconds = self.call("GET", HEALTH)
        return status, seconds


@contextmanager
def web_process(threads: int, **settings: str) -> Iterator[Web]:
    """Run a web process with this many threads."""
    port = free_port()
    environment = {
        **os.environ,
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "LEADWRIGHT_TEST_SERVERS": "1",
        "PORT": str(port),
        "WEB_CONCURRENCY": "1",
        "WEB_THREADS": str(threads),
        **settings,
    }
    process = subprocess.Popen([sys.executable, "-m", "config.web"], cwd=PROJECT, env=environment)
    web = Web(port, process)
    try:
        _wait(web)
        yield web
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:  # threads that a caller holds
            process.kill()
            process.wait()


def _wait(web: Web) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            assert web.health()[0] == 200
            return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.1)
