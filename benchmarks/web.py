"""The web server as a child process, and a client with a kept-alive connection."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlencode

import orjson
import psutil

from config.data_dir import PROJECT
from config.local.supervisor.programs import Options, plan
from core.types import JsonObject

KEY_PATH = "/api/key/protected"
HOST = "127.0.0.1"
START_SECONDS = 60.0


class Refused(RuntimeError):
    """The server answered with an error."""


class Caller:
    """An API client over one kept-alive connection."""

    def __init__(self, port: int, key: str) -> None:
        self.connection = HTTPConnection(HOST, port, timeout=600)
        self.headers = {"apikey": key, "Content-Type": "application/json"}

    def open(
        self, method: str, path: str, query: JsonObject | None = None, body: Any = None, **headers: str
    ) -> HTTPResponse:
        """Send a request. The caller reads the answer's body. `body` is bytes, a file, or JSON data."""
        params = {
            key: value if isinstance(value, str) else orjson.dumps(value).decode()
            for key, value in (query or {}).items()
        }
        address = f"{KEY_PATH}{path}{'?' + urlencode(params) if params else ''}"
        content = body if body is None or isinstance(body, bytes) or hasattr(body, "read") else orjson.dumps(body)
        self.connection.request(method, address, body=content, headers=self.headers | headers)
        return self.connection.getresponse()

    def read(self, method: str, path: str, query: JsonObject | None = None, body: Any = None, **headers: str) -> bytes:
        """Return the body of a successful answer. Raises Refused for others."""
        response = self.open(method, path, query, body, **headers)
        content = response.read()
        if response.status >= 300:
            raise Refused(f"{method} {path}: {response.status} {content[:500].decode(errors='replace')}")
        return content

    def json(self, method: str, path: str, query: JsonObject | None = None, body: Any = None, **headers: str) -> Any:
        """Return the parsed JSON of a successful answer."""
        return orjson.loads(self.read(method, path, query, body, **headers))


@dataclass(frozen=True)
class Web:
    """A running web server with one worker process."""

    port: int
    process: psutil.Process

    def caller(self, key: str) -> Caller:
        """Return a client with a new connection."""
        return Caller(self.port, key)

    def memory(self) -> int:
        """Return the RSS of all the server's processes, in bytes."""
        return sum(process.memory_info().rss for process in [self.process, *self.process.children(recursive=True)])


@contextmanager
def serve(log: Path, **settings: str) -> Iterator[Web]:
    """Run the web server on a free loopback port, as the supervisor does. `settings` are environment variables."""
    port = _free_port()
    options = Options(host=HOST, port=port, data=log.parent, demo=False, web_concurrency=1, worker_concurrency=1)
    command = next(program.command for program in plan(options).programs if program.name == "web")
    own = {"LOG_LEVEL": "WARNING", "HOST": HOST, "PORT": str(port), "WEB_CONCURRENCY": "1"}
    environment = os.environ | own | settings
    with log.open("wb") as output:
        child = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            _await(child, port, log)
            yield Web(port, psutil.Process(child.pid))
        finally:
            end(child)


def end(child: subprocess.Popen[bytes], patience: float = 15.0) -> None:
    """Stop a child and its children."""
    try:
        family = psutil.Process(child.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        family = []
    child.terminate()
    try:
        child.wait(patience)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait(patience)
    for process in psutil.wait_procs(family, timeout=2)[1]:
        process.kill()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


def _await(child: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until the server answers."""
    deadline = monotonic() + START_SECONDS
    while monotonic() < deadline and child.poll() is None:
        connection = HTTPConnection(HOST, port, timeout=5)
        try:
            connection.request("GET", "/api/public/health")
            connection.getresponse().read()
        except OSError:
            sleep(0.1)
        else:
            return
        finally:
            connection.close()
    raise RuntimeError(f"the web server did not start: {log.read_text(errors='replace')[-2000:]}")
