"""Outcomes of the messages of a run: delivered, opened, clicked, replied, bounced, unsubscribed."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from core.types import JsonObject
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.outcomes import (
    CAME_BACK,
    CLICKED,
    DELIVERED,
    OPENED,
    REPLIED,
    SENT,
    UNSUBSCRIBED_SINCE,
)
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.messaging.delivery.tracking.models import TrackingEvent
from outreach.runs.genie.by_day import days_of
from outreach.runs.genie.models import GenieScheduler

Status = SendJob.Status
ENDED_UNSENT = (Status.FAILED, Status.UNKNOWN, Status.CANCELLED, Status.SUPPRESSED)
UNTOLD = ("delivered", "opened", "clicked")
"""Outcomes that may be null."""
OUTCOMES = ("sent", "delivered", "opened", "clicked", "replied", "unsubscribed", "bounced", "notSent")


def visited_by_program(kind: str) -> Exists:
    """Return whether a program has opened the message in the row, or clicked a link of it."""
    # No company is active when the module is loaded: the message's own company stands in for the manager's.
    events: QuerySet[TrackingEvent] = QuerySet(TrackingEvent).exclude(machine="")
    return Exists(events.filter(company_id=OuterRef("company_id"), send_job_id=OuterRef("pk"), kind=kind))


COUNTS = {
    "sent": Count("pk", filter=SENT),
    "delivered": Count("pk", filter=SENT & DELIVERED),
    "opened": Count("pk", filter=SENT & OPENED),
    "clicked": Count("pk", filter=SENT & CLICKED),
    "replied": Count("pk", filter=REPLIED),
    "unsubscribed": Count("contact", filter=UNSUBSCRIBED_SINCE, distinct=True),
    "bounced": Count("pk", filter=CAME_BACK),
    "notSent": Count("pk", filter=Q(status__in=ENDED_UNSENT) & ~CAME_BACK),
}
"""Outcome -> its number: messages, but people for unsubscribed."""
BY_PROGRAMS = {"opened": "openedByPrograms", "clicked": "clickedByPrograms"}
PROGRAM_COUNTS = {
    BY_PROGRAMS["opened"]: Count("pk", filter=Q(open_count=0) & Q(visited_by_program(TrackingEvent.Kind.OPENED))),
    BY_PROGRAMS["clicked"]: Count("pk", filter=Q(click_count=0) & Q(visited_by_program(TrackingEvent.Kind.CLICKED))),
}


def tracking_of_company() -> dict[str, bool]:
    """Return whether the company tracks opens and clicks."""
    flags = GenieSettings.objects.values_list("track_opens", "track_clicks").first() or (False, False)
    return dict(zip(("opens", "clicks"), flags, strict=True))


def unreported_outcomes(run: GenieScheduler, whole: Mapping[str, int]) -> list[str]:
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
    """Return the outcomes of all messages of a run (null: without data), the visits of programs alone, and its days."""
    whole: dict[str, int] = SendJob.objects.filter(run=run).aggregate(**COUNTS, **PROGRAM_COUNTS)
    unmeasured = unreported_outcomes(run, whole)
    outcomes = {name: whole[name] for name in COUNTS}
    return {
        "outcomes": {**outcomes, **dict.fromkeys(unmeasured)},
        "programVisits": program_visits(whole),
        "byDay": days_of(run.pk, unmeasured) if whole["sent"] else [],
    }


def program_visits(counts: Mapping[str, int]) -> dict[str, int]:
    """Return how many messages only programs have opened, or clicked a link of."""
    return {"opened": counts[BY_PROGRAMS["opened"]], "clicked": counts[BY_PROGRAMS["clicked"]]}
