"""Outcomes of the messages of a run: delivered, opened, clicked, replied, bounced, unsubscribed."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Count, Q

from core.types import JsonObject
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.outcomes import (
    CAME_BACK,
    CLICKED,
    DELIVERED,
    OPENED,
    REPLIED_SINCE,
    SENT,
    UNSUBSCRIBED_SINCE,
)
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.messaging.delivery.tracking.models import TrackingEvent
from outreach.runs.genie.models import GenieScheduler

Status = SendJob.Status
ENDED_UNSENT = (Status.FAILED, Status.UNKNOWN, Status.CANCELLED, Status.SUPPRESSED)
UNTOLD = ("delivered", "opened", "clicked")
"""Outcomes that may be null."""
OUTCOMES = ("sent", "delivered", "opened", "clicked", "replied", "unsubscribed", "bounced", "notSent")
COUNTS = {
    "sent": Count("pk", filter=SENT),
    "delivered": Count("pk", filter=SENT & DELIVERED),
    "opened": Count("pk", filter=SENT & OPENED),
    "clicked": Count("pk", filter=SENT & CLICKED),
    "replied": Count("contact", filter=REPLIED_SINCE, distinct=True),
    "unsubscribed": Count("contact", filter=UNSUBSCRIBED_SINCE, distinct=True),
    "bounced": Count("pk", filter=CAME_BACK),
    "notSent": Count("pk", filter=Q(status__in=ENDED_UNSENT) & ~CAME_BACK),
}
"""Outcome -> its number: messages, but people for replied and unsubscribed."""


def tracking_of_company() -> dict[str, bool]:
    """Return whether the company tracks opens and clicks."""
    flags = GenieSettings.objects.values_list("track_opens", "track_clicks").first() or (False, False)
    return dict(zip(("opens", "clicks"), flags, strict=True))


def untold(run: GenieScheduler, whole: Mapping[str, int]) -> list[str]:
    """Return the outcomes without data.

    Servers of SMTP only accept a message and report nothing more. Untracked outcomes are known only for earlier
    messages.
    """
    tracks = tracking_of_company()
    reported = {
        "delivered": not run.smtp_id or whole["delivered"] > 0,
        "opened": bool(run.chat_app_id) or (tracks["opens"] and run.track_opens) or whole["opened"] > 0,
        "clicked": (tracks["clicks"] and run.track_clicks and not run.chat_app_id) or whole["clicked"] > 0,
    }
    return [name for name in UNTOLD if not reported[name]]


def run_outcomes(run: GenieScheduler) -> JsonObject:
    """Return the outcomes of all messages of a run; null: without data."""
    whole: dict[str, int] = SendJob.objects.filter(run=run).aggregate(**COUNTS)
    return {**whole, **dict.fromkeys(untold(run, whole))}


def program_visits(run_id: str) -> dict[str, int]:
    """Return how many messages of a run only programs have opened, or clicked a link of."""
    events = TrackingEvent.objects.filter(send_job__run_id=run_id).exclude(machine="")
    Kind = TrackingEvent.Kind
    return events.aggregate(
        opened=Count("send_job", filter=Q(kind=Kind.OPENED, send_job__open_count=0), distinct=True),
        clicked=Count("send_job", filter=Q(kind=Kind.CLICKED, send_job__click_count=0), distinct=True),
    )
