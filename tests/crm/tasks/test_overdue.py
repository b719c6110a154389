"""The notice of an overdue task goes to its assignee, once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from accounts.models import Mail, Member, Notification
from core.jobs import WORK
from core.tenancy import unscoped
from core.text.json import format_iso
from crm.activities.follow_ups import TaskReminder
from crm.activities.overdue import OverdueNotice
from crm.activities.reminders import RETRY_DELAY
from crm.models import FollowUp
from tests.crm.activities.helpers import mails
from tests.crm.tasks.helpers import PATH, new, put
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory
from tests.kit.processes import Forked, kill

DUE = timezone.now() + timedelta(hours=2)
LATER = DUE + timedelta(minutes=1)


def told(cast: Cast) -> list[tuple[str, str]]:
    """Return the receivers and the texts of the notices; each is in the product and a mail."""
    with cast.scope():
        rows = list(Notification.objects.filter(kind="task.overdue").order_by("id").values_list("member_id", "text"))
    with unscoped(reason="test: mails"):
        assert Mail.objects.filter(kind="notice_task_overdue").count() == len(rows)
    return rows


def work() -> None:
    WORK["reminders"].drain(float("inf"))
    assert not WORK["reminders"].due()


def test_it_goes_out_once(cast: Cast) -> None:
    made = new(cast, dueAt=format_iso(DUE), title="Call Ann")["_id"]
    work()
    assert told(cast) == []
    with time_machine.travel(LATER, tick=False):
        work()
        assert told(cast) == [(cast.owner.pk, "Overdue: Call Ann")]
        work()
        put(cast, made, notes="more")
        work()
        assert len(told(cast)) == 1
        put(cast, made, dueAt=format_iso(LATER + timedelta(minutes=5)))
    with time_machine.travel(LATER + timedelta(minutes=6), tick=False):
        work()
        assert len(told(cast)) == 2, "another time is another notice"


@pytest.mark.parametrize(
    ("minutes", "at", "counts"),
    [
        (0, timedelta(minutes=1), (1, 0)),
        (15, timedelta(minutes=1), (1, 0)),  # the worker was down when it was due
        (15, timedelta(minutes=-10), (1, 1)),
        (None, timedelta(minutes=1), (0, 1)),
    ],
)
def test_a_reminder_takes_the_place_of_the_notice(
    cast: Cast, minutes: int | None, at: timedelta, counts: tuple[int, int]
) -> None:
    made = new(cast, dueAt=format_iso(DUE), remindMinutes=minutes)["_id"]
    with time_machine.travel(DUE + at, tick=False):
        work()
    with time_machine.travel(LATER, tick=False):
        work()
        assert (len(mails()), len(told(cast))) == counts
        put(cast, made, dueAt=format_iso(LATER + timedelta(minutes=5)))
    with time_machine.travel(LATER + timedelta(minutes=6), tick=False):
        work()
        assert (len(mails()), len(told(cast))) == (2 * counts[0], counts[1] + (minutes is None)), "another time"


def test_the_notice_waits_for_a_reminder_that_failed(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    new(cast, dueAt=format_iso(DUE), remindMinutes=0)
    with time_machine.travel(LATER, tick=False):
        with monkeypatch.context() as failing:
            failing.setattr(TaskReminder, "sent", lambda self, now: 1 / 0)
            work()
        assert (mails(), told(cast)) == ([], [])
    with time_machine.travel(LATER + RETRY_DELAY, tick=False):
        work()
        assert (len(mails()), told(cast)) == (1, [])


@pytest.mark.parametrize("kind", ["contact", "lead", "organization"])
def test_it_names_the_record(cast: Cast, kind: str) -> None:
    with cast.scope():
        records = {
            "contact": ContactFactory(name="Bob Ray"),
            "lead": LeadFactory(contact__name="Ann Lee"),
            "organization": OrganizationFactory(name="Acme"),
        }
    new(cast, kind, records[kind].pk, dueAt=format_iso(DUE), notes="Bring cake")
    with time_machine.travel(LATER, tick=False):
        work()
    line = {"contact": "Contact: Bob Ray", "lead": "Lead: Ann Lee", "organization": "Organization: Acme"}[kind]
    with unscoped(reason="test: mails"):
        text = Mail.objects.get(kind="notice_task_overdue").text
    assert (line in text, "Bring cake" in text) == (True, True)


@pytest.mark.parametrize("case", ["done", "cancelled", "nobody", "record deleted", "blocked", "created late"])
def test_who_gets_none(cast: Cast, case: str) -> None:
    with cast.scope():
        contact = ContactFactory().pk
    due = DUE - timedelta(hours=3) if case == "created late" else DUE
    made = new(cast, "contact", contact, dueAt=format_iso(due), assignee=cast.narrow.pk)["_id"]
    if case in ("done", "cancelled"):
        put(cast, made, status=case)
    elif case == "nobody":
        put(cast, made, assignee=None)
    elif case == "record deleted":
        assert cast.key.delete("/contact", {"ids": [contact]}).status == 200
    elif case == "blocked":
        with cast.scope():
            Member.objects.filter(pk=cast.narrow.pk).update(status=Member.Status.BLOCKED)
    with time_machine.travel(LATER, tick=False):
        work()
    assert told(cast) == []


def test_a_worker_that_dies_in_between_leaves_it_to_the_next(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    made = new(cast, dueAt=format_iso(DUE))["_id"]

    class Killed(BaseException):
        """The end of a process, which nothing catches."""

    def die(self: Any, now: Any) -> Any:
        raise Killed

    with time_machine.travel(LATER, tick=False):
        with monkeypatch.context() as dying:
            dying.setattr(OverdueNotice, "sent", die)
            with pytest.raises(Killed):
                work()
        assert told(cast) == [], "what it wrote was rolled back"
        work()
        assert len(told(cast)) == 1
        assert cast.key.get(f"{PATH}/{made}").data["overdue"] is True


STUCK = """
import django
django.setup()
import signal
from core.jobs import WORK
from crm.activities.overdue import OverdueNotice

def sent(self, now):
    print("between", flush=True)
    signal.pause()

OverdueNotice.sent = sent
WORK["reminders"].drain(float("inf"))
"""
"""A worker that stops after it has written the notice, and before it has recorded this."""


@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_leaves_it_to_the_next(transactional_db: None) -> None:
    cast = make_cast()
    made = new(cast, title="Call Ann")["_id"]
    past = timezone.now() - timedelta(minutes=1)
    with cast.scope():
        FollowUp.objects.filter(pk=made).update(due_at=past, notice_at=past)
    worker = Forked(STUCK)
    assert worker.stdout.readline() == "between\n"
    kill(worker)
    with cast.scope(), transaction.atomic():
        assert FollowUp.objects.select_for_update().get(pk=made).notice_at == past  # once PostgreSQL has rolled it back
    assert told(cast) == []
    work()
    assert told(cast) == [(cast.owner.pk, "Overdue: Call Ann")]
