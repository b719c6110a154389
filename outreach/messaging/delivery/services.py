"""People's decisions about messages: approve, hold as a draft, edit, cancel, try again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, Count, OuterRef, Q, QuerySet, Subquery, TextField, Value, When
from django.db.models.functions import Coalesce, Concat, Greatest, NullIf
from django.utils import timezone

from core.errors import NamedError
from core.jobs import notify_workers
from core.types import JsonObject
from crm.models import Contact
from outreach.connections.ai.evidence import check_evidence, evidence_after_edit, of_html
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.smtp.markup import MAX_DEPTH, depth_of, sanitise_html, text_from_html
from outreach.connections.smtp.message import clean_line
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.approving.approvals import ends_at, turn_into_drafts
from outreach.messaging.delivery.approving.facts import facts_about
from outreach.messaging.delivery.approving.hashes import HALF
from outreach.messaging.delivery.deciding.decision import final_state
from outreach.messaging.delivery.deciding.reasons import Reason, sentence_of
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.senders import MAIL_SENDERS
from outreach.messaging.delivery.stopping.endings import never_goes

Status = SendJob.Status
NOT_FOUND = "NotFound_404"
UNPROVED = Q(evidence__contains=[{"source": ""}])
"""A message with an unproved statement. A person approves it individually."""
ENVELOPE_CHANGED = (
    "the name or address of the contact or of the sender has changed; read the message again before it is approved"
)
DECLINED = "declined"
"""Reason of a message that a person has cancelled."""


def not_found() -> NamedError:
    """Return the error for an id that belongs to no message of the company."""
    return NamedError(NOT_FOUND, "there is no such message in this company", field="sendJobId")


def unproved_messages(rows: QuerySet[SendJob]) -> QuerySet[SendJob]:
    """Return the messages with an unproved statement."""
    return rows.filter(UNPROVED)


@dataclass(frozen=True, slots=True)
class SkippedApprovals:
    """The numbers of drafts that are not approved together with the others."""

    unproved: int
    outdated: int
    never: Mapping[str, int]
    """Reason -> number of drafts that cannot be sent."""

    @property
    def count(self) -> int:
        """The messages that a person approves individually."""
        return self.unproved + self.outdated

    def as_json(self) -> JsonObject:
        """Return the counts in the form of responses."""
        skipped = [
            {"reason": reason, "sentence": sentence_of(reason), "count": number}
            for reason, number in sorted(self.never.items())
        ]
        return {"leftCount": self.count, "outdatedCount": self.outdated, "skipped": skipped}


OUTDATED = Q(reason=Reason.APPROVAL_OUTDATED, run__of_campaign__isnull=True)
"""Matches drafts whose contact or sender has changed since their approval. A campaign's content is the same for all,
and nobody approves its messages one by one."""


def count_skipped(drafts: QuerySet[SendJob]) -> SkippedApprovals:
    """Count the drafts that are not approved together with the others."""
    live = drafts.alias(never=never_goes()).filter(never=None)
    outdated = live.filter(OUTDATED).count()
    # Counted by reason in one statement. The others are what a person has to look at.
    never = dict(_unsendable_drafts(drafts).values_list("never").annotate(number=Count("pk")))
    return SkippedApprovals(unproved_messages(live.exclude(OUTDATED)).count(), outdated, never)


def approvable_drafts(rows: QuerySet[SendJob]) -> QuerySet[SendJob]:
    """Return the drafts that can be approved together.

    They have a text without unproved statements. Outdated drafts are excluded, because nobody has seen their present
    recipients, and so are those that would never be sent.
    """
    drafts = rows.filter(status=Status.DRAFT).exclude(text="")
    # What nobody has checked is not approved by a click on "approve all".
    kept = drafts.exclude(UNPROVED).exclude(OUTDATED)
    return kept.alias(never=never_goes()).filter(never=None)


def approve_together(rows: QuerySet[SendJob], member_id: str | None, send_after: datetime | None = None) -> int:
    """Approve the drafts that can be sent, and end the others with their reason. None is sent before `send_after`.

    Returns the number of approved messages.
    """
    ended: dict[str, list[str]] = {}
    for id, reason in _unsendable_drafts(rows).values_list("pk", "never"):
        ended.setdefault(reason, []).append(id)
    for reason, ids in ended.items():
        drafts = SendJob.objects.filter(pk__in=ids, status=Status.DRAFT)  # others may have approved or rejected some
        ledger.transition_all(drafts, to=final_state(reason), reason=reason, actor_id=member_id)
    return approve(approvable_drafts(rows), member_id, send_after)


def _unsendable_drafts(rows: QuerySet[SendJob]) -> QuerySet[Any]:
    """Return the drafts that cannot be sent, with the reason as `never`."""
    return rows.filter(status=Status.DRAFT).annotate(never=never_goes()).exclude(never=None).order_by()


def approve(rows: QuerySet[SendJob], member_id: str | None, send_after: datetime | None = None, **shown: str) -> int:
    """Approve the drafts among the messages that have a text: as they are `shown`, or else as they are.

    None goes before `send_after`. Returns how many are approved.
    """
    drafts = rows.filter(status=Status.DRAFT).exclude(text="")
    values: JsonObject = {**_approval(member_id), **shown}
    if send_after is not None:
        # The due time is what every claim reads, so that no worker can take the message before it.
        values["due_at"] = Greatest("due_at", Value(send_after))
    count = ledger.transition_all(drafts, to=Status.APPROVED, actor_id=member_id, updated_by_id=member_id, **values)
    # Within the transaction: the notice leaves after the commit (core.jobs).
    notify_workers("send")
    return count


# Approved for what stands in the rows at the moment of the statement, for all messages in one UPDATE.
def _approval(member_id: str | None) -> JsonObject:
    """Return the columns that an approval sets: approver, time, expiry and envelope."""
    now = timezone.now()
    contact = Contact.objects.filter(pk=OuterRef("contact_id"))
    text = TextField()
    # The same as envelope_of, in SQL.
    name = Subquery(contact.values_list("name")[:1], output_field=text)
    to = Concat(name, Value(" <"), _address(contact), Value(">"), output_field=text)
    sender = Concat("from_name", Value(" <"), "from_email", Value(">"), output_field=text)
    senders = [
        Subquery(kind._default_manager.filter(pk=OuterRef(f"{kind.job_column}_id")).values_list(sender)[:1])
        for kind in MAIL_SENDERS
    ]
    number = Coalesce(NullIf("display_number", Value("")), "phone_number_id")
    chat = Concat("name", Value(" <"), number, Value(">"), output_field=text)
    chats = ChatApp.objects.filter(pk=OuterRef("chat_app_id")).values_list(chat)
    sent_by = Coalesce(*senders, Subquery(chats[:1]), Value(""), output_field=text)
    envelope = Concat(to, Value("\n"), sent_by, output_field=text)
    return {
        "approved_at": now,
        "approval_ends_at": ends_at(now),
        "approved_by_id": member_id,
        "approved_envelope": envelope,
        "recipient": _address(contact),
    }


def _address(contact: QuerySet[Contact]) -> Case:
    """Return where a message would go now, by mail or by chat, from a query of its contact."""
    text = TextField()
    addresses = {
        name: Coalesce(Subquery(contact.values_list(name)[:1]), Value(""), output_field=text)
        for name in ("email", "contact_number")
    }
    return Case(
        When(chat_app__isnull=False, then=addresses["contact_number"]), default=addresses["email"], output_field=text
    )


def retry(rows: QuerySet[SendJob], member_id: str | None) -> int:
    """Approve those of the messages that have a text, as if they had never been tried. Return their number.

    They are approved for the same recipients: if these have changed, they become drafts when they are claimed.
    """
    now = timezone.now()
    count = ledger.transition_all(
        # Without a text the composer, and not a person, has to try again.
        rows.exclude(text=""),
        to=Status.APPROVED,
        reason="",
        detail="retried by a person",
        actor_id=member_id,
        updated_by_id=member_id,
        attempts=0,
        # A person's decision is a new beginning; with the old count, one more dead worker would fail it at
        # once.
        deaths=0,
        due_at=now,
        lease=None,
        worker=None,
        error="",
        # Without the time of the old attempt, a late answer to it changes nothing any more.
        sending_at=None,
        refused_at=None,
        bounced_at=None,
        approved_at=now,
        approved_by_id=member_id,
        approval_ends_at=ends_at(now),
    )
    notify_workers("send")
    return count


def after_delay(seconds: int) -> datetime | None:
    """Return the time at which a delay ends that begins now, or None without one."""
    return timezone.now() + timedelta(seconds=seconds) if seconds else None


@transaction.atomic
def approve_message(
    *, message_id: str, member_id: str, content_hash: str | None = None, delay_seconds: int = 0
) -> None:
    """Approve a draft for its present recipient and sender. An approved message stays approved.

    It goes after `delay_seconds` at the earliest, so that the approval can be taken back until then.
    It is approved again if these have changed or its approval has ended. Raises CampaignCannotBeUpdated_400 for any
    other message and for one that would never be sent. Raises MessageChanged_409 when `content_hash` is that of other
    content, recipients or senders than the message's present ones.
    """
    # The row stays locked until the commit, so the compared text is the approved text.
    job = lock_message(message_id, Status.DRAFT, Status.APPROVED)
    require_unchanged(job, content_hash, "approved")
    needed = ("text",) if job.chat_app_id else ("subject", "text")
    if missing := [name for name in needed if not getattr(job, name).strip()]:
        raise NamedError("CampaignCannotBeUpdated_400", "enter a text before you approve", field=missing[0])
    if content_hash is not None and content_hash != job.content_hash:
        raise NamedError("MessageChanged_409", ENVELOPE_CHANGED, field=("contact", "smtp"))
    if never := SendJob.objects.filter(pk=message_id).values_list(never_goes(), flat=True).first():
        raise NamedError("CampaignCannotBeUpdated_400", f"it would never go. {sentence_of(never)}", field="sendJobId")
    # A lapsed approval goes through draft, so that the ledger has both decisions.
    if job.status == Status.APPROVED and (lapse := job.lapse(timezone.now())):
        turn_into_drafts(SendJob.objects.filter(pk=message_id), member_id, lapse)
    shown = {"approved_envelope": job.envelope, "recipient": job.address}
    approve(SendJob.objects.filter(pk=message_id), member_id, after_delay(delay_seconds), **shown)


@transaction.atomic
def hold_message(*, message_id: str, member_id: str) -> None:
    """Turn an approved message, or one that a person has cancelled, into a draft. A draft stays one.

    Raises CampaignCannotBeUpdated_400 for any other.
    """
    job = lock_message(message_id, Status.APPROVED, Status.DRAFT, Status.CANCELLED)
    stopped = job.run is not None and job.run.cancelled_at is not None
    if job.status == Status.CANCELLED and (stopped or job.reason != DECLINED):
        raise NamedError("CampaignCannotBeUpdated_400", "the message was not cancelled by itself", field="sendJobId")
    if not job.text:
        raise NamedError(
            "CampaignCannotBeUpdated_400", "the message had not been written when it was cancelled", field="sendJobId"
        )
    turn_into_drafts(SendJob.objects.filter(pk=message_id), member_id)


@transaction.atomic
def cancel_message(*, message_id: str, member_id: str) -> None:
    """Cancel a message that no worker has claimed. A cancelled one stays as it is. Raises CampaignCannotBeUpdated_400
    for any other."""
    job = lock_message(message_id, Status.PLANNED, Status.DRAFT, Status.APPROVED, Status.CANCELLED)
    rows = SendJob.objects.filter(pk=job.pk).exclude(status=Status.CANCELLED)
    ledger.transition_all(rows, to=Status.CANCELLED, reason=DECLINED, actor_id=member_id, updated_by_id=member_id)


@transaction.atomic
def edit_message(
    *,
    message_id: str,
    member_id: str,
    subject: str | None = None,
    text: str | None = None,
    html: str | None = None,
    content_hash: str | None = None,
) -> None:
    """Change the subject and text of a draft. HTML is sanitised; a new text without HTML removes the old HTML.

    HTML without a text produces the text. The evidence of unchanged words is kept; all of it is checked again, sentence
    by sentence. Raises InvalidPayload_400 for blank text, and CampaignCannotBeUpdated_400 for a message that is no
    draft. Raises MessageChanged_409 when `content_hash` is that of other content than the draft's present one.
    """
    job = lock_message(message_id, Status.DRAFT)
    if job.chat_app_id:
        raise NamedError("CampaignCannotBeUpdated_400", "a message by chat stays as it is; write another", field="text")
    require_unchanged(job, content_hash, "changed")
    values: JsonObject = {"updated_by_id": member_id, "updated_at": timezone.now()}
    evidence = job.evidence
    if subject is not None:
        values["subject"] = clean_line(subject)
        evidence = evidence_after_edit(evidence, "subject", job.subject, values["subject"])
    if html is not None and depth_of(html) > MAX_DEPTH:
        raise NamedError("InvalidPayload_400", f"has more than {MAX_DEPTH} tags within each other", field="html")
    rich = sanitise_html(html) if html is not None else None
    if rich and text is None:
        text = text_from_html(rich)
        if not text:
            raise NamedError("InvalidPayload_400", "enter a text", field="html")
    if text is not None:
        if not text.strip():
            raise NamedError("InvalidPayload_400", "enter a text", field="text")
        values.update(text=text, html="")
        evidence = evidence_after_edit(evidence, "text", job.text, text)
    if rich is not None:
        values["html"] = rich
    if {"text", "html"} & values.keys():
        # Evidence has positions in the text; the HTML has its own, so they are looked up again there.
        evidence = of_html(evidence, values.get("text", job.text), text_from_html(values["html"]))
    changed = [
        name for name in ("subject", "text", "html") if values.get(name, getattr(job, name)) != getattr(job, name)
    ]
    if changed:
        ledger.record_event([job.pk], reason="edited", detail=", ".join(changed), actor_id=member_id)
        evidence = check_evidence(evidence, facts_about(job))
    values["evidence"] = evidence
    SendJob.objects.filter(pk=job.pk).update(**values)


def require_unchanged(job: SendJob, content_hash: str | None, action: str) -> None:
    """Raise MessageChanged_409 when the hash is that of other content than the message's."""
    # The first half is the content. A changed address must not keep a person from saving words.
    if content_hash is not None and content_hash[:HALF] != job.content_hash[:HALF]:
        raise NamedError("MessageChanged_409", f"read the message again before it is {action}", field="contentHash")


def lock_message(message_id: str, *allowed: str) -> SendJob:
    """Lock and return the message. Raises NotFound_404, and CampaignCannotBeUpdated_400 for any other status."""
    # Only the message: a lock on its contact would hold up its editors.
    rows = SendJob.objects.select_for_update(of=("self",)).select_related(
        "contact", "smtp", "mail_app", "chat_app", "run"
    )
    job = rows.filter(pk=message_id).first()
    if job is None:
        raise not_found()
    if job.status not in allowed:
        raise NamedError(
            "CampaignCannotBeUpdated_400",
            f"the message is {job.status}; this needs one of {', '.join(allowed)}",
            field="sendJobId",
        )
    return job
