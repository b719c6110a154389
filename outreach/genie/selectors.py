"""Reads of runs that are more than a filter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Case, CharField, Count, Exists, F, Min, OuterRef, Q, QuerySet, Value, When

from outreach.delivery.decision import sentence_of
from outreach.delivery.models import SendJob
from outreach.genie.models import GenieScheduler

Status = SendJob.Status
Phase = GenieScheduler.Phase
UNDER_WAY = (Status.PLANNED, Status.APPROVED, Status.CLAIMED, Status.SENDING)
ENDED = (Status.SENT, Status.FAILED, Status.UNKNOWN, Status.CANCELLED, Status.SUPPRESSED)


def _has(*statuses: str) -> Exists:
    # No company is active when the module is loaded: the run's own company stands in for the manager's.
    messages: QuerySet[SendJob] = QuerySet(SendJob).filter(company_id=OuterRef("company_id"), run_id=OuterRef("pk"))
    return Exists(messages.filter(status__in=statuses))


def phase() -> Case:
    """Return the phase of the run in the row, as an expression: two look-ups by index at most."""
    return Case(
        When(cancelled_at__isnull=False, then=Value(Phase.CANCELLED)),
        When(status__in=("queued", "running", "paused"), then=Value(Phase.PLANNING)),
        When(status="failed", then=Value(Phase.FAILED)),
        When(_has(*UNDER_WAY), then=Value(Phase.SENDING)),
        When(_has(Status.DRAFT), then=Value(Phase.AWAITING_APPROVAL)),
        default=Value(Phase.COMPLETED),
        output_field=CharField(),
    )


def kept_runs() -> QuerySet[GenieScheduler]:
    """Return the runs that are not deleted."""
    return GenieScheduler.objects.filter(is_deleted=False)


def run_detail(run: GenieScheduler) -> dict[str, Any]:
    """Return what a run's detail adds to its columns: its messages counted, and the share of recipients that ended."""
    summary = message_summary(run.pk)
    ended = sum(summary["counts"][status] for status in ENDED)
    return {**summary, "percent": round(100 * ended / run.total, 1) if run.total else 0.0}


def results(run_ids: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return how many messages of each run were sent, and how many of their recipients have replied since."""
    sent = SendJob.objects.filter(run_id__in=list(run_ids), status=Status.SENT).order_by()
    replied = Q(contact__replied_at__gt=F("sent_at"))
    rows = sent.values_list("run_id").annotate(sent=Count("pk"), answered=Count("pk", filter=replied))
    return {run: {"sent": number, "answered": answered} for run, number, answered in rows}


def message_summary(run_id: str) -> dict[str, Any]:
    """Count a run's messages by status, find when the next is due, and list the main reasons against sending."""
    jobs = SendJob.objects.filter(run_id=run_id)
    counts: dict[str, int] = dict.fromkeys(SendJob.Status.values, 0)
    due = None
    by_status = jobs.order_by().values_list("status").annotate(number=Count("pk"), first=Min("due_at"))
    for status, number, first in by_status:
        counts[status] = number
        due = first if status == SendJob.Status.APPROVED else due
    reasons = (
        jobs.exclude(reason="")
        .order_by()
        .values_list("status", "reason")
        .annotate(number=Count("pk"))
        .order_by("-number", "status")[:20]
    )
    return {
        "counts": counts,
        "nextDueAt": due,
        "reasons": [{"status": s, "reason": r, "sentence": sentence_of(r), "count": n} for s, r, n in reasons],
    }
