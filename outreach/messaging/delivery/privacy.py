"""Personal data in messages and their ledger."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection
from django.db.models import Q, QuerySet

from core.errors import NamedError
from core.models import Event
from crm.privacy.registry import DataSubject, referring_rows, register_personal_data
from crm.privacy.tables import clear_event_payloads
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.models import SendJob, SendJobTransition
from outreach.messaging.delivery.tracking.models import TrackingEvent

Status = SendJob.Status


def _transitions(subject: DataSubject) -> Q:
    return Q(send_job__in=SendJob.objects.filter(referring_rows(SendJob, subject)))


def _events(subject: DataSubject) -> Q:
    return Q(object_id__in=SendJob.objects.filter(referring_rows(SendJob, subject)).values("pk"))


def blank_transitions(subject: DataSubject, rows: QuerySet[SendJobTransition]) -> int:
    """Blank the details, since replies of servers name the address."""
    return rows.exclude(detail="").update(detail="")


def blank_messages(subject: DataSubject, rows: QuerySet[SendJob]) -> int:
    """Cancel messages that have not been sent, and blank all texts and addresses. Runs and limits still count the rows.

    Raises InvalidRequest_400 while one is being sent: a server may have it already. A claimed message is cancelled as
    well, since the statement that commits the intent checks the status.
    """
    # Cancelled before the check, so that no worker can claim one between both.
    ledger.transition_all(
        rows.filter(status__in=SendJob.TO_SEND), to=Status.CANCELLED, reason="erased", lease=None, worker=None
    )
    if rows.filter(status=Status.SENDING).exists():
        raise NamedError(
            "InvalidRequest_400", "a message to the contact is going out at this moment; try again in a minute"
        )
    blank = dict.fromkeys(("recipient", "approved_envelope", "subject", "text", "html", "reply", "error", "hint"), "")
    # The rows stay, since limits, reports and guardrails count them; they hold nothing about the person any
    # more.
    return rows.update(**blank, evidence=[], chat=None, next_step_at=None)


def not_erased(contact_ids: Sequence[str]) -> set[str]:
    """Return those contacts that are not erased, locked against erasure until the caller's transaction ends.

    A message that was composed while its contact was being erased must not be stored.
    """
    with connection.cursor() as cursor:
        # The weakest lock that an erasure waits for; several composers may hold it at the same time.
        cursor.execute(
            "SELECT id FROM crm_contact WHERE id = ANY(%s) AND erased_at IS NULL FOR KEY SHARE", [list(contact_ids)]
        )
        return {id for (id,) in cursor.fetchall()}


def register_tables() -> None:
    """Register the personal data of messages, of their events, their ledger, and of opens and clicks, which erasure
    deletes."""
    register_personal_data("mailOpensAndClicks", TrackingEvent, _transitions, module="genie")
    register_personal_data("messageEvents", Event, _events, clear_event_payloads, module="genie", exported=False)
    register_personal_data("messageSteps", SendJobTransition, _transitions, blank_transitions, module="genie")
    register_personal_data(
        "messages",
        SendJob,
        lambda subject: referring_rows(SendJob, subject),
        blank_messages,
        module="genie",
        hides=frozenset({"approved_by_id", "workflow_waits"}),
    )
