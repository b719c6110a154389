"""The firing of schedules: each time once, in the transaction that starts its runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from time import monotonic

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.jobs.registry import Moment
from core.lists import tree
from core.tenancy import company_scope, unscoped
from core.text.json import format_iso
from crm.records.types import RECORD_TYPES, kind_of
from workflows.engine import locks
from workflows.engine.models import ScheduleFiring
from workflows.engine.slices import plan_of
from workflows.engine.starts import Entry, pass_filter, start_runs
from workflows.engine.subjects import contacts_of_leads
from workflows.graphs.events import SCHEDULE
from workflows.graphs.models import Workflow, WorkflowVersion
from workflows.graphs.settings import Audience, Schedule
from workflows.schedules.times import dates_of, due_times, zone_of

BATCH = 1000
"""Number of an audience's runs that start at once."""


def due_schedules(now: Moment) -> list[QuerySet[Workflow]]:
    """Return the workflows whose schedules are due."""
    return [Workflow.objects.filter(next_fire_at__lte=now)]


def fire_due(deadline: float = float("inf")) -> int:
    """Fire the schedules that are due until none is left or monotonic() passes the deadline. Returns how many."""
    fired = 0
    while monotonic() < deadline:
        with unscoped(reason="schedules of all companies"), transaction.atomic():
            # Each process fires another schedule. The lock lasts until the next time is written.
            workflows = due_schedules(timezone.now())[0].order_by("next_fire_at", "pk")
            schedule = workflows.select_for_update(of=("self",), no_key=True, skip_locked=True).first()
            if schedule is None:
                break
            with company_scope(schedule.company_id):
                _fire(schedule)
        fired += 1
    return fired


def _fire(workflow: Workflow) -> None:
    """Start the runs of a schedule's times that have come, and set the next one."""
    now = timezone.now()
    due_at = workflow.next_fire_at or now
    locks.lock_shared([workflow.pk])
    graph = WorkflowVersion.objects.values_list("graph", flat=True).get(pk=workflow.version_id)
    schedule = Schedule.model_validate(graph["schedule"])
    times, following = due_times(schedule, due_at, now)
    plan = plan_of(workflow.version_id)
    for at in times:
        # The unique time keeps a schedule from firing twice, even if next_fire_at is set back.
        _, new = ScheduleFiring.objects.get_or_create(workflow=workflow, due_at=at)
        if not new:
            continue
        # In batches: an audience may have a million records. All of them start in one transaction with the
        # firing.
        for entries in _entries(_audience(schedule, at), f"{SCHEDULE}:{format_iso(at)}", format_iso(at)):
            admitted, refusals = pass_filter(plan, entries)
            start_runs(workflow, plan, admitted, skipped=refusals)
    Workflow.objects.filter(pk=workflow.pk).update(next_fire_at=following)


def _audience(schedule: Schedule, at: datetime) -> Audience | None:
    """Return for which records a time starts runs; None: for none, but a single run."""
    field = schedule.field
    if schedule.type != "field" or field is None:
        return schedule.audience
    days = dates_of(field, at.astimezone(zone_of(schedule)).date())
    condition = {"field": field.name, "operator": "in", "value": [day.isoformat() for day in days]}
    filters = [schedule.audience.filter] if schedule.audience else []
    return Audience(panel=field.panel, filter={"operator": "and", "conditions": [condition, *filters]})


def _entries(audience: Audience | None, key: str, at: str) -> Iterator[list[Entry]]:
    """Yield the entries of a time: one without a record, or one per record of the audience."""
    trigger = {"kind": SCHEDULE, "happenedAt": at}
    if audience is None:
        yield [Entry(key, trigger=trigger)]
        return
    where = tree.compile(tree.parse(audience.filter, "audience"), RECORD_TYPES[audience.panel].fields)
    place = ""
    while ids := list(
        # By id: the records of a page must not shift while the runs of the former one are written.
        kind_of(audience.panel).live().filter(where, pk__gt=place).order_by("pk").values_list("pk", flat=True)[:BATCH]
    ):
        place = ids[-1]
        contacts = contacts_of_leads(ids) if audience.panel == "lead" else {}
        yield [
            Entry(f"{key}:{id}", contacts[id], id, trigger) if contacts else Entry(f"{key}:{id}", id, None, trigger)
            for id in ids
        ]
