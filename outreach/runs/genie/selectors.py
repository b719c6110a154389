"""Reads of runs that are more than a filter."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Case, CharField, Count, Exists, F, Min, OuterRef, Q, QuerySet, Value, When

from core.types import JsonObject, Values
from crm.models import ContactCategory, Segment, Tag
from outreach.connections.ai.budgets import run_use
from outreach.messaging.delivery.approving.approvals import lapsed_counts
from outreach.messaging.delivery.deciding.reasons import sentence_of
from outreach.messaging.delivery.models import VISITED, SendJob
from outreach.messaging.delivery.outcomes import REPLIED_IN_RUN
from outreach.messaging.delivery.selectors import next_decision
from outreach.prospecting.enrichment.selectors import enrichment_of
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.outcomes import run_outcomes

Status = SendJob.Status
Phase = GenieScheduler.Phase
NO_RESULTS = {"sent": 0, "answered": 0, "opened": 0, "clicked": 0}
UNDER_WAY = (Status.PLANNED, Status.APPROVED, Status.CLAIMED, Status.SENDING)
ENDED = (Status.SENT, Status.FAILED, Status.UNKNOWN, Status.CANCELLED, Status.SUPPRESSED)


def _messages() -> QuerySet[SendJob]:
    # No company is active when the module is loaded: the run's own company stands in for the manager's.
    return QuerySet(SendJob).filter(company_id=OuterRef("company_id"), run_id=OuterRef("pk"))


def _has(*statuses: str) -> Exists:
    return Exists(_messages().filter(status__in=statuses))


def phase() -> Case:
    """Return the phase of the run in the row, as an expression: three look-ups by index at most."""
    # The cheap conditions first: most runs are decided before any of their messages is looked at.
    return Case(
        When(cancelled_at__isnull=False, then=Value(Phase.CANCELLED)),
        When(status__in=("queued", "running", "paused"), then=Value(Phase.PLANNING)),
        When(status="failed", then=Value(Phase.FAILED)),
        When(_has(*UNDER_WAY), then=Value(Phase.SENDING)),
        When(_has(Status.DRAFT), then=Value(Phase.AWAITING_APPROVAL)),
        When(
            Q(next_occurrence_at__isnull=False)
            | ~Q(of_workflow="")
            | Exists(_messages().filter(next_step_at__isnull=False)),
            then=Value(Phase.WAITING),
        ),
        default=Value(Phase.COMPLETED),
        output_field=CharField(),
    )


def kept_runs() -> QuerySet[GenieScheduler]:
    """Return the runs that are not deleted and send no campaign."""
    return GenieScheduler.objects.filter(is_deleted=False, of_campaign=None)


def run_detail(run: GenieScheduler) -> JsonObject:
    """Return the additional data of a run's detail: its messages counted, and the share of recipients that ended."""
    summary = message_summary(run.pk)
    first = summary["steps"][0]["counts"] if summary["steps"] else {}
    ended = sum(first.get(status, 0) for status in ENDED)
    percent = round(100 * ended / run.total, 1) if run.total else 0.0
    counts = summary["counts"]
    # Only where something waits, since the decision reads limits and suppressions.
    waits = next_decision(run.pk) if counts[Status.APPROVED] or counts[Status.PLANNED] else None
    names = audience_names(run.audience)
    enrichment = enrichment_of(run.pk, run.occurrence)
    return {
        **summary,
        "enrichment": enrichment,
        **run_outcomes(run),
        "percent": percent,
        "nextDecision": waits,
        "audienceNames": names,
        "aiUse": run_use(run.pk),
    }


def audience_names(audience: Values) -> dict[str, str]:
    """Return id -> name of the tags, segments and categories of an audience that are still there."""
    names: dict[str, str] = {}
    for selector, model in (("tags", Tag), ("segments", Segment), ("categories", ContactCategory)):
        if ids := audience.get(selector):
            names |= dict(model.objects.filter(pk__in=ids).values_list("pk", "name"))
    return names


def results(run_ids: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return how many messages of each run were sent, how many of these were opened and clicked, and how many of their
    recipients have replied since."""
    sent = SendJob.objects.filter(run_id__in=list(run_ids), status=Status.SENT).order_by()
    # By statements that read indexes alone (sendjob_sent, contact_replied, sendjob_visited): the texts make wide rows.
    replied = sent.filter(contact__replied_at__isnull=False, contact__replied_at__gt=F("sent_at")).filter(
        REPLIED_IN_RUN
    )
    answered = dict(replied.values_list("run_id").annotate(number=Count("contact_id", distinct=True)))
    gone = sent.values("run_id").annotate(number=Count("run_id"), opened=Value(0), clicked=Value(0))
    visited = (
        sent.filter(VISITED)
        .values("run_id")
        .annotate(
            number=Value(0),
            opened=Count("open_count", filter=Q(open_count__gt=0)),
            clicked=Count("click_count", filter=Q(click_count__gt=0)),
        )
    )
    # UNION ALL of two statements, each of which an index answers alone; a single one would read the rows.
    counts: dict[str, dict[str, int]] = {}
    for run, number, opened, clicked in gone.union(visited, all=True).values_list(
        "run_id", "number", "opened", "clicked"
    ):
        of_run = counts.setdefault(run, {**NO_RESULTS, "answered": answered.get(run, 0)})
        of_run["sent"] += number
        of_run["opened"] += opened
        of_run["clicked"] += clicked
    return counts


def message_summary(run_id: str) -> JsonObject:
    """Count a run's messages by status, find when the next is due, and list the main reasons against sending."""
    jobs = SendJob.objects.filter(run_id=run_id)
    counts: dict[str, int] = dict.fromkeys(SendJob.Status.values, 0)
    dues: list[datetime] = []
    steps: dict[int, JsonObject] = {}
    rows = jobs.order_by().values_list("step", "status")
    groups = rows.annotate(
        number=Count("pk"), first=Min("due_at"), waits=Count("next_step_at"), next=Min("next_step_at")
    )
    for step, status, number, first, waits, following in groups.order_by("step", "status"):
        counts[status] += number
        if status == SendJob.Status.APPROVED:
            dues.append(first)
        of_step = steps.setdefault(step, {"step": step, "counts": {}, "followed": 0, "nextAt": None})
        of_step["counts"][status] = number
        if waits:
            of_step["followed"] = waits
            of_step["nextAt"] = following
    reasons = (
        jobs.exclude(reason="")
        .order_by()
        .values_list("status", "reason")
        .annotate(number=Count("pk"))
        .order_by("-number", "status")[:20]
    )
    # Lapsed approvals are no stored reason until the next claim, so they are counted.
    lapsed = lapsed_counts(run_id) if counts[Status.APPROVED] else {}
    all_reasons = [(str(Status.APPROVED), reason, number) for reason, number in lapsed.items()] + list(reasons)
    return {
        "counts": counts,
        "lapsedCount": sum(lapsed.values()),
        "nextDueAt": min(dues, default=None),
        "steps": list(steps.values()),
        "reasons": [{"status": s, "reason": r, "sentence": sentence_of(r), "count": n} for s, r, n in all_reasons],
    }
