"""A sender with a real mail server behind it, and what runs are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

import pytest

from core.jobs import WORK
from core.jobs.liveness import release_lock
from core.tenancy import company_scope
from outreach.models import AiApp, GenieScheduler, SendJob, Smtp
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.kit.smtp_server import Faults, accept_any, faulty_server


@pytest.fixture(autouse=True)
def _lock_of_this_process() -> Iterator[None]:
    """Give the worker's lock back, whose connection would keep the test database from being dropped."""
    yield
    release_lock()


def work(kind: str, seconds: float = 30) -> None:
    """Let a worker do what is due of the kind, in this process."""
    WORK[kind].drain(monotonic() + seconds)


@dataclass
class Post:
    """A company's sender, and the mail server that it stands for."""

    smtp: Smtp
    server: Faults
    port: int

    def subjects(self) -> list[str]:
        return [
            line.decode()
            for mail in self.server.received
            for line in mail.split(b"\r\n")
            if line.startswith(b"Subject:")
        ]

    def message_ids(self) -> list[str]:
        return [
            line[12:].decode()
            for mail in self.server.received
            for line in mail.split(b"\r\n")
            if line.startswith(b"Message-ID: ")
        ]

    def recipients(self) -> list[str]:
        return [to for _, recipients, _ in self.server.envelopes for to in recipients]


@pytest.fixture
def mail_server() -> Iterator[tuple[Faults, int]]:
    faults = Faults()
    with faulty_server(faults, authenticator=accept_any, auth_require_tls=False) as port:
        yield faults, port


@pytest.fixture
def post(cast: Cast, mail_server: tuple[Faults, int]) -> Post:
    """The cast's sender and AI app."""
    server, port = mail_server
    with cast.scope():
        smtp = SmtpFactory(port=port, username="user", password="päss wörd")
        AiApp.objects.get_or_create(provider="offline-composer", is_default=True, defaults={"name": "Offline"})
    return Post(smtp, server, port)


def planned(cast: Cast, count: int = 3, **body: object) -> str:
    """Start a run for `count` new contacts and plan it; returns the run's id."""
    with cast.scope():
        ids = [ContactFactory(custom={}).pk for _ in range(count)]
    answer = cast.key.post("/genie/from-contacts", {"contactIds": ids, "prompt": "Invite them to our open day", **body})
    assert answer.status == 201, answer.body
    work("genie")
    return answer.data["_id"]


def statuses(cast: Cast, run_id: str) -> dict[str, int]:
    """Status -> number of the run's messages."""
    found: dict[str, int] = {}
    with company_scope(cast.company.pk):
        for status in SendJob.objects.filter(run_id=run_id).values_list("status", flat=True):
            found[status] = found.get(status, 0) + 1
    return found


def run_of(cast: Cast, run_id: str) -> GenieScheduler:
    with company_scope(cast.company.pk):
        return GenieScheduler.objects.get(pk=run_id)
