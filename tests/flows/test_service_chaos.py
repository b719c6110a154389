"""A whole service whose sending processes hang and are killed while PostgreSQL hangs and crashes, and Redis hangs and
is flushed: each message goes out once, by SMTP and by a mail vendor, or is in doubt.

CHAOS_MAILS and CHAOS_KILLS set the size; `make chaos` runs it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psutil
import pytest
from redis import Redis

from config.local.embedded import postgres, redis
from config.worker import PARTS
from outreach.models import MailApp
from tests.flows.test_send_chaos import SlowServer, SlowVendor, _message_id, asked_about
from tests.kit.mail_vendors import KEY, VendorServer, vendor_server
from tests.kit.service import Service, bootstrap, healthy, running_service, until
from tests.kit.smtp_server import Faults, accept_any, faulty_server
from tests.kit.stops import hang_one, stopped

MAILS = int(os.environ.get("CHAOS_MAILS", "10000"))
KILLS = int(os.environ.get("CHAOS_KILLS", "100"))
CRASHES = 3
CONNECTIONS = 4
SECONDS = 3600
AT_ONCE = 500
ON_THE_WAY = {"planned", "draft", "approved", "claimed", "sending"}


@pytest.fixture
def vendors() -> Iterator[VendorServer]:
    with vendor_server(SlowVendor) as server:
        yield server.be("postmark")


@pytest.fixture
def service(vendors: VendorServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("VENDOR_BASE_URLS", json.dumps({"postmark": vendors.url}))
    monkeypatch.setenv("OUTBOUND_PRIVATE_HOSTS", "127.0.0.0/8")
    with running_service() as running:
        until(lambda: healthy(running), seconds=300)
        running.key = bootstrap(running)
        yield running


def connected(service: Service, port: int) -> list[str]:
    """Connect a mail server and a vendor. Returns the ids of both senders."""
    own = {"fromName": "Ann", "fromEmail": "ann@example.com"}
    server = {"host": "127.0.0.1", "port": port, "username": "user", "password": "päss wörd", "secure": False}
    smtp = service.api("POST", "/apps/smtp", {**own, **server, "maxConnections": CONNECTIONS})
    app = service.api("POST", "/apps/mailvendor-e", {**own, "apiKey": KEY})
    assert (smtp["data"]["verified"], app["data"]["verified"]) == (True, True)
    return [smtp["data"]["_id"], app["data"]["_id"]]


def begin(service: Service, senders: list[str]) -> None:
    """Make contacts, and a run for each half of them."""
    ids: list[str] = []
    for start in range(0, MAILS, AT_ONCE):
        people = [
            {"name": f"Person {n}", "email": f"person{n}@example.org", "countryCode": "+49", "number": f"171{n:07}"}
            for n in range(start, min(start + AT_ONCE, MAILS))
        ]
        made = service.api("POST", "/contact/bulk", {"formData": people})["data"]
        assert not made["failed"], made["failed"][0]
        ids += [one["_id"] for one in made["created"]]
    for sender, half in zip(senders, (ids[: MAILS // 2], ids[MAILS // 2 :]), strict=True):
        body = {"contactIds": half, "prompt": "Tell them about our new opening hours", "smtp": sender}
        service.api("POST", "/genie/from-contacts", body)


def sending_processes(service: Service) -> list[psutil.Process]:
    """Return the processes of the pool that sends, which Celery replaces when they die."""
    found = []
    for process in psutil.Process(int((service.data / "supervisor.lock").read_text())).children(recursive=True):
        try:
            if "main@%h" in process.cmdline() and not process.children():
                found.append(process)
        except psutil.Error:
            continue
    return found


def kill_one(service: Service) -> None:
    living = sending_processes(service)
    hang_one([process.pid for process in living])
    if living:
        with suppress(psutil.NoSuchProcess):  # it has ended by itself meanwhile
            random.choice(living).send_signal(signal.SIGKILL)


def crash(service: Service) -> None:
    """Let Redis hang, then PostgreSQL; crash it, and flush Redis. The supervisor starts the database again."""
    pid = postgres.status(service.data)
    for server in filter(None, (redis.status(service.data), pid)):
        with stopped(server):
            time.sleep(random.uniform(1, 10))
    if pid is not None:
        os.kill(pid, signal.SIGQUIT)
    Redis.from_url(redis.url(service.data)).flushall()
    until(lambda: postgres.status(service.data) not in (None, pid) and healthy(service), seconds=120)


def messages(service: Service) -> dict[str, str]:
    """Return the status of each message, without the demo's."""
    found: dict[str, str] = {}
    for one in service.api("GET", "/genie/send-jobs")["data"]:
        found[one["_id"]] = one["status"]
    return found


def trouble(service: Service, accepted: Any, end: float) -> None:
    """Kill, crash and flush, spread over the whole of the sending."""
    for number in range(KILLS):
        goal = int(MAILS / (KILLS + 1) * (number + random.random()))
        until(lambda goal=goal: accepted() >= goal or time.monotonic() > end, seconds=SECONDS)
        time.sleep(random.uniform(0, 0.05))
        kill_one(service)
        if number % (KILLS // CRASHES) == KILLS // CRASHES // 2:
            crash(service)


@pytest.mark.slow
def test_chaos_of_a_service(service: Service, vendors: VendorServer) -> None:
    server = Faults()
    began = time.monotonic()
    end = began + SECONDS
    with faulty_server(server, factory=SlowServer, authenticator=accept_any, auth_require_tls=False) as port:
        begin(service, connected(service, port))
        trouble(service, lambda: len(server.received) + len(vendors.sent), end)
        until(
            lambda: len(found := messages(service)) == MAILS and not ON_THE_WAY & set(found.values()),
            seconds=end - time.monotonic(),
        )
    accepted = [*map(_message_id, server.received), *(asked_about(one) for one in vendors.sent)]
    status_of = messages(service)
    counts = Counter(status_of.values())
    print(
        {"mails": MAILS, "kills": KILLS, "crashes": CRASHES, **counts, "accepted": len(accepted)},
        f"{time.monotonic() - began:.0f} s",
    )
    assert len(accepted) == len(set(accepted)), "a mail went out twice"
    assert {status_of[pk] for pk in accepted} <= {"sent", "unknown"}
    assert {pk for pk, status in status_of.items() if status == "sent"} <= set(accepted)
    assert counts["sent"] + counts["unknown"] == MAILS
    most = CONNECTIONS + MailApp.max_connections
    assert counts["unknown"] <= (KILLS + CRASHES * PARTS["sender"].processes) * most
