"""Reminders of follow-ups: each goes out once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from accounts.models import Member
from core.text.json import format_iso
from crm.activities import follow_ups, reminders
from crm.activities.follow_ups import create_follow_up, update_follow_up
from crm.models import FollowUp, Lead
from tests.crm.activities.helpers import mails, new, patch, work
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import LeadFactory
from tests.kit.threads import at_once


@pytest.fixture
def lead(cast: Cast) -> Lead:
    with cast.scope():
        return LeadFactory(contact__name="Ann Lee", contact__email="ann@example.org")


def test_a_reminder_goes_out_once(cast: Cast, lead: Lead) -> None:
    due = timezone.now() + timedelta(hours=2)
    made = new(cast, lead, dueAt=format_iso(due), remindMinutes=60)
    new(cast, lead, dueAt=format_iso(due))
    work()
    assert mails() == []
    with time_machine.travel(due - timedelta(minutes=59), tick=False):
        work()
        assert mails() == [(cast.owner.email, "Due soon: Call back (Ann Lee)")]
        work()
        assert len(mails()) == 1
        with cast.scope():
            assert FollowUp.objects.get(pk=made["_id"]).reminded_at == timezone.now()
    with time_machine.travel(due + timedelta(days=1), tick=False):
        work()
    assert len(mails()) == 1


def test_what_arms_a_reminder_again(cast: Cast, lead: Lead) -> None:
    now = timezone.now()
    made = new(cast, lead, dueAt=format_iso(now + timedelta(minutes=30)), remindMinutes=60)["_id"]
    work()
    assert len(mails()) == 1, "its time has come already, and what it is for has not"
    for body, number in (
        ({"notes": "x"}, 1),
        ({"dueAt": format_iso(now + timedelta(minutes=40))}, 2),
        ({"remindMinutes": 50}, 3),
        ({"assignee": cast.narrow.pk}, 4),
        ({"status": "done"}, 4),
        ({"dueAt": format_iso(now + timedelta(minutes=41))}, 4),
        ({"status": "open"}, 5),
        ({"status": "cancelled"}, 5),
        ({"status": "open"}, 5),
        ({"dueAt": format_iso(now - timedelta(minutes=1))}, 5),
        ({"dueAt": format_iso(now + timedelta(minutes=41)), "remindMinutes": None}, 5),
    ):
        assert patch(cast, made, **body).status == 200
        work()
        assert len(mails()) == number, body
    assert [to for to, _ in mails()] == [*[cast.owner.email] * 3, *[cast.narrow.email] * 2]


@pytest.mark.parametrize("case", ["done", "lead deleted", "nobody", "assignee blocked"])
def test_who_gets_no_reminder(cast: Cast, lead: Lead, case: str) -> None:
    due = timezone.now() + timedelta(hours=2)
    made = new(cast, lead, dueAt=format_iso(due), remindMinutes=60, assignee=cast.narrow.pk)["_id"]
    if case == "lead deleted":
        assert cast.key.delete("/lead", {"ids": [lead.pk]}).status == 200
    elif case == "assignee blocked":
        with cast.scope():
            Member.objects.filter(pk=cast.narrow.pk).update(status=Member.Status.BLOCKED)
    else:
        assert patch(cast, made, **({"status": "done"} if case == "done" else {"assignee": None})).status == 200
    with time_machine.travel(due, tick=False):
        work()
    assert mails() == []


def test_a_reminder_that_cannot_be_written_holds_up_no_other(
    cast: Cast, lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    due = timezone.now() + timedelta(minutes=10)
    bad = new(cast, lead, title="Bad", dueAt=format_iso(due), remindMinutes=60)["_id"]
    new(cast, lead, title="Good", dueAt=format_iso(due), remindMinutes=30)
    write = follow_ups.REMINDER.letters

    def letters(follow_up: Any) -> Any:
        if follow_up.pk == bad:
            raise ValueError("broken")
        return write(follow_up)

    with monkeypatch.context() as broken:
        broken.setitem(
            reminders.REMINDERS,
            (FollowUp, "follow_up_reminder"),
            reminders.Reminder(follow_ups.REMINDER.rows, "follow_up_reminder", letters),
        )
        work()
        assert [subject for _, subject in mails()] == ["Due soon: Good (Ann Lee)"]
    with time_machine.travel(due + timedelta(minutes=1), tick=False):
        work()
    assert [subject for _, subject in mails()] == ["Due soon: Good (Ann Lee)", "Overdue: Bad (Ann Lee)"]


@pytest.mark.django_db(transaction=True)
def test_many_workers_remind_once_of_each(transactional_db: None) -> None:
    cast = make_cast()
    with cast.scope():
        lead = LeadFactory()
        for n in range(40):
            values = {
                "lead": lead.pk,
                "title": f"{n}",
                "due_at": format_iso(timezone.now() + timedelta(hours=1)),
                "remind_minutes": 120,
            }
            create_follow_up(actor_id=cast.owner.pk, values=values)
    done = at_once(4, None, lambda _: reminders.remind())
    assert sum(done) == 40
    assert sorted(subject for _, subject in mails()) == sorted(
        f"Due soon: {n} ({lead.contact.name})" for n in range(40)
    )


def test_a_change_that_is_rolled_back_reminds_of_nothing(scope: Cast) -> None:
    values = {
        "lead": LeadFactory().pk,
        "title": "x",
        "due_at": format_iso(timezone.now() + timedelta(hours=1)),
        "remind_minutes": 120,
    }
    made = create_follow_up(actor_id=scope.owner.pk, values=values)
    with transaction.atomic():
        update_follow_up(id=made.pk, actor_id=scope.owner.pk, values={"remind_minutes": 90})
        reminders.remind()
        assert len(mails()) == 1
        transaction.set_rollback(True)
    assert mails() == []
    assert FollowUp.objects.get(pk=made.pk).reminded_at is None
