"""Queued starts of runs, and their reasons."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta

from django.db.models import Count, Min
from django.utils import timezone

from core.text.json import format_iso
from core.types import JsonObject
from workflows.engine.limits import limits
from workflows.engine.limits.models import StartBucket
from workflows.engine.models import QueuedEvent, WorkflowRun
from workflows.engine.slices import plan_of
from workflows.engine.writing import HELD
from workflows.graphs.models import Workflow

Status = WorkflowRun.Status
LATELY = timedelta(hours=1)


def backlog() -> JsonObject:
    """Return the queued starts of the active company, with its limits."""
    now = timezone.now()
    allowed = limits.plan_limits()
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    queued = WorkflowRun.objects.filter(status=Status.QUEUED).order_by()
    for workflow_id, reason, number in queued.values_list("workflow_id", "reason").annotate(number=Count("pk")):
        counts[workflow_id][reason or "none"] = number
    reasons: dict[str, int] = defaultdict(int)
    for by_reason in counts.values():
        for reason, number in by_reason.items():
            reasons[reason] += number
    events = QueuedEvent.objects.order_by().aggregate(number=Count("pk"), oldest=Min("created_at"))
    bucket = StartBucket.objects.filter(key="").first()
    turn = max(bucket.next_at, now) if bucket else now
    return {
        "runs": sum(reasons.values()),
        "reasons": dict(reasons),
        "events": events["number"],
        "oldestEventAt": format_iso(events["oldest"]) if events["oldest"] else None,
        "startsPerSecond": allowed.rate,
        "burst": allowed.burst,
        "nextStartAt": format_iso(turn),
        "eta": format_iso(turn + allowed.interval * events["number"]),
        "month": {
            "used": limits.started_this_month(),
            "limit": allowed.month,
            "endsAt": format_iso(limits.next_month(now)),
        },
        "workflows": _workflows(counts),
    }


def _workflows(counts: dict[str, dict[str, int]]) -> list[JsonObject]:
    """Return the workflows that have queued runs, those with most of them first."""
    rows = Workflow.objects.filter(pk__in=counts).values_list("pk", "name", "version_id")
    places = WorkflowRun.objects.filter(workflow__in=list(counts), place=HELD).order_by()
    held_by_workflow = dict(places.values_list("workflow_id").annotate(number=Count("pk")))
    workflows = [
        {
            "_id": id,
            "name": name,
            "runs": sum(counts[id].values()),
            "reasons": counts[id],
            "concurrency": plan_of(version_id).config.concurrency if version_id else None,
            "underWay": held_by_workflow.get(id, 0),
        }
        for id, name, version_id in rows
    ]
    return sorted(workflows, key=lambda workflow: (-workflow["runs"], workflow["_id"]))


def pace_of(workflow_id: str, now: datetime) -> timedelta | None:
    """Return the time between two runs of the workflow that ended in the last hour; None if none did."""
    runs = WorkflowRun.objects.filter(workflow=workflow_id, created_at__gt=now - 24 * LATELY)
    number = runs.filter(finished_at__gt=now - LATELY).count()
    return LATELY / number if number else None
