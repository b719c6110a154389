"""People's decisions about all messages of a run: approve, hold as drafts, try again."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from core.errors import NamedError
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.services import SkippedApprovals, count_skipped
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.review.message_jobs import Action, Changed, change_messages, held_until
from outreach.runs.genie.services import get_run

Status = SendJob.Status


@transaction.atomic
def approve_all(*, run_id: str, member_id: str | None, delay_seconds: int = 0) -> Changed:
    """Approve the run's drafts that state nothing unproved, are not outdated and may go.

    None goes before `delay_seconds` are over. Raises CampaignCannotBeUpdated_400 for a cancelled run.
    """
    details = held_until(delay_seconds)
    return change_messages(open_run(run_id), Action.APPROVE_MESSAGES, [Status.DRAFT], member_id, details=details)


def count_left_drafts(run_id: str, until: datetime | None = None) -> SkippedApprovals:
    """Count the run's drafts that are not approved together with the others, with `until` among those that have not
    changed since."""
    drafts = SendJob.objects.filter(run_id=run_id, status=Status.DRAFT)
    return count_skipped(drafts if until is None else drafts.filter(updated_at__lte=until))


@transaction.atomic
def hold_all(*, run_id: str, member_id: str, approved_since: datetime | None = None) -> Changed:
    """Turn the run's approved messages that no worker holds into drafts again.

    With `approved_since` only those that the member has approved since.
    """
    details = {"approvedSince": approved_since.isoformat()} if approved_since else {}
    return change_messages(open_run(run_id), Action.HOLD_MESSAGES, [Status.APPROVED], member_id, details=details)


@transaction.atomic
def retry_failed(*, run_id: str, member_id: str | None, unknown: bool) -> Changed:
    """Approve the run's failed messages again, with `unknown` also those with an unknown outcome.

    A person decides, because an unknown message may then arrive twice. A message without text is written again.
    """
    statuses = [Status.FAILED, Status.UNKNOWN] if unknown else [Status.FAILED]
    return change_messages(open_run(run_id), Action.RETRY_MESSAGES, statuses, member_id)


def open_run(run_id: str) -> GenieScheduler:
    """Return the run, locked. Raises CampaignCannotBeUpdated_400 for a cancelled one."""
    run = get_run(run_id, lock=True)
    if run.cancelled_at is not None:
        raise NamedError("CampaignCannotBeUpdated_400", "the run was cancelled", field="schedulerId")
    return run
