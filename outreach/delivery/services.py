"""What people decide about single messages, and about all of a run's: approve, hold as draft, edit, try again."""

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
from outreach.genie.services import get_run
from outreach.smtp.message import clean_line, sanitise_html

Status = SendJob.Status


def get_message(message_id: str) -> SendJob:
    """The company's message; NotFound_404 when there is none of this id."""
    found = SendJob.objects.filter(pk=message_id).first()
    if found is None:
        raise NamedError("NotFound_404", "sendJobId: there is no such message in this company")
    return found


def _approve(rows: QuerySet[SendJob], member_id: str) -> int:
    now = timezone.now()
    count = ledger.move(
        rows.filter(status=Status.DRAFT).exclude(text=""),
        to=Status.APPROVED,
        actor_id=member_id,
        approved_at=now,
        approved_by_id=member_id,
        updated_by_id=member_id,
    )
    notify_workers("send")
    return count


def _hold(rows: QuerySet[SendJob], member_id: str) -> int:
    return ledger.move(
        rows.filter(status=Status.APPROVED),
        to=Status.DRAFT,
        reason=Reason.AWAITING_APPROVAL,
        actor_id=member_id,
        approved_at=None,
        approved_by_id=None,
        updated_by_id=member_id,
    )


@transaction.atomic
def approve_all(*, run_id: str, member_id: str) -> int:
    """Approve the run's drafts; returns how many. CampaignCannotBeUpdated_400 for a cancelled run."""
    _not_cancelled(run_id)
    return _approve(SendJob.objects.filter(run_id=run_id), member_id)


@transaction.atomic
def hold_all(*, run_id: str, member_id: str) -> int:
    """Make drafts again of the run's approved messages that no worker holds; returns how many."""
    _not_cancelled(run_id)
    return _hold(SendJob.objects.filter(run_id=run_id), member_id)


@transaction.atomic
def retry_failed(*, run_id: str, member_id: str, unknown: bool) -> int:
    """Approve the run's failed messages anew, and with `unknown` also those of which nobody knows whether they went; returns how many.

    A person's decision, for an unknown message may then arrive twice. One that was never written has no text and stays failed.
    """
    _not_cancelled(run_id)
    statuses = [Status.FAILED, Status.UNKNOWN] if unknown else [Status.FAILED]
    now = timezone.now()
    count = ledger.move(
        SendJob.objects.filter(~Q(text=""), run_id=run_id, status__in=statuses),
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


def _not_cancelled(run_id: str) -> None:
    if get_run(run_id).cancelled_at is not None:
        raise NamedError("CampaignCannotBeUpdated_400", "schedulerId: the run was cancelled")


@transaction.atomic
def approve_one(*, message_id: str, member_id: str) -> None:
    """Approve a draft; a message that is approved already stays so, any other is CampaignCannotBeUpdated_400."""
    _one(message_id, Status.DRAFT, Status.APPROVED)
    _approve(SendJob.objects.filter(pk=message_id), member_id)


@transaction.atomic
def hold_one(*, message_id: str, member_id: str) -> None:
    """Make a draft of an approved message; a draft stays one, any other is CampaignCannotBeUpdated_400."""
    _one(message_id, Status.APPROVED, Status.DRAFT)
    _hold(SendJob.objects.filter(pk=message_id), member_id)


def _one(message_id: str, *allowed: str) -> SendJob:
    get_message(message_id)
    job = SendJob.objects.select_for_update(of=("self",)).get(pk=message_id)
    if job.status not in allowed:
        raise NamedError(
            "CampaignCannotBeUpdated_400",
            f"sendJobId: the message is {job.status}; this needs one of {', '.join(allowed)}",
        )
    return job


@transaction.atomic
def edit_message(
    *, message_id: str, member_id: str, subject: str | None = None, text: str | None = None, html: str | None = None
) -> None:
    """Change a draft's words; HTML is cleaned, and a new text without HTML drops the old HTML, which would say something else."""
    job = _one(message_id, Status.DRAFT)
    values: dict[str, Any] = {"updated_by_id": member_id, "updated_at": timezone.now()}
    if subject is not None:
        values["subject"] = clean_line(subject)
    if text is not None:
        values.update(text=text, html="")
    if html is not None:
        values["html"] = sanitise_html(html)
    SendJob.objects.filter(pk=job.pk).update(**values)
