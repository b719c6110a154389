"""Bodies and answers of mailboxes and of received mail."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, HostInput, Input, IntegerInput, ObjectIdInput, TextInput
from core.api.output import HEALTH, Computed, IdField, Output
from outreach.connections.senders.serializers import SmtpSnapshot
from outreach.messaging.delivery.serializers import ContactSnapshot, RunSnapshot
from outreach.messaging.inbox.filters import IS_GUESS, IS_READ
from outreach.messaging.inbox.models import InboundMessage


class MailboxChange(Input):
    """Any of a mailbox's values."""

    host = HostInput(required=False, max_length=255)
    port = IntegerInput(required=False, min_value=1, max_value=65535)
    username = TextInput(required=False, max_length=255)
    password = TextInput(
        required=False,
        allow_blank=True,
        max_length=1000,
        trim_whitespace=False,
        write_only=True,
        help_text="Left out or empty: unchanged. Required where host, port, username or secure change.",
    )
    secure = BooleanInput(required=False)
    folders = serializers.ListField(
        child=TextInput(max_length=255), required=False, max_length=5, help_text="Folders to read; none: INBOX."
    )
    verified = BooleanInput(
        required=False,
        help_text="true: test the connection now; false: mark as untested. Left out: test when the connection changed.",
    )
    isActive = BooleanInput(required=False)


class MailboxCreate(MailboxChange):
    """A mailbox to connect."""

    smtp = ObjectIdInput(help_text="id of the sender whose replies come there; each has one mailbox")
    host = HostInput(max_length=255)
    port = IntegerInput(min_value=1, max_value=65535, default=993)
    username = TextInput(max_length=255)
    password = TextInput(max_length=1000, trim_whitespace=False, write_only=True)
    secure = BooleanInput(
        default=True, help_text="true: TLS from the first byte on port 993, STARTTLS on others; no mail without."
    )
    verified = BooleanInput(default=True, help_text="false: connect without testing; an untested mailbox is not read.")


class MailboxOut(Output):
    """A mailbox; its password never goes out."""

    moving = HEALTH | {"lastPolledAt", "positions"}

    _id = IdField()
    smtp = SmtpSnapshot()
    host = serializers.CharField()
    port = serializers.IntegerField()
    username = serializers.CharField()
    secure = serializers.BooleanField()
    folders = serializers.ListField(child=serializers.CharField())
    verified = serializers.BooleanField(help_text="What the last test found.")
    isActive = serializers.BooleanField()
    positions = serializers.DictField(help_text="Folder -> uidValidity and lastUid: how far it has been read.")
    lastPolledAt = serializers.DateTimeField(allow_null=True)
    lastError = serializers.CharField(help_text="Why the last test or reading failed; empty when it did not.")
    lastErrorAt = serializers.DateTimeField(allow_null=True)
    companyID = IdField(source="company_id")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class MailboxTest(Output):
    """The result of a connection test."""

    ok = Computed(serializers.BooleanField())
    encryption = Computed(serializers.CharField(allow_null=True, help_text="Such as TLSv1.3; null: none."))
    stage = Computed(
        serializers.CharField(help_text="Where it ended: connect, tls, auth or select; empty when all went well.")
    )
    detail = Computed(serializers.CharField(help_text="What went wrong, for people."))


class SentSnapshot(Output):
    """The message that is answered."""

    _id = IdField()
    subject = serializers.CharField()
    recipient = serializers.CharField()


class InboundOut(Output):
    """A received mail."""

    _id = IdField()
    kind = serializers.ChoiceField(choices=InboundMessage.Kind.values)
    fromEmail = serializers.CharField(source="from_email")
    fromName = serializers.CharField(source="from_name")
    subject = serializers.CharField()
    text = serializers.CharField(help_text="What is new in it.")
    contact = ContactSnapshot()
    run = RunSnapshot()
    sendJob = SentSnapshot(source="send_job", help_text="The message that it belongs to.")
    smtp = SmtpSnapshot(help_text="The sender whose mailbox it came to.")
    meeting = IdField(source="meeting_id", allow_null=True, help_text="The meeting that an answer is about.")
    answer = serializers.CharField(help_text="To an invitation: accepted, declined or tentative.")
    matchedBy = serializers.CharField(
        source="matched_by",
        help_text="How the message was found: in_reply_to, references, plus_address, report, or guess (by the writer).",
    )
    isGuess = Computed(serializers.BooleanField(), IS_GUESS)
    unsubscribes = serializers.BooleanField(help_text="It says nothing but stop: the contact is unsubscribed.")
    severity = serializers.CharField(help_text="Of a bounce: hard, soft, blocked or delayed.")
    recipient = serializers.CharField(help_text="Of a report: whom it is about.")
    statusCode = serializers.CharField(source="status_code", help_text="Of a bounce, such as 5.1.1.")
    diagnostic = serializers.CharField(help_text="Of a bounce: what the server said.")
    isRead = Computed(serializers.BooleanField(), IS_READ)
    receivedAt = serializers.DateTimeField(source="received_at")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class InboundDetail(InboundOut):
    """A received mail, with the text that it quotes."""

    quoted = serializers.CharField(help_text="What it quotes, and its signature.")
    messageId = serializers.CharField(source="message_id")


class InboundChange(Input):
    """The read status of a received mail."""

    isRead = BooleanInput()
