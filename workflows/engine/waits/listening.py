"""Waits for events: the events that a run listens for, past events, and the runs that an event resumes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from core.ids import as_array, is_id
from core.jobs import notify_workers
from core.models import Event
from core.text.json import format_iso
from core.types import JsonObject
from workflows.engine import locks, writing
from workflows.engine.cursor import Cursor
from workflows.engine.models import LIVE, WORK, RunListener, WorkflowInterest, WorkflowRun
from workflows.engine.plans import plan_of
from workflows.engine.run_state import RunState
from workflows.engine.subjects import contacts_of_leads
from workflows.engine.waits import inbox
from workflows.engine.waits.inbox import Arrival
from workflows.expressions.conditions import Subject
from workflows.graphs.events import subject_of
from workflows.graphs.plan import Node, Plan
from workflows.nodes.requests import Listen

SLACK = timedelta(minutes=10)
"""Maximum time by which an event with a higher sequence may precede one with a lower: its transaction started
earlier."""
LOOKED_BACK = 200
"""Maximum number of events checked for a wait, the oldest first."""

REMOVE = """
WITH resumed AS (SELECT id FROM workflows_runlistener WHERE id = ANY(%s) ORDER BY id FOR UPDATE)
DELETE FROM workflows_runlistener l USING resumed WHERE l.id = resumed.id
"""


def object_of(run: WorkflowRun, kind: str) -> str:
    """Return the record whose events of a kind a run receives; "" for a run without a record, which receives all of
    them."""
    if kind.startswith("lead.") and run.lead_id:
        return str(run.lead_id)
    return str(run.contact_id or run.lead_id or "")


def event_type_lock(run: WorkflowRun, kind: str) -> str:
    # A run without a record hears all events of the company, so that is its lane.
    return object_of(run, kind) or run.company_id


def event_json(event: Event) -> JsonObject:
    """Return an event as runs see it."""
    return {
        "kind": event.kind,
        "objectId": event.object_id,
        "happenedAt": format_iso(event.created_at),
        "payload": event.payload,
    }


def _fits(node: Node, run: WorkflowRun, event: Event, now: datetime, state: RunState | None = None) -> bool:
    """Return whether an event meets the conditions of a wait. `state` is newer than the stored state of the run."""
    conditions = node.conditions.get("filter")
    if conditions is None:
        return True
    state = state or RunState.from_json(run.state)
    scope = {"event": event_json(event), "trigger": run.trigger, "steps": state.outputs, "vars": state.variables}
    return conditions.holds([Subject({"contact": run.contact_id, "lead": run.lead_id}, scope)], now)[0]


def look_back(waits: Sequence[tuple[Cursor, Node, Listen]], now: datetime) -> list[Event | None]:
    """Return for each wait the first event that has happened since, or None. The caller holds the lanes."""
    started = _starting_events(cursor.run for cursor, _, ask in waits if ask.since is None)
    bounds = [_start_bound(cursor.run, ask.since, started) for cursor, _, ask in waits]
    since = min(bound.since for bound in bounds)
    objects = {object_of(cursor.run, ask.kind) for cursor, _, ask in waits}
    kinds = {ask.kind for _, _, ask in waits}
    rows = Event.objects.filter(kind__in=kinds, created_at__gte=since)
    rows = rows if "" in objects else rows.filter(_records_query(objects))
    # Bounded, since a wait may look back over months of a busy company.
    events = list(rows.order_by("sequence")[: LOOKED_BACK * len(waits)])
    return [
        next(
            (
                event
                for event in events
                if event.kind == ask.kind
                and bound.admits(event)
                and object_of(cursor.run, ask.kind) in ("", *_keys(event))
                and _fits(node, cursor.run, event, now, cursor.state)
            ),
            None,
        )
        for (cursor, node, ask), bound in zip(waits, bounds, strict=True)
    ]


def _records_query(ids: Collection[str]) -> Q:
    return Q(object_id__in=ids) | Q(payload__contact__in=ids) | Q(payload__lead__in=ids)


@dataclass(frozen=True)
class _Bound:
    """From when on events count for a wait."""

    since: datetime
    # By the sequence, for the times of two events in one transaction are the same.
    after: int | None = None
    """The sequence of the event that has started the run: only later events count."""

    def admits(self, event: Event) -> bool:
        return event.created_at >= self.since if self.after is None else event.sequence > self.after


def _starting_events(runs: Iterable[WorkflowRun]) -> dict[str, Event]:
    """Return the events that have started runs, by their ids; other triggers have no event."""
    ids = {run.entry_key for run in runs if is_id(run.entry_key)}
    return Event.objects.defer("payload").in_bulk(ids) if ids else {}


def _start_bound(run: WorkflowRun, since: datetime | None, started: Mapping[str, Event]) -> _Bound:
    if since is not None:
        return _Bound(since)
    event = started.get(run.entry_key)
    # The time only narrows the read; the sequence decides.
    return _Bound(run.created_at) if event is None else _Bound(event.created_at - SLACK, event.sequence)


def _keys(event: Event) -> set[str]:
    """Return the records that an event is about, from the event itself."""
    return {id for id in (event.object_id, *subject_of(event.kind, event.object_id, event.payload)) if id}


def end_by_past_events(plan: Plan, ids: Sequence[str]) -> None:
    """End new runs whose goal or exit is an event that came between the one that started them and their making.

    The caller holds the lanes of their records.
    """
    kinds = {kind: name for name, end_kinds in plan.ended_by.items() for kind in end_kinds}
    if not kinds or not ids:
        return
    runs = list(WorkflowRun.objects.filter(pk__in=ids).defer("state").order_by("pk"))
    started = _starting_events(runs)
    bounds = {run.pk: _start_bound(run, None, started) for run in runs}
    records = {id for run in runs for id in (run.contact_id, run.lead_id) if id}
    since = min(bound.since for bound in bounds.values())
    rows = Event.objects.filter(_records_query(records), kind__in=kinds, created_at__gte=since)
    events = list(rows.order_by("sequence")[: LOOKED_BACK * len(runs)])
    arrivals = []
    for run in runs:
        own = {run.contact_id, run.lead_id}
        past = (candidate for candidate in events if bounds[run.pk].admits(candidate) and own & _keys(candidate))
        event = next(past, None)
        if event is not None:
            arrivals.append(Arrival(run.pk, "", run.epoch, kinds[event.kind]))
    inbox.put(arrivals)


def wake_by_events(events: Sequence[Event]) -> None:
    """Resume or end the runs that wait for the events (all of one company)."""
    subjects = {event.pk: _keys(event) for event in events}
    leads: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        lead = subject_of(event.kind, event.object_id, event.payload)[1]
        if lead is not None:
            leads[lead].append(event)
    contacts = contacts_of_leads(leads)
    # Runs about the contact hear the events of its leads, too.
    for lead, contact in contacts.items():
        for event in leads[lead]:
            subjects[event.pk].add(contact)
    every = {id for keys in subjects.values() for id in keys}
    interests = WorkflowInterest.objects.filter(kind__in={event.kind for event in events})
    hearing = set(interests.order_by().values_list("workflow_id", flat=True))
    # The fences first, as everything that locks all runs of a workflow does, and then the lanes of the waits.
    locks.lock_shared(hearing)
    locks.lock_event_types([*every, events[0].company_id])
    now = timezone.now()
    _tell_listeners(events, subjects, every, now)
    _tell_ends(events, subjects, every, hearing)


def _tell_listeners(events: Sequence[Event], subjects: dict[str, set[str]], every: set[str], now: datetime) -> None:
    rows = RunListener.objects.filter(object_id__in=[*every, ""], kind__in={event.kind for event in events})
    listeners = list(rows.select_related("run").order_by("pk"))
    arrivals: dict[str, Arrival] = {}
    for event in events:
        for listener in listeners:
            if (
                listener.pk in arrivals
                or listener.kind != event.kind
                or listener.object_id not in ("", *subjects[event.pk])
            ):
                continue
            node = plan_of(listener.run.version_id).nodes.get(listener.node)
            if node is not None and _fits(node, listener.run, event, now):
                arrivals[listener.pk] = Arrival(
                    listener.run_id, listener.token, listener.epoch, "event", event_json(event)
                )
    if not arrivals:
        return
    inbox.put(list(arrivals.values()))  # it locks the runs, before what they wait for
    with connection.cursor() as cursor:
        cursor.execute(REMOVE, [as_array(arrivals)])


def _tell_ends(
    events: Sequence[Event], subjects: dict[str, set[str]], every: set[str], hearing: Collection[str]
) -> None:
    """End runs whose goal or exit has happened; notify runs whose conditions must be evaluated again."""
    about = Q(contact__in=every) | Q(lead__in=every)
    live = WorkflowRun.objects.filter(about, workflow__in=hearing, status__in=LIVE).defer("state")
    by_kind: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_kind[event.kind].append(event)
    arrivals, asked_again = [], []
    for run in live.order_by("pk"):
        plan = plan_of(run.version_id)
        own = {run.contact_id, run.lead_id}
        mine = {kind for kind, kind_events in by_kind.items() if any(own & subjects[event.pk] for event in kind_events)}
        end = next((name for name, end_kinds in plan.ended_by.items() if mine & set(end_kinds)), None)
        if end is not None:
            arrivals.append(Arrival(run.pk, "", run.epoch, end))
        # Conditions look at records: only changes of a record can make them true.
        elif plan.ends and mine & {"contact.updated", "lead.updated"}:
            asked_again.append((run.pk, run.priority))
    inbox.put(arrivals)
    writing.notify_ready(asked_again)
    if asked_again:
        notify_workers(WORK)
