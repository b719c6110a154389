"""Workers killed by kill -9 while they plan and send a run: nothing goes out twice, nothing is lost, what is uncertain
is `unknown`.

CHAOS_MAILS and CHAOS_KILLS set the size; `make chaos` runs the long form.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from aiosmtpd.smtp import SMTP, Envelope
from django.db import connection

from core.jobs.sweeper import MAX_DEATHS
from core.tenancy import company_scope
from crm.models import Contact
from outreach.models import AiApp, SendJob, SendJobTransition, Smtp
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import SmtpFactory
from tests.kit.smtp_server import Faults, FaultyServer, accept_any, faulty_server

pytestmark = pytest.mark.long

logging.getLogger("mail.log").setLevel(logging.WARNING)

WORKERS = 2
SECONDS = 600


class SlowServer(FaultyServer):
    """Takes its time around the moment of acceptance, where a kill hurts most."""

    async def handle_DATA(self, server: SMTP, session: object, envelope: Envelope) -> str:
        await asyncio.sleep(random.uniform(0, 0.004))
        answer = await super().handle_DATA(server, session, envelope)
        await asyncio.sleep(random.uniform(0, 0.004))
        return answer


class Stable:
    """The running workers."""

    def __init__(self, database: str) -> None:
        url = urlsplit(os.environ["DATABASE_URL"])
        address = urlunsplit((url.scheme, url.netloc, f"/{database}", url.query, ""))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.flows.worker_stable"],
            env={
                **os.environ,
                "DATABASE_URL": address,
                "DJANGO_SETTINGS_MODULE": "tests.settings",
                "LOG_LEVEL": "ERROR",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pids: list[int] = []

    def spawn(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("spawn\n")
        self.process.stdin.flush()
        self.pids.append(int(self.process.stdout.readline()))

    def kill_one(self) -> None:
        os.kill(self.pids.pop(random.randrange(len(self.pids))), signal.SIGKILL)

    def close(self) -> None:
        for pid in self.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)


@contextmanager
def stable(database: str) -> Iterator[Stable]:
    workers = Stable(database)
    try:
        for _ in range(WORKERS):
            workers.spawn()
        yield workers
    finally:
        workers.close()


def prepare(cast: Cast, port: int, mails: int) -> str:
    """Create contacts, a sender and a run for all of them. Returns the run's id."""
    with cast.scope():
        SmtpFactory(port=port, username="user", password="päss wörd")
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        contacts = [
            Contact(name=f"Person {n}", email=f"person{n}@example.org", email_key=f"person{n}@example.org")
            for n in range(mails)
        ]
        Contact.objects.bulk_create(contacts)
    ids = [contact.pk for contact in contacts]
    answer = cast.key.post(
        "/genie/from-contacts", {"contactIds": ids, "prompt": "Tell them about our new opening hours"}
    )
    assert answer.status == 201, answer.body
    return answer.data["_id"]


def kill_while_planning(workers: Stable, kills: int) -> None:
    """Kill at moments that fall into the planning of the first batches."""
    for _ in range(kills):
        time.sleep(random.uniform(0.05, 0.4))
        workers.kill_one()
        workers.spawn()


def kill_while_sending(workers: Stable, server: Faults, mails: int, kills: int, end: float) -> None:
    """Kill after each so many accepted mails, spread over the whole run, at random moments within a delivery."""
    every = mails / (kills + 1)
    for number in range(kills):
        goal = int(every * (number + 1) - random.uniform(0, every))
        while len(server.received) < goal:
            assert time.monotonic() < end, f"only {len(server.received)} of {mails} mails went out"
            time.sleep(0.001)
        time.sleep(random.uniform(0, 0.02))
        workers.kill_one()
        workers.spawn()


def wait_until_done(cast: Cast, run: str, mails: int, end: float) -> Counter[str]:
    """Wait until no message is on its way any more. Returns the counts by status."""
    while True:
        with company_scope(cast.company.pk):
            # A rested sender is not what is tested here.
            Smtp.objects.update(paused_until=None)
            counts = Counter(SendJob.objects.filter(run_id=run).values_list("status", flat=True))
        if counts.total() == mails and not set(counts) & {"approved", "claimed", "sending"}:
            return counts
        assert time.monotonic() < end, f"still {dict(counts)}"
        time.sleep(0.2)


def chaos(mails: int, kills: int) -> dict[str, Any]:
    """Run it and hold the ledger against what the server accepted; returns what was counted."""
    cast, server = make_cast(), Faults()
    end = time.monotonic() + SECONDS
    started = time.monotonic()
    with faulty_server(server, factory=SlowServer, authenticator=accept_any, auth_require_tls=False) as port:
        run = prepare(cast, port, mails)
        with stable(connection.settings_dict["NAME"]) as workers:
            # Fewer than a run of work survives without any progress (MAX_DEATHS), however slow the machine is.
            early = min(kills // 4, MAX_DEATHS - 2)
            kill_while_planning(workers, early)
            kill_while_sending(workers, server, mails, kills - early, end)
            counts = wait_until_done(cast, run, mails, end)
    seconds = time.monotonic() - started
    accepted = [_message_id(mail) for mail in server.received]
    assert len(accepted) == len(set(accepted)), "a mail went out twice"
    with company_scope(cast.company.pk):
        status_of = dict(SendJob.objects.filter(run_id=run).values_list("pk", "status"))
        begun = Counter(SendJobTransition.objects.filter(to_status="sending").values_list("send_job_id", flat=True))
        recipients = SendJob.objects.filter(run_id=run).values("contact_id").distinct().count()
    assert recipients == mails
    assert {status_of[pk] for pk in accepted} <= {"sent", "unknown"}, (
        "an accepted mail that the ledger does not know of"
    )
    sent = {pk for pk, status in status_of.items() if status == "sent"}
    assert sent <= set(accepted), "a message is called sent that the server never had"
    assert counts["sent"] + counts["unknown"] == mails, f"lost: {dict(counts)}"
    assert max(begun.values()) == 1
    assert counts["unknown"] <= kills
    return {"mails": mails, "kills": kills, **counts, "accepted": len(accepted), "seconds": round(seconds, 1)}


def _message_id(mail: bytes) -> str:
    [line] = [line for line in mail.split(b"\r\n") if line.startswith(b"Message-ID: <")]
    return line[13:37].decode()


@pytest.mark.django_db(transaction=True)
def test_chaos_of_sending_short() -> None:
    print(chaos(200, 8))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_chaos_of_sending_long() -> None:
    print(chaos(int(os.environ.get("CHAOS_MAILS", "2000")), int(os.environ.get("CHAOS_KILLS", "100"))))
