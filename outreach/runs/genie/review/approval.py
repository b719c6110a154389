"""Approval of all drafts of a run after a sample: exactly the drafts at the time of the sample are approved."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Aggregate, BinaryField, CharField, Count, Expression, Func, Max, QuerySet, TextField
from django.db.models.functions import MD5, Cast
from django.utils import timezone

from core.errors import NamedError
from core.types import JsonObject
from crm.models import BulkJob
from outreach.messaging.delivery.approving.approvals import ends_at, envelope
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.services import approvable_drafts
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.review.message_jobs import ACTIVE_STATUSES, Action, Changed, change_messages, held_until
from outreach.runs.genie.review.messages import count_left_drafts, open_run
from outreach.runs.genie.services import get_run

Status = SendJob.Status
SAMPLE = 5
CHANGED = (
    "drafts of the sample have been changed or decided since; look at the sample again (approval-sample),"
    " and approve what it shows then"
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SampleState:
    """The state of a sample: the hash of its drafts, and the last time at which a draft of the run had changed.

    Drafts that are added or changed later belong to the next sample. The time is that of a draft which the sample's
    reader could see, not the clock's: a worker's uncommitted changes have a later one.
    """

    hash: str
    until: datetime | None

    @classmethod
    def read(cls, text: str) -> SampleState:
        """Read the contentHash of a response. Invalid text means no existing drafts."""
        digest, _, moment = text.partition("-")
        with suppress(ValueError, OverflowError):
            return cls(digest, EPOCH + timedelta(microseconds=int(moment, 16)) if moment else None)
        return cls(text, None)

    def __str__(self) -> str:
        if self.until is None:
            return self.hash
        return f"{self.hash}-{(self.until - EPOCH) // timedelta(microseconds=1):x}"


# Hashed in the database: a run's drafts may have hundreds of megabytes of text.
class _TextHash(Func):
    """The SHA-256 of a text."""

    template = "sha256(convert_to(%(expressions)s, 'UTF8'))"
    output_field = BinaryField()


class _CombinedHash(Func):
    """The SHA-256 of several hashes."""

    template = "sha256(%(expressions)s)"
    arg_joiner = " || "
    output_field = BinaryField()


class _Digest(Aggregate):
    """The SHA-256 of the rows' hashes, in the order of the rows' ids."""

    # Hashes of a fixed length are joined: texts that are joined as they are could move words between fields.
    template = "encode(sha256(string_agg(%(expressions)s, ''::bytea ORDER BY \"outreach_sendjob\".\"id\")), 'hex')"
    output_field = CharField()


def _drafts(run_id: str, until: datetime | None = None) -> QuerySet[SendJob]:
    """Return the drafts that are approved together, with `until` those that have not changed since."""
    rows = SendJob.objects.filter(run_id=run_id)
    return approvable_drafts(rows if until is None else rows.filter(updated_at__lte=until))


def newer_drafts(run_id: str, content_hash: str) -> int:
    """Count the run's drafts that have come or changed since the sample with this contentHash."""
    until = SampleState.read(content_hash).until
    rows = SendJob.objects.filter(run_id=run_id, status=Status.DRAFT)
    return 0 if until is None else rows.filter(updated_at__gt=until).count()


def _digest(whom: Any) -> _Digest:
    """Return the digest of the content and files of messages, and of their recipients and senders (`whom`)."""
    # jsonb has one text for the same value, so that its text can be compared.
    files = Cast("attachments", TextField())
    parts: list[Expression] = [_TextHash(part) for part in ("pk", "subject", "text", "html", files, whom)]
    return _Digest(_CombinedHash(*parts))


def _hash(drafts: QuerySet[SendJob]) -> str:
    """Return the hash of the content, recipients and senders of all the drafts; "" for none."""
    return str(drafts.order_by().aggregate(hash=_digest(envelope()))["hash"] or "")


def _done(run: GenieScheduler, seen: SampleState) -> Changed | None:
    """Return the answer to a hash whose drafts have been approved together already, or None."""
    job = BulkJob.objects.filter(pk=run.message_job_id, change__contentHash=str(seen)).first()
    if job is not None and job.status in (*ACTIVE_STATUSES, BulkJob.Status.COMPLETED) and not job.cancel_requested:
        return Changed(0) if job.status == BulkJob.Status.COMPLETED else Changed(None, job.pk)
    # An approval gives its messages the same time, and stores their recipients and senders.
    approved = SendJob.objects.filter(run_id=run.pk, approved_at__isnull=False).order_by()
    # The request may be repeated after the approval: what it asked for is done, and that is the answer.
    same = approved.values("approved_at").annotate(hash=_digest("approved_envelope")).filter(hash=seen.hash)
    return Changed(0) if same.exists() else None


def approval_sample(run_id: str) -> tuple[JsonObject, QuerySet[SendJob]]:
    """Return the drafts that approve-all would approve now and leave, with some samples, always the same ones of a run.

    Raises CampaignNotFound_404.
    """
    run = get_run(run_id)
    drafts = SendJob.objects.filter(run_id=run.pk, status=Status.DRAFT)
    # The newest draft that this transaction can see, and not the clock: see SampleState.
    until = drafts.aggregate(until=Max("updated_at"))["until"]
    together = _drafts(run.pk, until)
    summary = together.order_by().aggregate(count=Count("pk"), hash=_digest(envelope()))
    # As good as random, and the same each time: a sample that changes could be drawn until it looks good.
    chosen = together.order_by(MD5("pk")).values("pk")[:SAMPLE]
    seen = SampleState(summary["hash"] or "", until)
    counts = {**count_left_drafts(run.pk, until).as_json(), "approvalEndsAt": ends_at(timezone.now())}
    return {"count": summary["count"], "contentHash": str(seen), **counts}, SendJob.objects.filter(pk__in=chosen)


@transaction.atomic
def approve_seen(*, run_id: str, member_id: str, content_hash: str, delay_seconds: int = 0) -> Changed:
    """Approve the drafts of approval_sample, if none of them has changed since; later ones stay drafts.

    None goes before `delay_seconds` are over. A repeated request has no further effect. Raises
    CampaignCannotBeUpdated_400 for a cancelled run, and MessageChanged_409 if drafts of the sample have changed or were
    decided.
    """
    run, seen = open_run(run_id), SampleState.read(content_hash)
    # Lock the drafts, so that no editor changes one meanwhile; in the order of batches, which prevents deadlocks.
    rows = _drafts(run.pk, seen.until).order_by("pk").select_for_update(of=("self",), no_key=True)
    for _ in rows.values_list("pk").iterator():
        pass
    now = timezone.now()
    # Compared after the locks, so nothing can change between the comparison and the approval.
    if _hash(_drafts(run.pk, seen.until)) != seen.hash:
        if (done := _done(run, seen)) is not None:
            return done
        raise NamedError("MessageChanged_409", CHANGED, field="contentHash")
    shown = {"contentHash": str(seen), "seenUntil": now.isoformat(), "draftsUntil": (seen.until or now).isoformat()}
    details = {**shown, **held_until(delay_seconds)}
    return change_messages(run, Action.APPROVE_MESSAGES, [Status.DRAFT], member_id, details=details)
