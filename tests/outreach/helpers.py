"""A sender with its mail server, runs, and what becomes of their messages."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from django.utils import timezone

from core.jobs import WORK
from core.tenancy import company_scope
from outreach.models import GenieScheduler, SendJob, Smtp
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.kit.smtp_server import Faults


def work(kind: str, seconds: float = 300) -> None:
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


def planned(cast: Cast, count: int = 3, **body: object) -> str:
    """Start a run for `count` new contacts and plan it; returns the run's id."""
    with cast.scope():
        ids = [ContactFactory(custom={}).pk for _ in range(count)]
    answer = cast.key.post("/genie/from-contacts", {"contactIds": ids, "prompt": "Invite them to our open day", **body})
    assert answer.status == 201, answer.body
    work("genie")
    return answer.data["_id"]


def make_due(cast: Cast) -> None:
    """Let the approved messages be due, as if the seconds in which they can be taken back were over."""
    with cast.scope():
        SendJob.objects.filter(status="approved").update(due_at=timezone.now())


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
