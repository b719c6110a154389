"""Redis, then PostgreSQL, hangs for a minute while a whole service is at work: all kinds of worker go on by
themselves, within 30 seconds.

CHAOS_HANG_SECONDS sets how long; `make chaos` runs it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pytest

from config.local.embedded import postgres, redis
from tests.kit.service import Service, bootstrap, healthy, running_service, until
from tests.kit.stops import stopped
from tests.workflows.helpers import CREATED, edges, node

pytestmark = pytest.mark.slow

HANG = float(os.environ.get("CHAOS_HANG_SECONDS", "60"))
BACK_WITHIN = 30
CONTACTS = "/contact?p=1&n=1&searchValue="


@dataclass
class Office:
    """A company at work: each round of work needs every queue."""

    service: Service
    sender: str
    receiver: str
    rounds: int = 0
    begun: list[Callable[[], Any]] = field(default_factory=list)

    def begin(self) -> None:
        """Begin an import, whose contact starts a workflow, and a run of outreach, which `ai` plans and
        `main` sends."""
        self.rounds += 1
        name, service = f"Round{self.rounds}", self.service
        mail = f"{name.lower()}@example.org"
        body = {"contactIds": [self.receiver], "prompt": "Tell them about our new opening hours", "smtp": self.sender}
        run = service.api("POST", "/genie/from-contacts", body)["data"]["_id"]
        rows = f"name,email,countryCode,number\n{name},{mail},+49,172{self.rounds:07}"
        file = service.upload("people.csv", rows.encode())
        wanted = {"importType": "contact", "fileId": file["_id"], "pauseImport": False}
        job = service.api("POST", "/contact/import", wanted)["data"]["import"]["_id"]
        self.begun = [
            lambda: service.api("GET", f"/contact/import/{job}")["data"]["created"] == 1,
            lambda: [one["name"] for one in service.api("GET", CONTACTS + mail)["data"]] == [f"{name}!"],
            lambda: self.sent(run),
        ]

    def sent(self, run: str) -> bool:
        filters = quote(json.dumps({"run": run}))
        found = self.service.api("GET", f"/genie/send-jobs?p=1&n=5&filters={filters}")["data"]
        return [one["status"] for one in found] == ["sent"]

    def finish(self, seconds: float) -> float:
        """Wait until all of it is done. Returns the seconds."""
        began = time.monotonic()
        for done in self.begun:
            until(done, seconds - (time.monotonic() - began))
        until(lambda: self.service.call("GET", "/api/public/health")["message"] == "OK", seconds)
        return time.monotonic() - began


@pytest.fixture(scope="module")
def office() -> Iterator[Office]:
    with running_service() as service:
        until(lambda: healthy(service), seconds=300)
        service.key = bootstrap(service)
        port = json.loads((service.data / "mailcatcher.json").read_text())["port"]
        own = {"fromName": "Ann", "fromEmail": "ann@acme.example", "username": "acme", "password": "geheim"}
        app = service.api("POST", "/apps/smtp", {**own, "host": "127.0.0.1", "port": port, "secure": False})["data"]
        # Before there is the workflow: a message whose contact changes waits for another approval.
        person = {"name": "Bea Miller", "email": "bea@example.org", "countryCode": "+49", "number": "1711234567"}
        receiver = service.api("POST", "/contact", {"formData": person})["data"]["_id"]
        change = {"action": "update", "values": {"name": "{{ contact.name }}!"}}
        graph = {"nodes": [node("a", "contact", change)], "edges": edges()}
        body = {"name": "Mark", "triggerEventType": CREATED, **graph}
        workflow = service.api("POST", "/workflow", body)["data"]["_id"]
        service.api("POST", f"/workflow/{workflow}/publish")
        yield Office(service, app["_id"], receiver)


def process_of(server: Any, service: Service) -> int:
    pid = server.status(service.data)
    assert pid is not None
    return int(pid)


@pytest.mark.parametrize("load", ["idle", "busy"])
def test_chaos_of_a_redis_that_hangs(office: Office, load: str) -> None:
    office.begin()
    office.finish(120)
    if load == "busy":
        office.begin()
    with stopped(process_of(redis, office.service)):
        began = time.monotonic()
        assert healthy(office.service)
        if load == "idle":
            office.begin()  # requests go on
        time.sleep(max(0.0, HANG - (time.monotonic() - began)))
    print(f"at work after a hang of Redis ({load}): {office.finish(BACK_WITHIN):.1f} s")
    office.begin()
    print(f"the round after: {office.finish(BACK_WITHIN):.1f} s")


@pytest.mark.parametrize("load", ["idle", "busy"])
def test_chaos_of_a_postgresql_that_hangs(office: Office, load: str) -> None:
    office.begin()
    if load == "idle":
        office.finish(120)
    with stopped(process_of(postgres, office.service)):
        time.sleep(HANG)
    print(f"at work after a hang of PostgreSQL ({load}): {office.finish(BACK_WITHIN):.1f} s")
    office.begin()
    print(f"the round after: {office.finish(BACK_WITHIN):.1f} s")
