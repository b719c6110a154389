"""Messages a second of the sending processes against a mail server on this machine, with the former loop in turns, and
what a claim costs when very many messages wait.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from socket import create_connection  # noqa: TID251  to our own sink
from statistics import median
from time import perf_counter

from django.db import connection, transaction
from django.utils import timezone

from benchmarks.population import Population
from benchmarks.report import Result
from benchmarks.timing import ms, postgres_seconds, seconds
from config.data_dir import PROJECT
from core.ids import new_id
from core.jobs.liveness import release_lock
from core.tenancy import as_owner, company_scope
from crm.models import Contact
from outreach.delivery.sending.claims import LOOKAHEAD, claim, due_senders
from outreach.models import GenieSettings, SendJob, Smtp

PROCESSES = 2
SENDERS = 8
CONNECTIONS = 4
"""Of each sender."""
ROUNDS = 3
MESSAGES = 6000
"""Of the new loop in a round; the former one sends a sixth of them."""
LONGEST = 300
FEW, MANY = 1000, 1_000_000
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


def sending(population: Population) -> list[Result]:
    """Measure both loops in turns, and the claim with few and with many messages waiting."""
    with company_scope(population.big.company_id), sink() as port:
        senders = _senders(port)
        messages = min(MESSAGES, population.big.contacts)
        runs: dict[str, list[Run]] = {"new": [], "former": []}
        for _ in range(ROUNDS):
            runs["former"].append(_run("former", senders, messages // 6))
            runs["new"].append(_run("new", senders, messages))
        limit = _limit(port, messages)
        pairs = list(zip(runs["new"], runs["former"], strict=True))
        claims = _claims(senders, int(MANY * population.scale))
    new, former = (
        Run(*(median(getattr(one, name) for one in runs[kind]) for name in ("rate", "worker", "postgres")))
        for kind in ("new", "former")
    )
    rates = f"{new.rate:,.0f} messages/s, {former.rate:,.0f} by the former loop, {PROCESSES} processes each"
    spent = (
        f"{new.cpu:.2f} ms (worker {new.worker:.2f}, PostgreSQL {new.postgres:.2f}),"
        f" {former.cpu:.2f} ms (worker {former.worker:.2f}, PostgreSQL {former.postgres:.2f})"
    )
    return [
        Result("sending: messages a second", rates, median(a.rate / b.rate for a, b in pairs), 6, at_least=True),
        Result("sending: messages a second of the host", rates, new.rate, 500, at_least=True, unit="/s"),
        Result("sending: processor's time of a message", spent, median(b.cpu / a.cpu for a, b in pairs)),
        *claims,
        Result("sending: of what the mail server can take", f"{limit:,.0f} messages/s at most", new.rate / limit),
    ]


@contextmanager
def sink() -> Iterator[int]:
    """Run a mail server in a process of its own. Yields its port."""
    served = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.sink"], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert served.stdin is not None
    assert served.stdout is not None
    try:
        yield int(served.stdout.readline())
    finally:
        served.stdin.close()
        served.wait(20)


def _limit(port: int, count: int) -> float:
    """Return how many messages a second the mail server takes from somebody who waits for nothing."""
    body = WORDS.replace("\n", "\r\n").encode() * 2  # about as long as a message with both of its parts
    message = b"MAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n" + body + b"\r\n.\r\n"
    begun = perf_counter()
    with create_connection(("127.0.0.1", port)) as connected, connected.makefile("rb") as answers:
        answers.readline()
        for _ in range(count // 20):
            connected.sendall(message * 20)
            for _ in range(4 * 20):
                answers.readline()
    return (count // 20 * 20) / (perf_counter() - begun)


def _senders(port: int) -> list[Smtp]:
    return [
        Smtp.objects.create(
            host="127.0.0.1",
            port=port,
            username="user",
            password="secret",
            secure=False,
            from_email=f"maria{number}@example.com",
            from_name="Maria Muster",
            max_connections=CONNECTIONS,
        )
        for number in range(SENDERS)
    ]


def _run(kind: str, senders: list[Smtp], count: int) -> Run:
    """Let the processes send so many messages."""
    _wait_for_it(senders, count)
    environment = {**os.environ, "OUTBOUND_PRIVATE_HOSTS": "127.0.0.0/8", "LOG_LEVEL": "WARNING"}
    command = [sys.executable, "-m", "benchmarks.sending_worker", kind, str(LONGEST)]
    processes = [
        subprocess.Popen(
            command, cwd=PROJECT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
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


def _wait_for_it(senders: list[Smtp], count: int) -> None:
    """Have so many approved messages due, spread over the senders, and none else."""
    with as_owner(), connection.cursor() as cursor:
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
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO outreach_sendjob ({', '.join(copied)}) SELECT {', '.join(copied.values())}"
            " FROM outreach_sendjob model, (SELECT n, (people.ids)[1 + n %% cardinality(people.ids)] AS contact FROM"
            " (SELECT array_agg(id) AS ids FROM (SELECT id FROM crm_contact WHERE company_id = %s AND email IS NOT NULL"
            " AND NOT is_deleted AND unsubscribed_at IS NULL LIMIT 6000) found) people, generate_series(1, %s) n) turn",
            [[sender.pk for sender in senders], len(senders), senders[0].company_id, count],
        )
        cursor.execute("DELETE FROM outreach_sendjob WHERE occurrence = 1000000 AND left(id, 1) <> 'b'")
        cursor.execute("VACUUM ANALYZE outreach_sendjob")


def _claims(senders: list[Smtp], many: int) -> list[Result]:
    """Time what grows with nothing: claims of 200 messages, which are taken back, claims that find none that may go,
    and the question which senders have messages due, with few and with many messages waiting."""
    id = senders[0].pk
    asked: dict[str, Callable[[], object]] = {
        "a claim of 200 messages": lambda: _claim_in_vain(id, 200),
        f"a look at {LOOKAHEAD} messages of which none may go": lambda: _claim_in_vain(id, 0),
        "which senders have messages due": lambda: due_senders(50),
    }
    taken = dict[str, list[float]]()
    for count in (FEW, many):
        _wait_for_it(senders[:1], count)
        for what, ask in asked.items():
            with _closed_window() if what.startswith("a look") else nullcontext():
                taken.setdefault(what, []).append(median(seconds(ask) for _ in range(15)))
    release_lock()
    return [
        Result(
            f"sending: {what}",
            f"{ms(lots)} with {many:,} messages waiting, {ms(few)} with {FEW:,}",
            lots / few,
            1.5,
        )
        for what, (few, lots) in taken.items()
    ]


@contextmanager
def _closed_window() -> Iterator[None]:
    """Let no message go for the block: the company writes to people on one day of the week, which is another one."""
    after_tomorrow = (timezone.now().isoweekday() + 1) % 7 + 1
    settings = GenieSettings.objects.create(window_days=[after_tomorrow], recipient_timezone=False)
    yield
    settings.delete()


def _claim_in_vain(sender_id: str, count: int) -> None:
    with transaction.atomic():
        found = claim(sender_id, count or LOOKAHEAD, new_id())
        assert (len(found.jobs), found.examined) == (count, count or LOOKAHEAD)
        transaction.set_rollback(True)
