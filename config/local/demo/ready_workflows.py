"""The demo's ready workflows: all are installed and published, with runs of the last weeks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from accounts.models import Member
from core.text.json import format_iso
from crm.models import Contact, Lead
from workflows.definitions.installation import install_template
from workflows.definitions.starters import templates
from workflows.graphs.models import Workflow
from workflows.models import NodeCount, RunStep, WorkflowRun

WAYS = {
    "mail-welcome-series": ("welcome first help second talk",),
    "mail-anniversary": ("wishes",),
    "mail-win-back": ("back week opened:true tell", "back week opened:false last", "back week opened:false last"),
    "mail-lead-not-called": (
        "call:event",
        "call:event",
        "call:timeout open:true task tell again:event",
        "call:timeout open:true task tell again:timeout ask",
    ),
    "mail-meeting-reminder": (
        "day remind hour soon over result:held thanks",
        "day remind hour soon over result:held thanks",
        "day remind hour soon over result:noShow missed tell",
    ),
    "mail-re-engagement": ("first opened:event", "first opened:timeout last again:event"),
}
"""Key -> the ways of its runs, in turn: steps with the handles by which they went on."""
RUNS = 8
"""Finished runs of each workflow."""
DAYS_APART = 3


def create_ready_workflows(member: Member) -> None:
    """Install and publish all ready workflows, and write runs of them that are over."""
    for place, key in enumerate(key for key, template in templates().items() if template.get("emails")):
        if key in WAYS:
            workflow = install_template(key=key, member_id=member.pk, may=member.may, publish=True).workflow
            _add_runs(workflow, WAYS[key], place)


def _add_runs(workflow: Workflow, ways: Sequence[str], place: int) -> None:
    now = timezone.now()
    leads = list(Lead.objects.filter(is_deleted=False).order_by("pk").values_list("pk", "contact_id")[:RUNS])
    people = Contact.objects.filter(is_deleted=False).order_by("pk").values_list("pk", flat=True)
    subjects: list[tuple[str | None, str]] = [(None, id) for id in people[place * RUNS : (place + 1) * RUNS]]
    if workflow.trigger_event_type.startswith("lead."):
        subjects = [*leads]
    runs: list[WorkflowRun] = []
    steps: list[RunStep] = []
    begins: list[datetime] = []
    moments: list[datetime] = []
    counts: Counter[tuple[str, str]] = Counter()
    for number, (lead_id, contact_id) in enumerate(subjects):
        ended_at = now - timedelta(days=1 + DAYS_APART * number, hours=place)
        visits = [visit.partition(":") for visit in f"trigger {ways[number % len(ways)]}".split()]
        started_at = ended_at - timedelta(days=len(visits))
        begins.append(started_at)
        run = _run(workflow, f"demo:{number}", started_at, ended_at)
        run.lead_id = lead_id
        run.contact_id = contact_id
        run.seq = len(visits)
        runs.append(run)
        for at, (node, _, handle) in enumerate(visits):
            steps.append(RunStep(run=run, node=node, visit=1, status="done", handle=handle or "out"))
            moments.append(started_at + timedelta(days=at))
            counts[node, handle or "out"] += 1
    WorkflowRun.objects.bulk_create(runs)
    RunStep.objects.bulk_create(steps)
    # New rows get the present time, whatever they are made with.
    for run, begin in zip(runs, begins, strict=True):
        run.created_at = begin
    for step, moment in zip(steps, moments, strict=True):
        step.created_at = moment
    WorkflowRun.objects.bulk_update(runs, ["created_at"])
    RunStep.objects.bulk_update(steps, ["created_at"])
    hour = (now - timedelta(days=1)).replace(minute=0, second=0, microsecond=0)
    NodeCount.objects.bulk_create(
        NodeCount(workflow=workflow, version_id=workflow.version_id, node=node, hour=hour, outcome=way, number=number)
        for (node, way), number in counts.items()
    )


def _run(workflow: Workflow, entry_key: str, started_at: datetime, ended_at: datetime) -> WorkflowRun:
    return WorkflowRun(
        workflow=workflow,
        version_id=workflow.version_id,
        entry_key=entry_key,
        trigger={"kind": workflow.trigger_event_type, "happenedAt": format_iso(started_at)},
        status=WorkflowRun.Status.COMPLETED,
        reason="end",
        started_at=started_at,
        finished_at=ended_at,
    )
