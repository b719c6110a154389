"""Starts of runs: the permission to start one, and the rows of new runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection
from django.utils import timezone

from accounts.settings.formats import zone_of_company
from core.ids import new_id
from core.spans import add_span
from core.tenancy import company_id
from core.text.json import dumps
from core.types import JsonObject, Values
from workflows.engine import interpreter, writing
from workflows.engine.limits import limits, places
from workflows.engine.models import WorkflowRun
from workflows.expressions.conditions import Subject
from workflows.graphs.models import Workflow
from workflows.graphs.plan import Plan

BULK_PRIORITY = 9
"""Priority of runs that come from many records at once."""

# Two unique keys may refuse a row: the event has started a run already, or the record's run is under way.
INSERT = """
INSERT INTO workflows_workflowrun
    (id, company_id, workflow_id, version_id, contact_id, lead_id, entry_key, solo_key, status, reason, epoch, hold_no,
     seq, state, trigger, depth, priority, error_node, error_code, error, created_by_id, created_at, updated_at)
SELECT id, %(company)s, %(workflow)s, %(version)s, contact, lead, entry, solo, 'queued', %(reason)s, 0, %(hold)s, 0,
    jsonb_set(%(state)s::jsonb, '{reads}', reads), trigger, depth, %(priority)s, '', '', '', %(member)s, %(now)s,
    %(now)s
FROM json_to_recordset(%(rows)s::json) AS new (id text, contact text, lead text, entry text, solo text, trigger jsonb,
    depth int, reads jsonb)
