"""Bodies and answers of messages and of the log of messages."""

from __future__ import annotations

from typing import ClassVar

from django.utils import timezone
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, IntegerInput, TextInput
from core.api.output import Computed, IdField, Output
from core.types import JsonObject, Values
from outreach.connections.ai.evidence import is_unproved
from outreach.connections.chat_apps.models import DIRECT
from outreach.connections.chat_apps.serializers import ChatAppSnapshot
from outreach.connections.mail_vendors.serializers import MailAppSnapshot
from outreach.connections.senders.serializers import SmtpSnapshot
from outreach.messaging.delivery.approving.approvals import MAX_DELAY
from outreach.messaging.delivery.approving.hashes import content_hash, envelope_of
from outreach.messaging.delivery.deciding.reasons import Reason, sentence_of
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.selectors import decisions_by_id

DELIVERY = (
    "What is told of it since it went, by the mail vendor or by mail that came back: queued, sent, deferred, delivered,"
    " opened, clicked, unsubscribed, bounced, failed, rejected or complained; empty: nothing."
)


class MessageEdit(Input):
    """A draft's new content."""

    subject = TextInput(required=False, max_length=200)
    text = TextInput(required=False, max_length=100_000, trim_whitespace=False)
    html = TextInput(
        required=False,
        allow_blank=True,
        max_length=500_000,
        help_text="Empty: made from the text. Without a text it makes the text.",
    )
    contentHash = TextInput(
        required=False, max_length=64, help_text="As GET answered it: refused if somebody else has changed the words."
    )


HINT_LENGTH = 1000


class Regeneration(Input):
    """Instructions for rewriting a draft."""

    hint = TextInput(
        default="",
        allow_blank=True,
        max_length=HINT_LENGTH,
        help_text="What is to be different, in plain language; the writer is told so as the company's own request.",
    )
    contentHash = TextInput(
        required=False, max_length=64, help_text="As GET answered it: refused if somebody else has changed the words."
    )


"""Seconds for which an approved message can be held."""


def delay_input() -> IntegerInput:
    """Return the field of an approval that holds its messages for some seconds."""
    return IntegerInput(
        default=0,
        min_value=0,
        max_value=int(MAX_DELAY.total_seconds()),
        help_text="Seconds for which nothing goes, so that the approval can be taken back; 0: it goes at once.",
    )


class Approval(Input):
    """The approval of a message."""

    delaySeconds = delay_input()
    contentHash = TextInput(
        required=False,
        max_length=64,
        help_text="As GET answered it: refused if the words have changed since, or whom it goes to or comes from.",
    )


class ContactSnapshot(Output):
    _id = IdField()
    name = serializers.CharField()
    email = serializers.CharField(allow_null=True)


class RunSnapshot(Output):
    _id = IdField()
    name = serializers.CharField()


class CampaignSnapshot(Output):
    _id = IdField()
    name = serializers.CharField()


