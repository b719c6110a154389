"""The consumer of events that starts runs, in the transaction that takes the events."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from core.events import QUEUE
from core.models import Event
from core.text.json import format_iso
from crm.contacts.models import Contact
from workflows.engine import locks, starts
from workflows.engine.limits import limits
from workflows.engine.plans import plan_of
from workflows.engine.starts import Entry, pass_filter, start_runs
from workflows.engine.subjects import contacts_of_leads
from workflows.engine.waits import listening
from workflows.graphs.events import SEGMENT, is_change, subject_of
from workflows.graphs.models import Workflow, WorkflowTrigger
from workflows.graphs.plan import Plan
from workflows.triggers import backlog

MAX_DEPTH = 5
"""Maximum length of a chain of workflows that start each other."""


def start_by_events(events: Sequence[Event]) -> None:
    """Start the runs of the workflows that wait for the events (all of one company), or store the events for later."""
    kinds = {event.kind for event in events}
    # Most companies have no workflow for most events.
    if not WorkflowTrigger.objects.filter(kind__in=kinds).exists():
        return
    in_bulk = [event for event in events if (event.cause or {}).get(QUEUE)]
    fresh = [event for event in events if not (event.cause or {}).get(QUEUE)]
    backlog.add(in_bulk, starts.BULK_PRIORITY)
    # Events must not overtake those that wait.
    if fresh and (limits.count_queued_runs() >= limits.MAX_QUEUED or backlog.has_non_bulk()):
        backlog.add(fresh, backlog.FRESH)
    elif fresh:
        start(fresh)


def start(events: Sequence[Event], *, in_bulk: bool = False) -> None:
    """Start the runs of the workflows that wait for the events."""
    kinds = {event.kind for event in events}
    kinds_by_workflow: dict[str, set[str]] = defaultdict(set)
    for workflow_id, kind in WorkflowTrigger.objects.filter(kind__in=kinds).values_list("workflow_id", "kind"):
        kinds_by_workflow[workflow_id].add(kind)
    if not kinds_by_workflow:
        return
    locks.lock_shared(kinds_by_workflow)
    # Published workflows are read after the fence is locked: one that was unpublished before it starts nothing.
    published = Workflow.objects.filter(pk__in=kinds_by_workflow, is_deleted=False).exclude(
        status=Workflow.Status.UNPUBLISHED
    )
    entries = _entries(events)
    plans = [(workflow, plan_of(workflow.version_id)) for workflow in published.order_by("pk")]
    if any(plan.ended_by for _, plan in plans):
        # Only where a run may end by an event: the lanes make other consumers wait.
        subjects = (id for _, entry in entries for id in (entry.contact_id, entry.lead_id) if id)
        locks.lock_event_types(subjects)
    for workflow, plan in plans:
        own = [(event, entry) for event, entry in entries if event.kind in kinds_by_workflow[workflow.pk]]
        admitted, refusals = _admit(workflow, plan, own)
        ids = start_runs(workflow, plan, admitted, skipped=refusals, in_bulk=in_bulk)
        # The goal may have been reached between the event and this transaction, unobserved
        # yet.
        listening.end_by_past_events(plan, ids)


def _entries(events: Sequence[Event]) -> list[tuple[Event, Entry]]:
    """Return each event with the entry that it makes. What it names and the company lacks is left out."""
    subjects = {event.pk: subject_of(event.kind, event.object_id, event.payload) for event in events}
    contacts = contacts_of_leads(lead for _, lead in subjects.values() if lead)
    contact_ids = {contact for contact, _ in subjects.values() if contact}
    contact_ids = set(Contact.objects.filter(pk__in=contact_ids).values_list("pk", flat=True)) if contact_ids else set()
    pairs = []
    for event in events:
        contact, lead = subjects[event.pk]
        lead = lead if lead in contacts else None
        if lead:
            contact = contacts[lead]
        elif contact not in contact_ids:
            contact = None
        trigger = {
            "kind": event.kind,
            "objectId": event.object_id,
            "happenedAt": format_iso(event.created_at),
            "payload": event.payload,
        }
        depth = int((event.cause or {}).get("depth", 0))
        pairs.append((event, Entry(event.pk, contact, lead, trigger, depth)))
    return pairs


def _admit(
    workflow: Workflow, plan: Plan, events: Sequence[tuple[Event, Entry]]
) -> tuple[Sequence[Entry], Counter[str]]:
    """Return the entries that the workflow's settings admit, and how many they refuse by reason."""
    refusals: Counter[str] = Counter()
    fields = set(plan.config.changedFields or ())
    remaining_entries: list[Entry] = []
    for event, entry in events:
        # Events say which workflow caused them (core.events).
        cause = event.cause or {}
        if event.kind in SEGMENT and event.payload.get("segment") != plan.config.segment:
            continue  # it waits for another segment
        if cause.get("workflow") == workflow.pk and not plan.config.allowSelfTrigger:
            refusals["ownChange"] += 1
        # Two workflows that start each other would never end.
        elif entry.depth > MAX_DEPTH:
            refusals["tooDeep"] += 1
        elif fields and is_change(event.kind) and not fields & set(event.payload.get("changes") or {}):
            refusals["otherFields"] += 1
        else:
            remaining_entries.append(entry)
    admitted, filtered = pass_filter(plan, remaining_entries)
    return admitted, refusals + filtered
