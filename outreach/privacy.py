"""What outreach holds of contacts: messages and their life, searches for leads, and the addresses that are never written to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet

from core.errors import NamedError
from crm.privacy.registry import DataSubject, mentioning, referring, register_personal_data
from outreach.delivery import ledger
from outreach.delivery.facts import is_address
from outreach.delivery.models import SendJob, SendJobTransition
from outreach.lead_generation.models import LeadGeneration
from outreach.senders.models import Smtp
from outreach.suppression.models import Suppression
from outreach.suppression.services import suppress_address

Status = SendJob.Status
NOT_GONE = (Status.PLANNED, Status.DRAFT, Status.APPROVED, Status.CLAIMED)
SOURCE = "erasure"


def register_personal_data_tables() -> None:
    """Called when the app is ready."""
    register_personal_data("messageSteps", SendJobTransition, _steps, blank_steps, module="genie")
    register_personal_data(
        "messages",
        SendJob,
        lambda s: referring(SendJob, s),
        blank_messages,
        module="genie",
        hides=frozenset({"approved_by_id"}),
    )
    register_personal_data(
        "leadGenerations", LeadGeneration, _searches, clean_searches, module="genie", shape=_own_finds
    )
    register_personal_data("senderErrors", Smtp, lambda s: mentioning(s, "last_error"), blank_errors, exported=False)
    register_personal_data(
        "suppressions", Suppression, lambda s: Q(email__in=s.emails), keep_suppressed, module="genie"
    )


def _steps(subject: DataSubject) -> Q:
    return Q(send_job__in=SendJob.objects.filter(referring(SendJob, subject)))


def _searches(subject: DataSubject) -> Q:
    where = Q(pk__in=[])
    for id in subject.contact_ids:
        where |= Q(found__contains=[{"contact": id}])
    return where


def _own_finds(subject: DataSubject, row: dict[str, Any]) -> dict[str, Any]:
    """Whom else the search found is none of its business."""
    return {**row, "found": [each for each in row["found"] if each["contact"] in subject.contact_ids]}


def blank_messages(subject: DataSubject, rows: QuerySet[SendJob]) -> int:
    """Messages that have not gone are cancelled, and all lose their words and addresses: what is left counts for runs and limits.

    InvalidRequest_400 while one is going out: what a server is being given cannot be taken back. A message that a worker has claimed is
    cancelled: the worker asks once more before it begins.
    """
    ledger.move(rows.filter(status__in=NOT_GONE), to=Status.CANCELLED, reason="erased", lease=None, worker=None)
    if rows.filter(status=Status.SENDING).exists():
        raise NamedError(
            "InvalidRequest_400", "a message to the contact is going out at this moment; try again in a minute"
        )
    return rows.update(recipient="", subject="", text="", html="", reply="", error="")


def blank_steps(subject: DataSubject, rows: QuerySet[SendJobTransition]) -> int:
    """Replies of servers name the address."""
    return rows.exclude(detail="").update(detail="")


def clean_searches(subject: DataSubject, rows: QuerySet[LeadGeneration]) -> int:
    """A search for leads forgets that it found the contact, and why."""
    for search in rows.only("pk", "found", "company"):
        others = [each for each in search.found if each["contact"] not in subject.contact_ids]
        LeadGeneration.objects.filter(pk=search.pk).update(found=others)
    return len(rows)


def blank_errors(subject: DataSubject, rows: QuerySet[Smtp]) -> int:
    """A sender's last error may name whom it was writing to."""
    return rows.update(last_error="")


def keep_suppressed(subject: DataSubject, rows: QuerySet[Suppression]) -> int:
    """The one thing that stays: its addresses, so that they are never written to again, and why."""
    rows.update(details={})
    for email in subject.emails:
        if is_address(email):
            suppress_address(email=email, source=SOURCE)
    return 0


def not_erased(contact_ids: Sequence[str]) -> set[str]:
    """Those of the contacts that are not erased, and will not be before the caller's transaction ends: a message that was written of one
    meanwhile must not be stored."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM crm_contact WHERE id = ANY(%s) AND erased_at IS NULL FOR KEY SHARE", [list(contact_ids)]
        )
        return {id for (id,) in cursor.fetchall()}
