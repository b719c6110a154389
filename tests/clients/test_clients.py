"""The generated clients do the main job on a running service. `make clients` generates them first."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.kit.service import Service, bootstrap, healthy, running_service, until

CLIENTS = Path(os.environ.get("CLIENTS", settings.BASE_DIR / "var" / "clients"))
EXAMPLES = settings.BASE_DIR / "clients" / "examples"
ROWS = 3

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CLIENTS / "openapi.json").exists(), reason="make clients has not run"),
]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A service whose company has a sender."""
    with running_service() as running:
        until(lambda: healthy(running), seconds=300)
        running.key = bootstrap(running)
        sender = {"name": "Acme", "host": "127.0.0.1", "username": "acme", "password": "secret", "secure": False}
        sender |= {"port": json.loads((running.data / "mailcatcher.json").read_text())["port"]}
        running.api("POST", "/apps/smtp", {**sender, "fromEmail": "ann@acme.example", "fromName": "Ann of Acme"})
        yield running


def people(name: str) -> str:
    """Return the rows of a file of contacts, which are the client's own."""
    start = 49_151_10000000 + 100 * len(name)
    rows = [f"{name} {n},{name}{n}@customers.example,+{start + n}" for n in range(ROWS)]
    return "\n".join(["name,email,phone", *rows])


def run(*command: str, folder: Path, **environment: str) -> dict[str, Any]:
    """Run an example and return the object that it prints."""
    env = {**os.environ, **environment}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def check(service: Service, name: str, result: dict[str, Any]) -> None:
    """Check the counts of an example, and the mails that went out."""
    assert result == {"created": ROWS, "approved": ROWS, "sent": ROWS}
    recipients = sorted(mail["To"].addresses[0].addr_spec for mail in service.mails())
    assert [one for one in recipients if one.startswith(name)] == [f"{name}{n}@customers.example" for n in range(ROWS)]


def tag_of(service: Service, name: str) -> str:
    return str(service.api("POST", "/tag", {"name": name})["data"]["_id"])


def generated_by(service: Service, tmp_path: Path, *, name: str, package: str, example: str) -> None:
    """Run a Python example on a generated package."""
    file = tmp_path / "contacts.csv"
    file.write_text(people(name))
    command = (str(CLIENTS / "venv" / "bin" / "python"), str(EXAMPLES / example))
    arguments = (service.base, service.key, str(file), tag_of(service, name))
    check(service, name, run(*command, *arguments, folder=tmp_path, PYTHONPATH=str(CLIENTS / package)))


def test_the_client_of_openapi_python_client_does_the_main_job(service: Service, tmp_path: Path) -> None:
    generated_by(service, tmp_path, name="python", package="python", example="main_job.py")


@pytest.mark.skipif(shutil.which("java") is None, reason="openapi-generator needs Java")
def test_the_client_of_openapi_generator_does_the_main_job(service: Service, tmp_path: Path) -> None:
    generated_by(service, tmp_path, name="generator", package="python-generator", example="main_job_generator.py")


def test_the_typescript_client_does_the_main_job(service: Service) -> None:
    arguments = (service.base, service.key, people("typescript"), tag_of(service, "typescript"))
    result = run("node", "dist/main-job.js", *arguments, folder=CLIENTS / "typescript")
    check(service, "typescript", result)


def test_the_typescript_client_reads_failures(service: Service) -> None:
    script = (
        'import { leadwright } from "./dist/client.js"; const api = leadwright(...process.argv.slice(1));'
        'const { error } = await api.GET("/api/key/protected/contact/{id}",'
        ' { params: { path: { id: "0".repeat(24) } } }); console.log(JSON.stringify(error));'
    )
    command = ("node", "--input-type=module", "--eval", script, service.base, service.key)
    found = run(*command, folder=CLIENTS / "typescript")
    assert (found["status"], found["success"], found["message"]) == ("fail", False, "Contact not found.")