ON CONFLICT DO NOTHING RETURNING id
"""
SKIPS = """
INSERT INTO workflows_runskip (id, company_id, workflow_id, day, reason, number, created_at, updated_at)
SELECT id, %(company)s, %(workflow)s, %(day)s, reason, number, %(now)s, %(now)s
FROM json_to_recordset(%(rows)s::json) AS new (id text, reason text, number int)
ON CONFLICT (workflow_id, day, reason) DO UPDATE
SET number = workflows_runskip.number + excluded.number, updated_at = excluded.updated_at
"""


@dataclass(frozen=True)
class Entry:
    """A possible start of a run: an event, a firing of a schedule, a call of a webhook, or a member."""

    key: str
    """Deduplication key."""
    contact_id: str | None = None
    lead_id: str | None = None
    trigger: Values = field(default_factory=dict)
    depth: int = 0
    reads: tuple[str, ...] = ()
    """The permissions to read the values that another run gives to this one."""

    @property
    def subject(self) -> str | None:
        return self.lead_id or self.contact_id


def start_runs(
    workflow: Workflow,
    plan: Plan,
    entries: Sequence[Entry],
    *,
    skipped: Mapping[str, int] | None = None,
    member_id: str | None = None,
    in_bulk: bool = False,
) -> list[str]:
    """Start a run for each entry that the workflow's enrolment admits. Return the ids of the runs.

    The caller's transaction holds the fence of the workflow. With `in_bulk` the entries come from many records at once,
    and start after present events. Refused entries are counted by reason (RunSkip).
    """
    refusals = Counter(skipped or {})
    now = timezone.now()
    # Otherwise they are queued, and start when the workflow is published again.
    if workflow.status == Workflow.Status.PAUSED and plan.config.whilePaused == "skip":
        refusals["paused"] += len(entries)
        entries = []
    entries = _apply_cooldown(workflow, plan, entries, now, refusals)
    priority = BULK_PRIORITY if in_bulk else plan.config.priority
    params = {"reason": limits.BACKLOG if in_bulk else "", "priority": priority, "member": member_id}
    ids = _insert(workflow, plan, entries, now, params) if entries else []
    # The database has decided; it does not report why, so all that it left out counts as one reason.
    refusals["alreadyRunning"] += len(entries) - len(ids)
    _count(workflow, +refusals, now)
    if ids:
        # In the same transaction: no run exists without its turn.
        places.begin(workflow, plan, ids, now, priority)
    return ids


def pass_filter(plan: Plan, entries: Sequence[Entry]) -> tuple[Sequence[Entry], Counter[str]]:
    """Return the entries for which the conditions of the workflow hold, and the number of the others."""
    if plan.filter is None or not entries:
        return entries, Counter()
    cases = [
        Subject({"contact": candidate.contact_id, "lead": candidate.lead_id}, {"trigger": candidate.trigger})
        for candidate in entries
    ]
    holds = plan.filter.holds(cases, timezone.now())
    admitted = [entry for entry, true in zip(entries, holds, strict=True) if true]
    return admitted, Counter(filter=len(entries) - len(admitted))


def _apply_cooldown(
    workflow: Workflow, plan: Plan, entries: Sequence[Entry], now: datetime, refusals: Counter[str]
) -> Sequence[Entry]:
    """Leave out records whose last run has begun within the cooldown."""
    cooldown = plan.config.enrolment.cooldown
    if cooldown is None or not entries:
        return entries
    span = {"amount": -cooldown.amount, "unit": cooldown.unit}
    # By the company's calendar, as "one month" has no fixed length.
    since = add_span(now, span, zone_of_company(workflow.company_id))
    recent: set[str] = set()
    for column in ("contact_id", "lead_id"):
        ids = {id for entry in entries if (id := getattr(entry, column))}
        runs = WorkflowRun.objects.filter(workflow=workflow, **{f"{column}__in": ids}, created_at__gt=since)
        recent |= set(runs.order_by().values_list(column, flat=True)) if ids else set()
    admitted: list[Entry] = []
    for entry in entries:
        if entry.subject in recent:
            refusals["cooldown"] += 1
        else:
            admitted.append(entry)
            if entry.subject:
                # Within the batch too: two events of a record may come together.
                recent.add(entry.subject)
    return admitted


def _insert(workflow: Workflow, plan: Plan, entries: Sequence[Entry], now: datetime, params: Values) -> list[str]:
    mode = plan.config.enrolment.mode
    rows: dict[str, JsonObject] = {}
    for entry in entries:
        subject = entry.subject
        solo = subject if mode in ("whenIdle", "replace") else None
        # The record in place of the event makes the unique key admit one run for ever.
        key = f"once:{subject}" if mode == "once" and subject else entry.key
        place = solo if mode == "replace" and solo else entry.key  # of several at once the last one replaces
        rows[place] = {
            "id": new_id(),
            "contact": entry.contact_id,
            "lead": entry.lead_id,
            "entry": key,
            "solo": solo,
            "trigger": dict(entry.trigger),
            "depth": entry.depth,
            "reads": entry.reads,
        }
    # In the order of the records, so that two starters do not wait for each other.
    sorted_rows = sorted(rows.values(), key=lambda row: (row["lead"] or row["contact"] or "", row["entry"]))
    if mode == "replace":
        # Before the insert, since the old run still holds the record's key.
        _replace(workflow, [row["solo"] for row in sorted_rows if row["solo"]])
    with connection.cursor() as cursor:
        cursor.execute(
            INSERT,
            {
                "company": company_id(),
                "workflow": workflow.pk,
                "version": workflow.version_id,
                "hold": workflow.hold_no,
                "state": dumps(interpreter.begin(plan).to_json()).decode(),
                "now": now,
                **params,
                "rows": dumps(sorted_rows).decode(),
            },
        )
        return [id for (id,) in cursor.fetchall()]


def _replace(workflow: Workflow, subjects: Sequence[str]) -> None:
    """Cancel the runs that new ones replace."""
    # Locked in the order of ids, as slices lock runs.
    rows = WorkflowRun.objects.filter(workflow=workflow, solo_key__in=subjects).order_by("pk")
    writing.cancel(list(rows.select_for_update(no_key=True).values_list("pk", flat=True)), "replaced")


def _count(workflow: Workflow, refusals: Counter[str], now: datetime) -> None:
    if not refusals:
        return
    # Sorted, so that two starters count in one order and never deadlock.
    rows = [{"id": new_id(), "reason": reason, "number": number} for reason, number in sorted(refusals.items())]
    with connection.cursor() as cursor:
        params = {"company": company_id(), "workflow": workflow.pk, "day": now.date(), "now": now}
        cursor.execute(SKIPS, {**params, "rows": dumps(rows).decode()})
