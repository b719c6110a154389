"""Bodies and answers of messages and of the log of messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, TextInput
from core.api.output import Computed, IdField, Output
from outreach.delivery.decision import sentence_of
from outreach.delivery.models import SendJob, content_hash
from outreach.senders.serializers import SmtpSnapshot


class MessageEdit(Input):
    """A draft's new words."""

    subject = TextInput(required=False, max_length=200)
    text = TextInput(required=False, max_length=100_000, trim_whitespace=False)
    html = TextInput(required=False, allow_blank=True, max_length=500_000, help_text="Empty: made from the text.")


class Approval(Input):
    """What is approved."""

    contentHash = TextInput(
        required=False, max_length=64, help_text="As GET answered it: refused if the words have changed since."
    )


class ContactSnapshot(Output):
    _id = IdField()
    name = serializers.CharField()
    email = serializers.CharField(allow_null=True)


class RunSnapshot(Output):
    _id = IdField()
    name = serializers.CharField()


class MessageOut(Output):
    """A message."""

    reads = ("html",)

    _id = IdField()
    run = RunSnapshot()
    contact = ContactSnapshot()
    smtp = SmtpSnapshot()
    channel = serializers.CharField()
    step = serializers.IntegerField()
    occurrence = serializers.IntegerField()
    status = serializers.ChoiceField(choices=SendJob.Status.values)
    reason = serializers.CharField(help_text="Code of why it has not gone, or was not sent.")
    sentence = Computed(serializers.CharField(help_text="The reason as a sentence; empty without one."))
    recipient = serializers.CharField(help_text="The address it is for; when sent, the one it went to.")
    subject = serializers.CharField()
    text = serializers.CharField()
    contentHash = Computed(serializers.CharField(help_text="Stands for subject, text and HTML, for the approval."))
    messageId = serializers.CharField(help_text="Message-ID header; empty until the sending begins.")
    attempts = serializers.IntegerField(help_text="Attempts that failed.")
    error = serializers.CharField()
    reply = serializers.CharField(help_text="The server's last reply.")
    dueAt = serializers.DateTimeField(help_text="Not before.")
    approvedAt = serializers.DateTimeField(allow_null=True)
    approvedBy = MemberSnapshot(source="approved_by")
    sendingAt = serializers.DateTimeField(allow_null=True)
    sentAt = serializers.DateTimeField(allow_null=True)
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: dict[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
        words = content_hash(data["subject"], data["text"], row["html"])
        return {**data, "sentence": sentence_of(data["reason"]), "contentHash": words}


class MessageDetail(MessageOut):
    """A message with its HTML, the decision as it would be taken now, and its life so far."""

    html = Computed(serializers.CharField())
    decision = Computed(
        serializers.DictField(
            allow_null=True, help_text="state, reason, sentence, until, goesAt; null once it has gone."
        )
    )
    transitions = Computed(
        serializers.ListField(child=serializers.DictField(), help_text="from, to, reason, sentence, detail, actor, at.")
    )


class MessageChanged(MessageOut):
    """One of the messages that an operation changed, null when there was none, and how many there were."""

    always = ("changedCount",)
    changedCount = Computed(
        serializers.IntegerField(
            allow_null=True, help_text="Messages that the operation changed; null while a job changes them."
        )
    )


class SmtpMessageOut(Output):
    """What went out, or may have."""

    _id = IdField()
    smtp = SmtpSnapshot()
    to = serializers.CharField(source="recipient")
    subject = serializers.CharField()
    text = serializers.CharField()
    status = serializers.CharField(help_text="sending, sent, failed or unknown.")
    reason = serializers.CharField()
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
