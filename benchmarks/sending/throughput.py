"""Messages a second of the sending processes against a mail server on this machine, with the former loop in turns, and
what a claim costs when very many messages wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from socket import create_connection  # noqa: TID251  to our own sink
from statistics import median
from time import perf_counter

from django.db import transaction
from django.utils import timezone

from benchmarks.data.population import Population
from benchmarks.report import Result
from benchmarks.sending.rounds import PROCESSES, WORDS, Run, have_due, make_senders, middle, run_round, sink
from benchmarks.timing import ms, seconds
from core.ids import new_id
from core.jobs.liveness import release_lock
from core.tenancy import company_scope
from outreach.messaging.delivery.sending.claims import LOOKAHEAD, claim, due_senders
from outreach.models import GenieSettings, Smtp

ROUNDS = 3
MESSAGES = 6000
"""Of the new loop in a round; the former one sends a sixth of them."""
FEW, MANY = 1000, 1_000_000


def sending(population: Population) -> list[Result]:
    """Measure both loops in turns, and the claim with few and with many messages waiting."""
    with company_scope(population.big.company_id), sink() as port:
        senders = make_senders(port)
        messages = min(MESSAGES, population.big.contacts)
        runs: dict[str, list[Run]] = {"new": [], "former": []}
        for _ in range(ROUNDS):
            runs["former"].append(run_round("former", senders, messages // 6))
            runs["new"].append(run_round("new", senders, messages))
        limit = _limit(port, messages)
        pairs = list(zip(runs["new"], runs["former"], strict=True))
        claims = _claims(senders, int(MANY * population.scale))
    new, former = (middle(runs[kind]) for kind in ("new", "former"))
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
        have_due(senders[:1], count)
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
