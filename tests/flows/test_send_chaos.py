"""Workers killed by kill -9 while they plan and send, by SMTP and by a mail vendor, over several connections each:
nothing goes out twice, nothing is lost, and what is uncertain is `unknown`: at most as many as the killed workers had
connections.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from aiosmtpd.smtp import SMTP, Envelope
from django.db import connection

from core.jobs.sweeper import MAX_DEATHS
from core.tenancy import company_scope
from crm.models import Contact
from outreach.models import AiApp, MailApp, SendJob, SendJobTransition, Smtp
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.factories import SmtpFactory
from tests.kit.mail_vendors import Asked, Fault, VendorServer, vendor_server
from tests.kit.smtp_server import Faults, PipeliningServer, accept_any, faulty_server
from tests.kit.stops import hang_one

pytestmark = [pytest.mark.long, in_make_check]

logging.getLogger("mail.log").setLevel(logging.WARNING)

WORKERS = 2
CONNECTIONS = 3
SECONDS = 600


class SlowServer(PipeliningServer):
    """Takes its time around the moment of acceptance, where a kill hurts most."""

    async def handle_DATA(self, server: SMTP, session: object, envelope: Envelope) -> str:
        await asyncio.sleep(random.uniform(0, 0.004))
        answer = await super().handle_DATA(server, session, envelope)
        await asyncio.sleep(random.uniform(0, 0.004))
        return answer


class SlowVendor(VendorServer):
    """Takes its time to answer what it has taken."""

    def next(self, asked: Asked) -> Fault:
        return replace(super().next(asked), seconds=random.uniform(0, 0.008))


class Stable:
    """The running workers."""

    def __init__(self, database: str, vendor: str) -> None:
        url = urlsplit(os.environ["DATABASE_URL"])
        address = urlunsplit((url.scheme, url.netloc, f"/{database}", url.query, ""))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.flows.worker_stable"],
            env={
                **os.environ,
                "DATABASE_URL": address,
                "DJANGO_SETTINGS_MODULE": "tests.settings",
                "LOG_LEVEL": "ERROR",
                "OUTBOUND_PRIVATE_HOSTS": "127.0.0.0/8",
                "VENDOR_BASE_URLS": json.dumps({"postmark": vendor}),
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
        hang_one(self.pids)
        os.kill(self.pids.pop(random.randrange(len(self.pids))), signal.SIGKILL)

    def close(self) -> None:
        for pid in self.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)


@contextmanager
def stable(database: str, vendor: str) -> Iterator[Stable]:
    workers = Stable(database, vendor)
    try:
        for _ in range(WORKERS):
            workers.spawn()
        yield workers
    finally:
        workers.close()


def prepare(cast: Cast, port: int, vendors: VendorServer, mails: int) -> list[str]:
    """Create contacts, a sender, a vendor's app, and a run by each for half of the contacts. Returns the runs' ids."""
    with cast.scope():
        smtp = SmtpFactory(port=port, username="user", password="päss wörd", max_connections=CONNECTIONS)
        app = vendors.be("postmark").app("postmark", letter="e", verified=True)
        app.save()
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        contacts = [
            Contact(name=f"Person {n}", email=f"person{n}@example.org", email_key=f"person{n}@example.org")
            for n in range(mails)
        ]
        Contact.objects.bulk_create(contacts)
    ids, runs = [contact.pk for contact in contacts], []
    for sender, half in ((smtp, ids[: mails // 2]), (app, ids[mails // 2 :])):
        body = {"contactIds": half, "prompt": "Tell them about our new opening hours", "smtp": sender.pk}
        answer = cast.key.post("/genie/from-contacts", body)
        assert answer.status == 201, answer.body
        runs.append(answer.data["_id"])
    return runs


def kill_while_planning(workers: Stable, kills: int) -> None:
    """Kill at moments that fall into the planning of the first batches."""
    for _ in range(kills):
        time.sleep(random.uniform(0.05, 0.4))
        workers.kill_one()
        workers.spawn()


def kill_while_sending(workers: Stable, accepted: Callable[[], int], mails: int, kills: int, end: float) -> None:
    """Kill after each so many accepted mails, spread over the whole run, at random moments within a delivery."""
    every = mails / (kills + 1)
    for number in range(kills):
        goal = int(every * (number + 1) - random.uniform(0, every))
        while accepted() < goal:
            assert time.monotonic() < end, f"only {accepted()} of {mails} mails went out"
            time.sleep(0.001)
        time.sleep(random.uniform(0, 0.02))
        workers.kill_one()
        workers.spawn()


def wait_until_done(cast: Cast, runs: list[str], mails: int, end: float) -> Counter[str]:
    """Wait until no message is on its way any more. Returns the counts by status."""
    while True:
        with company_scope(cast.company.pk):
            # A rested sender is not what is tested here.
            Smtp.objects.update(paused_until=None)
            MailApp.objects.update(paused_until=None)
            counts = Counter(SendJob.objects.filter(run__in=runs).values_list("status", flat=True))
        if counts.total() == mails and not set(counts) & {"approved", "claimed", "sending"}:
            return counts
        assert time.monotonic() < end, f"still {dict(counts)}"
        time.sleep(0.2)


def chaos(mails: int, kills: int) -> dict[str, Any]:
    """Run it and hold the ledger against what the server accepted; returns what was counted."""
    cast, server = make_cast(), Faults()
    end = time.monotonic() + SECONDS
    started = time.monotonic()
    with (
        faulty_server(server, factory=SlowServer, authenticator=accept_any, auth_require_tls=False) as port,
        vendor_server(SlowVendor) as vendors,
    ):
        runs = prepare(cast, port, vendors, mails)
        with stable(connection.settings_dict["NAME"], vendors.url) as workers:
            # Fewer than a run of work survives without any progress (MAX_DEATHS), however slow the machine is.
            early = min(kills // 4, MAX_DEATHS - 2)
            kill_while_planning(workers, early)
            kill_while_sending(workers, lambda: len(server.received) + len(vendors.sent), mails, kills - early, end)
            counts = wait_until_done(cast, runs, mails, end)
    seconds = time.monotonic() - started
    accepted = [*map(_message_id, server.received), *(asked_about(one) for one in vendors.sent)]
    assert len(accepted) == len(set(accepted)), "a mail went out twice"
    with company_scope(cast.company.pk):
        jobs = SendJob.objects.filter(run__in=runs)
        status_of = dict(jobs.values_list("pk", "status"))
        begun = Counter(SendJobTransition.objects.filter(to_status="sending").values_list("send_job_id", flat=True))
        recipients = jobs.values("contact_id").distinct().count()
    assert recipients == mails
    assert {status_of[pk] for pk in accepted} <= {"sent", "unknown"}, (
        "an accepted mail that the ledger does not know of"
    )
    sent = {pk for pk, status in status_of.items() if status == "sent"}
    assert sent <= set(accepted), "a message is called sent that the server never had"
    assert counts["sent"] + counts["unknown"] == mails, f"lost: {dict(counts)}"
    assert max(begun.values()) == 1
    assert counts["unknown"] <= kills * (CONNECTIONS + MailApp.max_connections)
    return {"mails": mails, "kills": kills, **counts, "accepted": len(accepted), "seconds": round(seconds, 1)}


def asked_about(asked: Asked) -> str:
    """Return the id of the message that the vendor was given."""
    return str(json.loads(asked.body)["Metadata"]["job"])


def _message_id(mail: bytes) -> str:
    [line] = [line for line in mail.split(b"\r\n") if line.startswith(b"Message-ID: <")]
    return line[13:37].decode()


@pytest.mark.django_db(transaction=True)
def test_chaos_of_sending_short() -> None:
    print(chaos(200, 8))