class MessageOut(Output):
    """A message."""

    moving = frozenset({"decision"})
    reads = (
        "html",
        "approved_envelope",
        "recipient",
        "attachments",
        "contact__contact_number",
        "chat_app__phone_number_id",
    )

    _id = IdField()
    run = RunSnapshot()
    campaign = CampaignSnapshot(source="run.of_campaign", help_text="The campaign that its run sends; null: none.")
    workflow = serializers.CharField(
        source="run.of_workflow", allow_null=True, help_text="id of the workflow that planned it; empty: none."
    )
    workflowRun = serializers.CharField(help_text="id of the run of the workflow; empty: none.")
    variant = serializers.IntegerField(
        allow_null=True, help_text="Which of its campaign's variants it has, from 0; null: none, or not chosen yet."
    )
    contact = ContactSnapshot()
    smtp = SmtpSnapshot()
    mailApp = MailAppSnapshot(source="mail_app")
    chatApp = ChatAppSnapshot(source="chat_app")
    conversation = IdField(
        source="conversation_id", allow_null=True, help_text="What it is said in, by a person or a chatbot; null: none."
    )
    channel = serializers.CharField()
    step = serializers.IntegerField(help_text="1: the first message; from 2 on a follow-up.")
    occurrence = serializers.IntegerField(
        help_text="Of a recurring run: with which of its beginnings it was planned; those that found nobody count too."
    )
    status = serializers.ChoiceField(choices=SendJob.Status.values)
    reason = serializers.CharField(help_text="Code of why it has not gone, or was not sent.")
    sentence = Computed(serializers.CharField(help_text="The reason as a sentence; empty without one."))
    recipient = serializers.CharField(
        help_text="The address that it would go to now: the contact's, by chat its number, until it is being sent; then"
        " the one it went to."
    )
    subject = serializers.CharField()
    text = serializers.CharField()
    attachments = Computed(
        serializers.ListField(
            child=serializers.DictField(), help_text="The files that go with it: _id, name, size (bytes) and mime."
        )
    )
    contentHash = Computed(
        serializers.CharField(
            help_text="For the approval: stands for subject, text, HTML and attachments, and for name and address of"
            " the contact and of the sender."
        )
    )
    evidence = serializers.ListField(
        child=serializers.DictField(),
        help_text="What the words rest on, in their order: text, part (subject, text, or html for words that only"
        " the HTML has) with start and end in it, source and value. Sources are contact.<field>, company.<field>,"
        " catalogue.<number>, thread.<number> (a message sent before), prompt, hint, outreach.step, outreach.subject,"
        " outreach.language (English was written in the place of another language),"
        " template (the company's own words) and person (a person has written it); empty: nothing proves it.",
    )
    unproved = Computed(
        serializers.BooleanField(
            help_text="Something in it is not proved; approve-all leaves it to be approved by itself."
        )
    )
    messageId = serializers.CharField(help_text="Message-ID header; empty until the sending begins.")
    attempts = serializers.IntegerField(help_text="Attempts that failed.")
    error = serializers.CharField()
    reply = serializers.CharField(help_text="The server's last reply.")
    deliveryStatus = serializers.CharField(help_text=DELIVERY)
    openCount = serializers.IntegerField(help_text="Opens by people, as far as machines can be told apart.")
    clickCount = serializers.IntegerField(help_text="Links of it that people have clicked, each once a day.")
    dueAt = serializers.DateTimeField(help_text="Not before.")
    nextStepAt = serializers.DateTimeField(
        allow_null=True, help_text="When its follow-up is written; null before it is sent, afterwards, or without one."
    )
    stopOn = serializers.ListField(
        child=serializers.CharField(), help_text="What stops it, a follow-up: reply, bounce, won, lost."
    )
    approvedAt = serializers.DateTimeField(allow_null=True)
    approvedBy = MemberSnapshot(source="approved_by")
    approvalEndsAt = serializers.DateTimeField(
        allow_null=True,
        help_text="Until when a person's approval holds; null: there is none, or the run was started without drafts.",
    )
    hint = serializers.CharField(help_text="What was asked for when it was last to be written anew.")
    sendingAt = serializers.DateTimeField(allow_null=True)
    sentAt = serializers.DateTimeField(allow_null=True)
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        contact, sender = data["contact"], data["smtp"] or data["mailApp"] or {}
        number = row["recipient"] if data["channel"] in DIRECT else row["contact__contact_number"]
        address = (number if data["chatApp"] else contact["email"]) or ""
        if data["chatApp"]:
            sender = {
                "fromName": data["chatApp"]["name"],
                "fromEmail": data["chatApp"]["displayNumber"] or row["chat_app__phone_number_id"],
            }
        envelope = envelope_of(contact["name"], address, sender.get("fromName"), sender.get("fromEmail"))
        texts = (data["subject"], data["text"], row["html"])
        shown = content_hash(envelope, *texts, attachments=row["attachments"])
        reason = _lapse(data, row, envelope, address) or data["reason"]
        fields = {"reason": reason, "sentence": sentence_of(reason), "contentHash": shown}
        if data["status"] in SendJob.TO_SEND:
            fields["recipient"] = address
        return {**data, **fields, "attachments": _files(row), "unproved": is_unproved(data["evidence"])}


def _files(row: Values) -> list[JsonObject]:
    return [
        {"_id": file["id"], **{name: file[name] for name in ("name", "size", "mime")}} for file in row["attachments"]
    ]


def _lapse(data: Values, row: Values, envelope: str, address: str) -> str:
    """Return why the approval of an approved message holds no longer, as SendJob.lapse; "" for any other."""
    if data["status"] != SendJob.Status.APPROVED:
        return ""
    approved, ends = row["approved_envelope"], data["approvalEndsAt"]
    if approved != envelope if approved else row["recipient"] not in ("", address):
        return str(Reason.APPROVAL_OUTDATED)
    return str(Reason.APPROVAL_EXPIRED) if ends is not None and ends <= timezone.now() else ""


class ListedMessage(MessageOut):
    """A message with the decision as it would be taken now."""

    decision = Computed(
        serializers.DictField(
            allow_null=True,
            help_text="Why it has not gone, and when it will: state, reason, sentence, until, goesAt; null once a"
            " worker has it or it has ended.",
        )
    )

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        decisions = decisions_by_id([row["_id"] for row in rows if row["status"] in SendJob.TO_SEND])
        return [{**row, "decision": decisions.get(row["_id"])} for row in rows]


