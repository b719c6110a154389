"""One round of sending: so many messages by some processes, against a mail server on this machine.

It is run by the tree of an older version too (benchmarks.sending.trees), so it uses nothing but what both have.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from django.db import connection
from django.utils import timezone

from benchmarks.timing import postgres_seconds
from core.tenancy import use_owner_role
from crm.models import Contact
from outreach.models import SendJob, Smtp

PROCESSES = 2
SENDERS = 16
CONNECTIONS = 4
"""Of each sender."""
LONGEST = 300
WORDS = (
    "Hello,\n\nwe have read that your company is opening a second branch this spring, and wanted to tell you about our"
    " new opening hours and how other shops of your size plan their deliveries with us.\n\nOur team in Köln would be"
    " glad to show you in fifteen minutes what changes; see https://www.example.com/hours?ref=spring for times."
    "\n\n" + "It costs nothing, and you can stop at any time. " * 20 + "\n\nKind regards,\nMaria Muster\nExample GmbH\n"
)


@dataclass(frozen=True)
class Run:
    """What one side has done: messages a second, and milliseconds of processor for each, by whom."""

    rate: float
    worker: float
    postgres: float

    @property
    def cpu(self) -> float:
        return self.worker + self.postgres


def middle(runs: Sequence[Run]) -> Run:
    """Return the medians of some runs."""
    return Run(*(median(getattr(one, name) for one in runs) for name in ("rate", "worker", "postgres")))


@contextmanager
def sink() -> Iterator[int]:
    """Run a mail server in a process of its own. Yields its port."""
    served = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.sending.sink"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert served.stdin is not None
    assert served.stdout is not None
    try:
        yield int(served.stdout.readline())
    finally:
        served.stdin.close()
        served.wait(20)


def make_senders(port: int) -> list[Smtp]:
    """Connect senders at the mail server."""
    several = {"max_connections": CONNECTIONS} if hasattr(Smtp, "max_connections") else {}
    return [
        Smtp.objects.create(
            host="127.0.0.1",
            port=port,
            username="user",
            password="secret",
            secure=False,
            from_email=f"maria{number}@example.com",
            from_name="Maria Muster",
            **several,
        )
        for number in range(SENDERS)
    ]


def run_round(kind: str, senders: list[Smtp], count: int) -> Run:
    """Let the processes send so many messages."""
    have_due(senders, count)
    environment = {**os.environ, "OUTBOUND_PRIVATE_HOSTS": "127.0.0.0/8", "LOG_LEVEL": "WARNING"}
    command = [sys.executable, "-m", "benchmarks.sending.worker", kind, str(LONGEST)]
    processes = [
        subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(PROCESSES)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    postgres, begun = postgres_seconds(), perf_counter()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    worked = sum(float(process.communicate(timeout=LONGEST + 60)[0]) for process in processes)
    taken, spent = perf_counter() - begun, postgres_seconds() - postgres
    found = SendJob.objects.filter(status="sent").count()
    assert found == count, f"{found} of {count} were sent"
    return Run(count / taken, 1000 * worked / count, 1000 * spent / count)


def have_due(senders: list[Smtp], count: int) -> None:
    """Have so many approved messages due, spread over the senders, and none else."""
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("TRUNCATE outreach_sendjob, outreach_sendjobtransition, core_event, core_eventdelivery CASCADE")
    contact = Contact.objects.filter(email__isnull=False).first()
    assert contact is not None
    now = timezone.now()
    html = "".join(f"<p>{part}</p>" for part in WORDS.split("\n\n"))
    SendJob.objects.create(
        contact=contact, smtp=senders[0], status="approved", due_at=now, approved_at=now, subject="Köln: new hours",
        text=WORDS, html=html, occurrence=1_000_000,
    )  # fmt: skip
    copied = {f'"{field.column}"': f'model."{field.column}"' for field in SendJob._meta.concrete_fields}
    copied |= {
        '"id"': "repeat('b', 12) || lpad(to_hex(turn.n), 12, '0')",
        '"contact_id"': "turn.contact",
        '"occurrence"': "turn.n",
    }
    copied['"smtp_id"'] = "(%s::text[])[1 + turn.n %% %s]"
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO outreach_sendjob ({', '.join(copied)}) SELECT {', '.join(copied.values())}"
            " FROM outreach_sendjob model, (SELECT n, (people.ids)[1 + n %% cardinality(people.ids)] AS contact FROM"
            " (SELECT array_agg(id) AS ids FROM (SELECT id FROM crm_contact WHERE company_id = %s AND email IS NOT NULL"
            " AND NOT is_deleted AND unsubscribed_at IS NULL LIMIT 6000) found) people, generate_series(1, %s) n) turn",
            [[sender.pk for sender in senders], len(senders), senders[0].company_id, count],
        )
        cursor.execute("DELETE FROM outreach_sendjob WHERE occurrence = 1000000 AND left(id, 1) <> 'b'")
        cursor.execute("VACUUM ANALYZE outreach_sendjob")
