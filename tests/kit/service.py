"""The whole service as people run it, for tests that reach it over HTTP only."""

from __future__ import annotations

import email
import email.policy
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.data_dir import PROJECT
from config.local.embedded.postgres import THROWAWAY_MARK
from config.local.embedded.throwaway import discard

PASSWORD = "correct horse battery staple"
OWNER = "ann@acme.example"


@dataclass
class Service:
    """A running service, its address and a company's key."""

    data: Path
    base: str
    environment: dict[str, str]
    key: str = ""

    def call(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        """Return the answer's JSON. Raises AssertionError, with the body, for an error status."""
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        sent = {"apikey": self.key, "Content-Type": "application/json", **(headers or {})}
        request = urllib.request.Request(self.base + path, content, sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from error

    def api(self, method: str, path: str, body: Any = None) -> Any:
        return self.call(method, "/api/key/protected" + path, body)

    def status(self, method: str, path: str) -> tuple[int, Any]:
        """Return the status and headers of an answer by key, whatever it is."""
        request = urllib.request.Request(self.base + path, headers={"apikey": self.key}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                response.read()
                return response.status, response.headers
        except urllib.error.HTTPError as error:
            error.read()
            return error.code, error.headers

    def upload(self, name: str, content: bytes) -> Any:
        boundary = uuid.uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: text/csv\r\n\r\n'  # noqa: E501
        body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        return self.call("POST", "/api/key/protected/upload", body, headers)["data"]

    def mails(self) -> list[Any]:
        """Return the outreach that has been caught, without notices of the service itself."""
        files = sorted((self.data / "mails").glob("*.eml"))
        caught = [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]
        return [mail for mail in caught if "ann@acme.example" in mail["From"]]


def until(what: Callable[[], Any], seconds: float = 90) -> Any:
    """Call the function until it returns something, and return that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = what()
        if found:
            return found
        time.sleep(0.3)
    raise AssertionError(f"nothing after {seconds} s; the last answer was {found!r}")


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_service() -> Iterator[Service]:
    """Run `make run` on a data directory of its own, and stop it cleanly at the end of the block."""
    data = Path(tempfile.mkdtemp(prefix="lw-", dir="/tmp"))
    data.chmod(0o711)
    (data / THROWAWAY_MARK).touch()
    port = free_port()
    drop = (
        "DATABASE_URL",
        "REDIS_URL",
        "LEADWRIGHT_DATA",
        "DJANGO_SETTINGS_MODULE",
        "SECRET_KEY",
        "FIELD_ENCRYPTION_KEY",
        "HOST",
        "DEMO",
    )
    environment = {key: value for key, value in os.environ.items() if key not in drop}
    environment |= {"LEADWRIGHT_DATA": str(data), "PORT": str(port), "WEB_CONCURRENCY": "1", "WORKER_CONCURRENCY": "1"}
    log = (data / "run.log").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-m", "config.local.supervisor"],
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    running = Service(data, f"http://127.0.0.1:{port}", environment)
    try:
        yield running
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=90) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        log.close()
        print((data / "run.log").read_text()[-8000:])
        discard(data)


def healthy(service: Service) -> bool:
    try:
        return bool(service.call("GET", "/api/public/health")["data"]["database"] == "ok")
    except (OSError, AssertionError):
        return False


def bootstrap(service: Service) -> str:
    owner = ["--company", "Acme", "--email", "ann@acme.example", "--password", PASSWORD]
    command = [sys.executable, "manage.py", "bootstrap", *owner, "--json"]
    done = subprocess.run(
        command, cwd=PROJECT, env=service.environment, capture_output=True, text=True, timeout=60, check=True
    )
    return str(json.loads(done.stdout)["apiKey"])