class MessageDetail(ListedMessage):
    """A message with its HTML and its life so far."""

    html = Computed(serializers.CharField())
    opensAndClicks = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="Where they are tracked, the newest 100: kind (opened, clicked), url, at, and machine, which says"
            " why no recipient did it (head, scanner, too_soon, all_links, member; empty: one did).",
        )
    )
    thread = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="The messages of its run to the contact, by step, with it: _id, step, status, reason, sentence,"
            " subject, sentAt, nextStepAt.",
        )
    )
    transitions = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="What has happened to it, in order: from, to, reason, sentence, detail (the hint of a"
            " regeneration, the changed parts of an edit), actor, actorName, at.",
        )
    )


class MessageChanged(MessageOut):
    """One of the messages that an operation changed, null when there was none, and how many there were."""

    always: ClassVar[tuple[str, ...]] = ("changedCount",)
    changedCount = Computed(
        serializers.IntegerField(
            allow_null=True, help_text="Messages that the operation changed; null while a job changes them."
        )
    )


SKIPPED = (
    "Drafts that would never go, and end for that: reason (as in decision), sentence and count of each reason. They are"
    " not in leftCount."
)


class MessagesApproved(MessageChanged):
    """The result of approve-all: the numbers of approved and of remaining drafts."""

    always = ("changedCount", "leftCount", "outdatedCount", "skipped", "newerCount")
    leftCount = Computed(
        serializers.IntegerField(
            help_text="Drafts with something unproved in them, or outdated; a person approves each by itself."
        )
    )
    outdatedCount = Computed(
        serializers.IntegerField(help_text="Those of them that had been approved for another recipient or sender.")
    )
    newerCount = Computed(
        serializers.IntegerField(help_text="Drafts that have come or changed since the sample; 0 without a sample.")
    )
    skipped = Computed(serializers.ListField(child=serializers.DictField(), help_text=SKIPPED))


class SmtpMessageOut(Output):
    """A message sent, or possibly sent."""

    _id = IdField()
    smtp = SmtpSnapshot()
    to = serializers.CharField(source="recipient")
    subject = serializers.CharField()
    text = serializers.CharField()
    status = serializers.CharField(help_text="sending, sent, failed or unknown.")
    reason = serializers.CharField()
    deliveryStatus = serializers.CharField(help_text=DELIVERY)
    openCount = serializers.IntegerField()
    clickCount = serializers.IntegerField()
    messageId = serializers.CharField()
    reply = serializers.CharField(help_text="What the server said.")
    error = serializers.CharField()
    attempts = serializers.IntegerField()
    contact = ContactSnapshot()
    run = RunSnapshot()
    sendingAt = serializers.DateTimeField(allow_null=True)
    sentAt = serializers.DateTimeField(allow_null=True)
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class VendorMessageOut(Output):
    """A message given, or possibly given, to a mail vendor, with its reported events."""

    reads = ("delivery",)

    _id = IdField()
    mailApp = MailAppSnapshot(source="mail_app")
    channel = serializers.CharField()
    recipient = serializers.CharField()
    subject = serializers.CharField()
    text = serializers.CharField()
    status = serializers.CharField(help_text="sending, sent, failed or unknown.")
    reason = serializers.CharField()
    deliveryStatus = serializers.CharField(help_text=DELIVERY)
    providerMessageId = serializers.CharField(help_text="What the vendor calls it.")
    messageId = serializers.CharField()
    deferredAt = Computed(serializers.DateTimeField(allow_null=True))
    deliveredAt = Computed(serializers.DateTimeField(allow_null=True))
    openedAt = Computed(serializers.DateTimeField(allow_null=True))
    clickedAt = Computed(serializers.DateTimeField(allow_null=True))
    bouncedAt = Computed(serializers.DateTimeField(allow_null=True))
    rejectedAt = Computed(serializers.DateTimeField(allow_null=True))
    complainedAt = Computed(serializers.DateTimeField(allow_null=True))
    unsubscribedAt = Computed(serializers.DateTimeField(allow_null=True))
    openCount = serializers.IntegerField()
    clickCount = serializers.IntegerField()
    reply = serializers.CharField(help_text="What the vendor said.")
    error = serializers.CharField()
    attempts = serializers.IntegerField()
    contact = ContactSnapshot()
    run = RunSnapshot()
    sendingAt = serializers.DateTimeField(allow_null=True)
    sentAt = serializers.DateTimeField(allow_null=True)
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        delivery = row["delivery"]
        return {**data, **{f"{name}At": delivery.get(name) for name in DELIVERY_TIMES}}


DELIVERY_TIMES = ("deferred", "delivered", "opened", "clicked", "bounced", "rejected", "complained", "unsubscribed")
"""Delivery statuses for which the log shows the time of the first report."""


class GmailMessageOut(VendorMessageOut):
    """A message sent, or possibly sent, by mailvendor-c."""

    gmails = MailAppSnapshot(source="mail_app")
