"""Campaigns for tests: their words, and how they come to be and are sent."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from core.tenancy import unscoped
from outreach.models import SendJob
from outreach.runs.campaigns.progress import follow_campaigns
from outreach.runs.genie.mails import notify_finished
from tests.kit.cast import Cast
from tests.outreach.helpers import work

HTML = "<p>Dear {{contact.firstName}}, come on {{Plan}}</p>"
TEXT = {"subject": "Hello {{contact.firstName}}", "body": "Come on Tuesday"}
AB = [{"name": "A", "share": 50, **TEXT}, {"name": "B", "share": 50, "subject": "Hi", "body": "See you"}]
SOON = {"amount": 2, "unit": "days"}


def made(cast: Cast, people: dict[str, Any], **values: Any) -> str:
    """Create a campaign; returns its id."""
    answer = cast.key.post("/campaign", {"name": "Open day", **people, **values})
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def begun(cast: Cast, people: dict[str, Any], **values: Any) -> str:
    """Start a campaign and plan it; returns its id."""
    id = made(cast, people, **values)
    answer = cast.session.post(f"/campaign/{id}/start")
    assert (answer.status, answer.data["status"]) == (200, "running"), answer.body
    work("genie")
    return id


def followed() -> None:
    """Let the periodic tasks look at what is under way."""
    with unscoped(reason="test: periodic tasks"):
        notify_finished()
        follow_campaigns()


def jobs(cast: Cast, id: str) -> list[SendJob]:
    with cast.scope():
        return list(SendJob.objects.filter(run__of_campaign=id).select_related("contact", "run", "smtp").order_by("pk"))


def went(cast: Cast, id: str, **found: Any) -> None:
    """Let the approved messages of the campaign be sent."""
    with cast.scope():
        rows = SendJob.objects.filter(run__of_campaign=id, status="approved", **found)
        rows.update(status="sent", sent_at=timezone.now(), sending_at=timezone.now())
