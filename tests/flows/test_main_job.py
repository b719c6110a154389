"""The main job as its users do it: `make run`'s supervisor with the demo, and nothing but HTTP from then on."""

from __future__ import annotations

import email
import email.policy
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from config.data_dir import PROJECT
from config.local.embedded.postgres import THROWAWAY_MARK
from config.local.embedded.throwaway import discard

pytestmark = pytest.mark.long

ROWS = 300
PASSWORD = "correct horse battery staple"


@dataclass
class Service:
    """A running service, its address and a company's key."""

    data: Path
    base: str
    environment: dict[str, str]
    key: str = ""

    def call(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        """The answer's JSON; an error status raises with the body in its text."""
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

    def upload(self, name: str, content: bytes) -> Any:
        boundary = uuid.uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: text/csv\r\n\r\n'  # noqa: E501
        body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        return self.call("POST", "/api/key/protected/upload", body, headers)["data"]

    def mails(self) -> list[Any]:
        """The outreach that has been caught; notices of the service itself are left out."""
        files = sorted((self.data / "mails").glob("*.eml"))
        caught = [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]
        return [mail for mail in caught if "ann@acme.example" in mail["From"]]


def until(what: Callable[[], Any], seconds: float = 90) -> Any:
    """What the function gives as soon as that is something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = what()
        if found:
            return found
        time.sleep(0.3)
    raise AssertionError(f"nothing after {seconds} s; the last answer was {found!r}")


@pytest.fixture
def service() -> Iterator[Service]:
    data = Path(tempfile.mkdtemp(prefix="lw-", dir="/tmp"))
    data.chmod(0o711)
    (data / THROWAWAY_MARK).touch()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
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


def ended(job: Any) -> Any:
    return job if job["status"] in ("completed", "failed", "cancelled") else None


def contacts() -> bytes:
    """A file as people have it: German Excel's delimiter and code page, a bad row, a duplicate."""
    lines = ["Name;E-Mail;Telefon;Stadt"]
    lines += [f"Jürgen Müller {n};juergen{n}@kunden.example;+49 151 {10000000 + n};Köln" for n in range(ROWS)]
    lines += ["Kaputt;keine-adresse;+49 151 99999999;Bonn", "Doppelt;JUERGEN0@kunden.example;+49 151 77777777;Bonn"]
    return "\r\n".join(lines).encode("cp1252")


def test_upload_import_plan_approve_send_log_unsubscribe(service: Service) -> None:
    until(lambda: healthy(service))
    service.key = bootstrap(service)

    city = service.api("POST", "/custom-field", {"name": "City", "fieldType": "text"})["data"]
    tag = service.api("POST", "/tag", {"name": "Webinar"})["data"]["_id"]
    file = service.upload("kunden.csv", contacts())
    assert file["mime"] == "text/csv"
    wanted = {"importType": "contact", "fileId": file["_id"], "tags": [tag], "pauseImport": True}
    made = service.api("POST", "/contact/import", wanted)["data"]
    mapping = made["import"]["columnMapping"]
    assert (mapping["Name"], mapping["E-Mail"], mapping["Telefon"]) == ("name", "email", "number")
    address = f"/contact/import/{made['import']['_id']}"
    service.api("PUT", address, {"columnMapping": {**mapping, "Stadt": city["uniqueFieldID"]}, "status": "running"})
    done = until(lambda: ended(service.api("GET", address)["data"]))
    assert done["status"] == "completed"
    assert (done["total"], done["processed"], done["created"], done["skipped"], done["failed"]) == (
        ROWS + 2,
        ROWS + 2,
        ROWS,
        1,
        1,
    )
    assert [(error["row"], error["column"]) for error in done["rowErrors"] if "keine-adresse" in str(error)] == [
        (ROWS + 2, "E-Mail")
    ]
    first = service.api("GET", "/contact?searchValue=juergen0@&p=1&n=5")["data"][0]
    assert (first["name"], first["contactNumber"]) == ("Jürgen Müller 0", "+4915110000000")
    assert first["formData"][city["uniqueFieldID"]] == "Köln"

    port = json.loads((service.data / "mailcatcher.json").read_text())["port"]
    sender = {
        "name": "Acme",
        "host": "127.0.0.1",
        "port": port,
        "username": "acme",
        "password": "geheim",
        "secure": False,
    }
    sender |= {"fromEmail": "ann@acme.example", "fromName": "Ann of Acme"}
    sender_id = service.api("POST", "/apps/smtp", sender)["data"]["_id"]
    assert "geheim" not in json.dumps(service.api("GET", f"/apps/smtp/{sender_id}"))

    preview = service.api("POST", "/genie/audience-preview", {"tags": [tag]})["data"]
    assert preview["count"] == ROWS
    body = {"tags": [tag], "prompt": "Invite them to our webinar on Tuesday", "tone": "friendly", "draft": True}
    run = service.api("POST", "/genie/from-contacts", body)["data"]["_id"]
    drafts = f"/genie/send-jobs?p=1&n=5&filters={urllib.parse.quote(json.dumps({'run': run}))}"
    until(lambda: service.api("GET", drafts)["totalCount"] == ROWS)
    assert service.mails() == []
    service.api("POST", f"/genie/{run}/approve-all")
    until(
        lambda: service.api("GET", "/logs/smtp?p=1&n=1&filters=%7B%22status%22%3A%22sent%22%7D")["totalCount"] == ROWS,
        seconds=150,
    )

    mails = service.mails()
    assert len(mails) == len({mail["Message-ID"] for mail in mails}) == ROWS
    one = next(mail for mail in mails if mail["To"].addresses[0].addr_spec == "juergen0@kunden.example")
    assert str(one["From"]) == "Ann of Acme <ann@acme.example>"
    assert one["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert {part.get_content_type() for part in one.walk()} == {"multipart/alternative", "text/plain", "text/html"}
    assert "webinar" in one.get_body(("plain",)).get_content()

    link = re.search(r"<(http[^>]+)>", one["List-Unsubscribe"])
    assert link is not None
    request = urllib.request.Request(
        link[1], b"List-Unsubscribe=One-Click", {"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert urllib.request.urlopen(request, timeout=30).status == 200
    again = service.api("POST", "/genie/audience-preview", {"tags": [tag]})["data"]
    assert (again["count"], again["sendable"]) == (ROWS, ROWS - 1)
