"""Approval of all drafts of a run after a sample: exactly what there was when the sample was shown is approved."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Aggregate, BinaryField, CharField, Count, Expression, Func, QuerySet, TextField
from django.db.models.functions import MD5, Cast
from django.utils import timezone

from core.errors import NamedError
from crm.models import BulkJob
from outreach.delivery.approvals import ends_at, envelope
from outreach.delivery.models import SendJob
from outreach.delivery.services import approvable
from outreach.genie.message_jobs import GOING, Action, Changed, change_messages
from outreach.genie.messages import left_drafts, open_run
from outreach.genie.models import GenieScheduler
from outreach.genie.services import get_run

Status = SendJob.Status
SAMPLE = 5
CHANGED = (
    "contentHash: the drafts are not those of the sample any more; look at the sample again (approval-sample), and"
    " approve what it shows then"
)


class _Hashed(Func):
    """The SHA-256 of a text."""

    template = "sha256(convert_to(%(expressions)s, 'UTF8'))"
    output_field = BinaryField()


class _Together(Func):
    """The SHA-256 of several hashes."""

    template = "sha256(%(expressions)s)"
    arg_joiner = " || "
    output_field = BinaryField()


class _Digest(Aggregate):
    """The SHA-256 of the rows' hashes, in the order of the rows' ids."""

    template = "encode(sha256(string_agg(%(expressions)s, ''::bytea ORDER BY \"outreach_sendjob\".\"id\")), 'hex')"
    output_field = CharField()


def _drafts(run_id: str) -> QuerySet[SendJob]:
    return approvable(SendJob.objects.filter(run_id=run_id))


def _digest(whom: Any) -> _Digest:
    """Return what stands for the words and files of messages, and for `whom` they go to and come from."""
    files = Cast("attachments", TextField())
    parts: list[Expression] = [_Hashed(part) for part in ("pk", "subject", "text", "html", files, whom)]
    return _Digest(_Together(*parts))


def _batch(run_id: str) -> dict[str, Any]:
    """Return how many drafts are approved together, and what stands for all their words, recipients and senders."""
    found: dict[str, Any] = _drafts(run_id).order_by().aggregate(count=Count("pk"), hash=_digest(envelope()))
    return {"count": found["count"], "contentHash": found["hash"] or ""}


def _done(run: GenieScheduler, content_hash: str) -> Changed | None:
    """Return the answer to a hash whose drafts have been approved together already, or None."""
    job = BulkJob.objects.filter(pk=run.message_job_id, change__contentHash=content_hash).first()
    if job is not None and job.status in (*GOING, BulkJob.Status.COMPLETED) and not job.cancel_requested:
        return Changed(0) if job.status == BulkJob.Status.COMPLETED else Changed(None, job.pk)
    # An approval gives its messages one time, and keeps whom they go to and come from.
    approved = SendJob.objects.filter(run_id=run.pk, approved_at__isnull=False).order_by()
    same = approved.values("approved_at").annotate(hash=_digest("approved_envelope")).filter(hash=content_hash)
    return Changed(0) if same.exists() else None


def approval_sample(run_id: str) -> tuple[dict[str, Any], QuerySet[SendJob]]:
    """Return what approve-all would approve now and leave, and some of the drafts, always the same ones of a run.

    Raises CampaignNotFound_404.
    """
    run = get_run(run_id)
    chosen = _drafts(run.pk).order_by(MD5("pk")).values("pk")[:SAMPLE]
    counts = {**left_drafts(run.pk).as_json(), "approvalEndsAt": ends_at(timezone.now())}
    return {**_batch(run.pk), **counts}, SendJob.objects.filter(pk__in=chosen)


@transaction.atomic
def approve_seen(*, run_id: str, member_id: str, content_hash: str) -> Changed:
    """Approve the drafts that approval_sample told of, if none of them has changed since. Asked for the same again,
    nothing more happens.

    Raises CampaignCannotBeUpdated_400 for a cancelled run, and MessageChanged_409 where drafts have changed or others
    have come.
    """
    run = open_run(run_id)
    # Whoever is changing one of them at this moment is waited for, and whoever comes later waits.
    rows = _drafts(run.pk).order_by("pk").select_for_update(of=("self",), no_key=True)
    for _ in rows.values_list("pk").iterator():
        pass
    seen_until = timezone.now()
    if _batch(run.pk)["contentHash"] != content_hash:
        if (done := _done(run, content_hash)) is not None:
            return done
        raise NamedError("MessageChanged_409", CHANGED)
    seen = {"contentHash": content_hash, "seenUntil": seen_until.isoformat()}
    return change_messages(run, Action.APPROVE_MESSAGES, [Status.DRAFT], member_id, seen=seen)
