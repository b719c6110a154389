"""What people decide about messages: approve, hold as a draft, edit, cancel, try again."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.errors import NamedError
from core.jobs import notify_workers
from outreach.delivery import ledger
from outreach.delivery.decision import Reason
from outreach.delivery.models import SendJob
from outreach.smtp.message import clean_line, sanitise_html

Status = SendJob.Status
NOT_FOUND = ("NotFound_404", "sendJobId: there is no such message in this company")
DECLINED = "declined"
"""Reason of a message that a person has cancelled."""


def approve(rows: QuerySet[SendJob], member_id: str | None) -> int:
    """Approve the drafts among the messages that have a text. Returns how many."""
    now = timezone.now()
    count = ledger.transition_all(
        rows.filter(status=Status.DRAFT).exclude(text=""),
        to=Status.APPROVED,
        actor_id=member_id,
        approved_at=now,
        approved_by_id=member_id,
        updated_by_id=member_id,
    )
    notify_workers("send")
    return count


def hold(rows: QuerySet[SendJob], member_id: str | None) -> int:
    """Turn those of the messages that are approved, or that a person has cancelled, into drafts. Returns how many."""
    return ledger.transition_all(
        rows.filter(Q(status=Status.APPROVED) | Q(status=Status.CANCELLED, reason=DECLINED)),
        to=Status.DRAFT,
        reason=Reason.AWAITING_APPROVAL,
        actor_id=member_id,
        approved_at=None,
        approved_by_id=None,
        updated_by_id=member_id,
    )


def retry(rows: QuerySet[SendJob], member_id: str | None) -> int:
    """Approve those of the messages that have a text, as if they had never been tried. Returns how many."""
    now = timezone.now()
    count = ledger.transition_all(
        rows.exclude(text=""),
        to=Status.APPROVED,
        reason="",
        detail="retried by a person",
        actor_id=member_id,
        approved_at=now,
        approved_by_id=member_id,
        updated_by_id=member_id,
        attempts=0,
        deaths=0,
        due_at=now,
        lease=None,
        worker=None,
        error="",
        sending_at=None,
    )
    notify_workers("send")
    return count


@transaction.atomic
def approve_message(*, message_id: str, member_id: str, content_hash: str | None = None) -> None:
    """Approve a draft. An approved message stays approved. Raises CampaignCannotBeUpdated_400 for any other, and
    MessageChanged_409 when `content_hash` stands for other words than the message has by now."""
    job = _locked(message_id, Status.DRAFT, Status.APPROVED)
    if content_hash is not None and content_hash != job.content_hash:
        raise NamedError("MessageChanged_409", "contentHash: read the message again before it is approved")
    approve(SendJob.objects.filter(pk=message_id), member_id)


@transaction.atomic
def hold_message(*, message_id: str, member_id: str) -> None:
    """Turn an approved message, or one that a person has cancelled, into a draft. A draft stays one.

    Raises CampaignCannotBeUpdated_400 for any other.
    """
    job = _locked(message_id, Status.APPROVED, Status.DRAFT, Status.CANCELLED)
    stopped = job.run is not None and job.run.cancelled_at is not None
    if job.status == Status.CANCELLED and (stopped or job.reason != DECLINED):
        raise NamedError("CampaignCannotBeUpdated_400", "sendJobId: the message was not cancelled by itself")
    hold(SendJob.objects.filter(pk=message_id), member_id)


@transaction.atomic
def cancel_message(*, message_id: str, member_id: str) -> None:
    """Cancel a message that no worker has claimed. A cancelled one stays as it is. Raises CampaignCannotBeUpdated_400
    for any other."""
    job = _locked(message_id, Status.PLANNED, Status.DRAFT, Status.APPROVED, Status.CANCELLED)
    rows = SendJob.objects.filter(pk=job.pk).exclude(status=Status.CANCELLED)
    ledger.transition_all(rows, to=Status.CANCELLED, reason=DECLINED, actor_id=member_id, updated_by_id=member_id)


@transaction.atomic
def edit_message(
    *, message_id: str, member_id: str, subject: str | None = None, text: str | None = None, html: str | None = None
) -> None:
    """Change the subject and text of a draft. HTML is sanitised; a new text without HTML removes the old HTML."""
    job = _locked(message_id, Status.DRAFT)
    values: dict[str, Any] = {"updated_by_id": member_id, "updated_at": timezone.now()}
    if subject is not None:
        values["subject"] = clean_line(subject)
    if text is not None:
        values.update(text=text, html="")
    if html is not None:
        values["html"] = sanitise_html(html)
    SendJob.objects.filter(pk=job.pk).update(**values)


def _locked(message_id: str, *allowed: str) -> SendJob:
    """Lock and return the message. Raises NotFound_404, and CampaignCannotBeUpdated_400 for any other status."""
    job = SendJob.objects.select_for_update(of=("self",)).filter(pk=message_id).first()
    if job is None:
        raise NamedError(*NOT_FOUND)
    if job.status not in allowed:
        raise NamedError(
            "CampaignCannotBeUpdated_400",
            f"sendJobId: the message is {job.status}; this needs one of {', '.join(allowed)}",
        )
    return job
