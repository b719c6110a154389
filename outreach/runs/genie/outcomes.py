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
from outreach.runs.genie.by_day import FIRST_SENT, over_time
from outreach.runs.genie.models import GenieScheduler

Status = SendJob.Status
ENDED_UNSENT = (Status.FAILED, Status.UNKNOWN, Status.CANCELLED, Status.SUPPRESSED)
UNREPORTED = ("delivered", "opened", "clicked")
"""Outcomes that may be null."""
OUTCOMES = ("sent", "delivered", "opened", "clicked", "replied", "unsubscribed", "bounced", "notSent")
CONVERTED_HELP = "converted are recipients with a lead that was created within 30 days after their first message"


Kind = TrackingEvent.Kind
OWN = Q(machine=TrackingEvent.Machine.MEMBER)
PROGRAM = ~Q(machine="") & ~OWN


def has_visit(kind: str, by: Q) -> Exists:
    """Return whether the message in the row was opened, or a link of it clicked, by members or by programs."""
    # No company is active when the module is loaded: the message's own company stands in for the manager's.
    events: QuerySet[TrackingEvent] = QuerySet(TrackingEvent).filter(by, kind=kind)
    return Exists(events.filter(company_id=OuterRef("company_id"), send_job_id=OuterRef("pk")))


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
UNCOUNTED_VISITS = {
    "openedByPrograms": Count("pk", filter=Q(open_count=0) & Q(has_visit(Kind.OPENED, PROGRAM))),
    "clickedByPrograms": Count("pk", filter=Q(click_count=0) & Q(has_visit(Kind.CLICKED, PROGRAM))),
    "openedByMembers": Count("pk", filter=Q(open_count=0) & Q(has_visit(Kind.OPENED, OWN))),
    "clickedByMembers": Count("pk", filter=Q(click_count=0) & Q(has_visit(Kind.CLICKED, OWN))),
}
"""Messages that no recipient has visited, but programs or the company's own members."""


TRACKED = {"opened": "opens_tracked", "clicked": "clicks_tracked"}
"""Outcome -> the column of messages that were sent with its tracking."""
TRACKED_COUNTS = {
    "openedTracked": Count("pk", filter=SENT & Q(opens_tracked=True)),
    "clickedTracked": Count("pk", filter=SENT & Q(clicks_tracked=True)),
    "openedUntracked": Count("pk", filter=SENT & OPENED & Q(opens_tracked=False)),
    "clickedUntracked": Count("pk", filter=SENT & CLICKED & Q(clicks_tracked=False)),
}
"""Messages sent with tracking, and those that were visited without."""


def tracking_of_company() -> dict[str, bool]:
    """Return whether the company tracks opens and clicks."""
    flags = GenieSettings.objects.values_list("track_opens", "track_clicks").first() or (False, False)
    return dict(zip(("opens", "clicks"), flags, strict=True))


def tracking_of(run: GenieScheduler) -> dict[str, bool]:
    """Return whether opens and clicks of the messages that are sent now are measured."""
    tracks = tracking_of_company()
    is_chat = bool(run.chat_app_id)
    return {
        "opened": is_chat or (tracks["opens"] and run.track_opens),
        "clicked": not is_chat and tracks["clicks"] and run.track_clicks,
    }


def measured_of(run: GenieScheduler, whole: Mapping[str, int]) -> dict[str, int]:
    """Return the number of sent messages of which opens and clicks are measured."""
    measured = {}
    for name in TRACKED:
        # A vendor's own tracking, and older versions, left no mark on the message: there, one visit speaks for all.
        is_marked = not whole[f"{name}Untracked"]
        measured[name] = whole[f"{name}Tracked"] if is_marked else whole["sent"]
    if run.chat_app_id:
        measured["opened"] = whole["sent"]
    return measured


def unreported_outcomes(run: GenieScheduler, whole: Mapping[str, int], tracking: Mapping[str, bool]) -> list[str]:
    """Return the outcomes without data.

    Servers of SMTP only accept a message and report nothing more. Before anything is sent, present tracking decides.
    """
    measured = measured_of(run, whole)
    reported = {name: measured[name] > 0 if whole["sent"] else tracking[name] for name in TRACKED}
    reported["delivered"] = not run.smtp_id or whole["delivered"] > 0
    return [name for name in UNREPORTED if not reported[name]]


def run_outcomes(run: GenieScheduler) -> JsonObject:
    """Return the outcomes of all messages of a run (null: without data), visits that are not people's, and its days."""
    messages = SendJob.objects.filter(run=run)
    whole: JsonObject = messages.aggregate(**COUNTS, **UNCOUNTED_VISITS, **TRACKED_COUNTS, **FIRST_SENT)
    tracking = tracking_of(run)
    unmeasured = unreported_outcomes(run, whole, tracking)
    outcomes = {name: whole[name] for name in COUNTS}
    times = over_time(run.pk, unmeasured, whole["firstSentAt"])
    return {
        "outcomes": {**outcomes, "converted": sum(times.converted.values()), **dict.fromkeys(unmeasured)},
        "measured": measured_of(run, whole),
        "tracking": tracking,
        **uncounted_visits(whole),
        "byDay": times.days,
        "byHour": times.hours,
    }


def uncounted_visits(counts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return how many messages no recipient has opened, or clicked a link of, but programs or members have."""
    return {
        "programVisits": {"opened": counts["openedByPrograms"], "clicked": counts["clickedByPrograms"]},
        "ownVisits": {"opened": counts["openedByMembers"], "clicked": counts["clickedByMembers"]},
    }
