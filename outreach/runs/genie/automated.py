"""Messages that workflows plan.

A node of a version that writes to people owns a run, as a campaign does. Limits, sending hours, approval, stops,
unsubscribing and reports therefore apply to its messages as to all others.

A message's id follows from the effect of the workflow's run, so that a repeated step recognizes its planned messages
and plans nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models import F, Max, QuerySet
from django.utils import timezone

from core.jobs import notify_workers
from core.types import JsonObject, Values
from crm.models import Contact
from outreach.connections.ai.evidence import of_template
from outreach.connections.ai.providers import Draft
from outreach.connections.senders.models import Sender
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.deciding.chats import by_chat
from outreach.messaging.delivery.deciding.context import SendContext
from outreach.messaging.delivery.deciding.decision import Stop, decide
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.senders import columns_of
from outreach.messaging.suppression.selectors import suppressed_addresses
from outreach.runs.genie.cadence.follow_ups import wake
from outreach.runs.genie.locks import lock_run
from outreach.runs.genie.models import GenieScheduler

FIRST = 2
"""The number of a contact's first message.

Replies count from the time of its planning. For the first occurrence of a run they would count from the run's creation.
"""
Status = SendJob.Status
ENDED = (Status.SENT, Status.FAILED, Status.UNKNOWN, Status.CANCELLED, Status.SUPPRESSED)


@dataclass(frozen=True)
class Words:
    """The content of a message, and its files (outreach.messaging.delivery.attachments)."""

    subject: str
    text: str
    html: str = ""
    attachments: Sequence[Values] = ()


@dataclass(frozen=True)
class Planned:
    """A message to plan. Without content the AI app of the run writes it."""

    id: str
    contact: Contact
    workflow_run: str
    sender: Sender
    words: Words | None = None


def run_of_node(
    *, workflow_id: str, place: str, member_id: str | None, sender: Sender, **columns: Any
) -> GenieScheduler:
    """Return the run of a node of a version (`place`), made the first time that it is needed, and locked."""
    now = timezone.now()
    # Two slices may need the run at the same moment: its unique constraint lets one make it.
    run, _ = GenieScheduler.objects.get_or_create(
        of_workflow=workflow_id,
        of_node=place,
        defaults={
            "status": GenieScheduler.Status.COMPLETED,  # whoever is added is planned by the workflow
            "total": 0,
            "planned_at": now,
            "started_at": now,
            "finished_at": now,
            "created_by_id": member_id,
            "updated_by_id": member_id,
            **columns_of(sender),
            **columns,
        },
    )
    # The lock of the run serialises planning, so that two messages to a person get different numbers.
    locked = lock_run(run.pk)
    if locked is None:
        raise RuntimeError("a run was removed while it was asked for")
    return locked


@transaction.atomic
def plan_messages(run: GenieScheduler, planned: Sequence[Planned]) -> dict[str, tuple[str, str]]:
    """Plan messages of a locked run, those that are planned already excepted. Returns id -> (status, reason) of all.

    One that must not go is written down with the reason.
    """
    # A slice that is taken again after a kill finds its messages by the ids that follow from the effect.
    existing = _states_of(message.id for message in planned)
    fresh = [message for message in planned if message.id not in existing]
    if not fresh:
        return existing
    # Decided at planning too, so that the workflow goes on at once instead of waiting for a message that
    # never goes.
    stops, numbers = stops_of_contacts(run, [message.contact for message in fresh]), _numbers(run, fresh)
    jobs = []
    for message in fresh:
        numbers[message.contact.pk] = number = numbers.get(message.contact.pk, FIRST - 1) + 1
        job = _message(run, message, number)
        if message.contact.pk in stops:
            stop = stops[message.contact.pk]
            job.status = stop.state
            job.reason = stop.reason
        jobs.append(job)
    insert_messages(run, jobs)
    return existing | {job.pk: (str(job.status), str(job.reason)) for job in jobs}


def insert_messages(run: GenieScheduler, jobs: Sequence[SendJob]) -> None:
    """Insert new messages of a locked run, queue those without content for writing, and notify of drafts."""
    for job in jobs:
        job.created_by_id = job.updated_by_id = run.created_by_id
    # Without ignore_conflicts: the caller has looked for them under the run's lock, so a conflict is an
    # error.
    SendJob.objects.bulk_create(jobs)
    ledger.record_planned([job.pk for job in jobs], actor_id=run.created_by_id)
    number = len(jobs)
    GenieScheduler.objects.filter(pk=run.pk).update(
        total=F("total") + number, processed=F("processed") + number, updated_at=timezone.now()
    )
    if any(job.status in (Status.PLANNED, Status.DRAFT) for job in jobs):
        # Drafts too: the run's worker notifies its owner of them.
        wake(run)
    notify_workers("send")


def stops_of_contacts(run: GenieScheduler, contacts: Sequence[Contact]) -> dict[str, Stop]:
    """Return who of the contacts gets no message of the run, and why."""
    context = SendContext.load()
    now = timezone.now()
    stops = {}
    suppressed = suppressed_addresses(contact.email for contact in contacts)
    chats = by_chat(contacts) if run.chat_app_id else {}
    ended = run.cancelled_at is not None or run.is_deleted
    for contact in contacts:
        decision_input = context.decision_input(
            contact, suppressed=(contact.email or "").lower() in suppressed, now=now
        )
        decision = decide(replace(decision_input, run_cancelled=ended, **chats.get(contact.pk, {})), now)
        if isinstance(decision, Stop):
            stops[contact.pk] = decision
    return stops


def wait_for_messages(places: Mapping[str, Values]) -> None:
    """Write down that runs of workflows wait until messages have ended: id -> token and epoch of the run."""
    jobs = [SendJob(pk=id, workflow_waits=dict(place)) for id, place in places.items()]
    # The rows exist, and only this column is written; SendJob here is no more than a carrier.
    SendJob.objects.bulk_update(jobs, ["workflow_waits"])


def ended_awaited_messages() -> QuerySet[SendJob]:
    """Return the messages that have ended and that runs of workflows wait for."""
    return SendJob.objects.filter(workflow_waits__isnull=False, status__in=ENDED).order_by("pk")


def cancel_messages_of(workflow_runs: Sequence[str]) -> int:
    """Cancel the unsent messages that runs of workflows have planned. Return their number.

    A claimed message is cancelled as well: the statement that commits its intent checks the status.
    """
    rows = SendJob.objects.filter(workflow_run__in=[id for id in workflow_runs if id], status__in=SendJob.TO_SEND)
    # The workflow's run has ended by itself and waits for nobody.
    gone: JsonObject = {"lease": None, "worker": None, "workflow_waits": None}
    return ledger.transition_all(rows, to=Status.CANCELLED, reason=Reason.RUN_CANCELLED, **gone)


def hold_messages_of(workflow_runs: Sequence[str]) -> None:
    """Hold the unsent messages that runs of workflows have planned: the statement that commits an intent waits for
    this one."""
    rows = SendJob.objects.filter(workflow_run__in=[id for id in workflow_runs if id], status__in=SendJob.TO_SEND)
    # The order of ids is that of INTENT, so both never wait for each other.
    ids = _lock_messages(rows.filter(held_at=None))
    SendJob.objects.filter(pk__in=ids).update(held_at=timezone.now())


def release_messages_of(workflow_runs: Sequence[str]) -> None:
    """Release held messages."""
    now, held = timezone.now(), SendJob.objects.filter(workflow_run__in=workflow_runs, held_at__isnull=False)
    ids = _lock_messages(held)
    if not ids:
        return
    SendJob.objects.filter(pk__in=ids).update(held_at=None, updated_at=now)
    # What a claim put off because of the pause is due in an hour; released, it goes at once.
    rests = SendJob.objects.filter(pk__in=ids, status=Status.APPROVED, reason=Reason.RUN_PAUSED)
    rests.update(due_at=now, reason="")
    notify_workers("send")


def _lock_messages(rows: QuerySet[SendJob]) -> list[str]:
    """Lock the messages in the order in which workers lock those that they send. Returns their ids."""
    return list(rows.order_by("pk").select_for_update(of=("self",), no_key=True).values_list("pk", flat=True))


def _states_of(ids: Iterable[str]) -> dict[str, tuple[str, str]]:
    rows = SendJob.objects.filter(pk__in=list(ids)).order_by()
    return {id: (status, reason) for id, status, reason in rows.values_list("pk", "status", "reason")}


def _numbers(run: GenieScheduler, planned: Sequence[Planned]) -> dict[str, int]:
    """Return contact -> the number of its last message of the run."""
    rows = SendJob.objects.filter(run=run, contact__in=[message.contact.pk for message in planned]).order_by()
    return dict(rows.values_list("contact_id").annotate(last=Max("occurrence")))


def _message(run: GenieScheduler, message: Planned, number: int) -> SendJob:
    job = SendJob(
        id=message.id,
        run_id=run.pk,
        workflow_run=message.workflow_run,
        contact=message.contact,
        channel=message.sender.app_key,
        occurrence=number,
        window=run.window,
        recipient=message.contact.email or "",
        reason=Reason.NOT_WRITTEN,
        **columns_of(message.sender),
    )
    if message.words is None:
        return job
    job.subject = message.words.subject
    job.text = message.words.text
    job.html = message.words.html
    job.attachments = list(message.words.attachments)
    job.evidence = of_template(Draft(subject=job.subject, text=job.text, html=job.html))
    job.status = Status.DRAFT if run.draft else Status.APPROVED
    job.reason = Reason.AWAITING_APPROVAL if run.draft else ""
    if not run.draft:
        job.approved_at = timezone.now()
        job.approved_by_id = run.created_by_id
        # Approved for the address of this moment: a later change of the contact holds the message.
        job.approved_envelope = job.envelope
    return job
