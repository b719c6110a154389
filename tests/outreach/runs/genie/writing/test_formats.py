"""Dates in composed mails, names of runs and reasons are written as the company's settings say."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
import time_machine
from django.utils import timezone

from core.text.formats import Formats
from crm.models import CustomField
from outreach.connections.ai.providers import AiProvider, ComposeBrief, Draft
from outreach.connections.connected_apps.registry import CONNECTED_APPS
from outreach.models import SendJob, Smtp
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.outreach.helpers import Post, planned, work

START = "/genie/from-contacts"


class Reciter(AiProvider):
    """A provider whose drafts list the contact's fields."""

    key: ClassVar[str] = "offline-composer"
    name: ClassVar[str] = "Reciter"
    calls_a_model: ClassVar[bool] = False

    def compose(self, brief: ComposeBrief) -> Draft:
        return Draft(
            subject="Facts",
            text="; ".join(f"{label}: {value}" for label, value in sorted(brief.contact.fields.items())),
        )


def field(cast: Cast, name: str, kind: str) -> str:
    with cast.scope():
        made = CustomField.objects.create(
            name=name, field_type=kind, value_type="date" if kind == "date" else "string", unique_field_id=name
        )
    return str(made.unique_field_id)


@pytest.mark.parametrize(
    ("settings", "written"),
    [
        ({}, "Born: 5 Mar 1990; Meeting: 31 Dec 2026, 23:30; Note: 1990-03-05"),
        (
            {"dateFormat": "d mmm yyyy", "timeFormat": "hh:mm a", "timezone": "Asia/Tokyo"},
            "Born: 5 Mar 1990; Meeting: 1 Jan 2027, 08:30 AM; Note: 1990-03-05",
        ),
    ],
)
def test_dates_in_composed_mails(
    cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], written: str
) -> None:
    monkeypatch.setitem(CONNECTED_APPS, "ai-offline", replace(CONNECTED_APPS["ai-offline"], provider=Reciter))
    values = {
        field(cast, "Born", "date"): "1990-03-05",
        field(cast, "Meeting", "date"): "2026-12-31T23:30:00.000Z",
        field(cast, "Note", "text"): "1990-03-05",
    }
    cast.key.put("/settings", settings)
    with cast.scope():
        contact = ContactFactory(custom=values)
    assert cast.key.post(START, {"contactIds": [contact.pk], "prompt": "Invite"}).status == 201
    work("genie")
    with cast.scope():
        assert SendJob.objects.get().text == written
    work("send")
    assert written.encode() in post.server.received[0]


def test_when_a_message_will_go(cast: Cast, post: Post) -> None:
    cast.key.put("/settings", {"dateFormat": "dd.mm.yyyy", "timezone": "Europe/Berlin"})
    run = planned(cast, 1)
    later = timezone.now().replace(microsecond=0) + timedelta(days=2)
    with cast.scope():
        job = SendJob.objects.get(run_id=run)
        SendJob.objects.update(due_at=later)
    decision = cast.key.get(f"/genie/send-jobs/{job.pk}").data["decision"]
    when = Formats("Europe/Berlin", "dd.mm.yyyy").datetime(later)
    assert (decision["reason"], decision["goesAt"]) == ("scheduled_for_later", f"{later:%Y-%m-%dT%H:%M:%S}.000Z")
    assert decision["sentence"].endswith(f" Expected: {when} (Europe/Berlin).")
    with cast.scope():
        SendJob.objects.update(due_at=timezone.now())
        Smtp.objects.update(paused_until=later, paused_reason="sender_trouble", last_error="421 busy.")
    decision = cast.key.get(f"/genie/send-jobs/{job.pk}").data["decision"]
    assert decision["sentence"].startswith(
        "The sender has a problem. The message is sent when the sender works again. 421 busy. Expected: "
    )
    assert when in decision["sentence"]


def test_a_run_without_a_name_bears_the_day(cast: Cast, post: Post) -> None:
    cast.key.put("/settings", {"dateFormat": "mm/dd/yyyy", "timezone": "Pacific/Auckland"})
    with cast.scope():
        contact = ContactFactory()
    with time_machine.travel(datetime(2027, 5, 31, 20, tzinfo=UTC), tick=False):
        name = cast.key.post(START, {"contactIds": [contact.pk]}).data["name"]
    assert name == "Outreach of 06/01/2027"
