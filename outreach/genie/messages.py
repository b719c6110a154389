"""What people decide about all messages of a run: approve, hold as drafts, try again."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from core.errors import NamedError
from outreach.delivery import services as delivery
from outreach.delivery.models import SendJob
from outreach.genie.services import get_run

Status = SendJob.Status


@transaction.atomic
def approve_all(*, run_id: str, member_id: str) -> int:
    """Approve the run's drafts. Returns how many. Raises CampaignCannotBeUpdated_400 for a cancelled run."""
    _refuse_cancelled(run_id)
    return delivery.approve(SendJob.objects.filter(run_id=run_id), member_id)


@transaction.atomic
def hold_all(*, run_id: str, member_id: str) -> int:
    """Turn the run's approved messages that no worker holds into drafts again. Returns how many."""
    _refuse_cancelled(run_id)
    return delivery.hold(SendJob.objects.filter(run_id=run_id), member_id)


@transaction.atomic
def retry_failed(*, run_id: str, member_id: str, unknown: bool) -> int:
    """Approve the run's failed messages again, with `unknown` also those whose outcome is unknown. Returns how many.

    A person decides, since an unknown message may then arrive twice. A message without text stays failed.
    """
    _refuse_cancelled(run_id)
    statuses = [Status.FAILED, Status.UNKNOWN] if unknown else [Status.FAILED]
    return delivery.retry(SendJob.objects.filter(~Q(text=""), run_id=run_id, status__in=statuses), member_id)


def _refuse_cancelled(run_id: str) -> None:
    if get_run(run_id).cancelled_at is not None:
        raise NamedError("CampaignCannotBeUpdated_400", "schedulerId: the run was cancelled")
