"""Bodies and answers of conversations."""

from __future__ import annotations

import re
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.addresses import EmailInput, PhoneInput
from core.api.input import BooleanInput, Input, IntegerInput, LineInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from crm.files.serializers import FileSnapshot
from crm.files.services import open_link
from outreach.chat.conversations.channels import CHANNELS, READS, answer_conditions
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.chat.conversations.outgoing import TEXT_LENGTH
from outreach.connections.chat_apps.serializers import ChatAppSnapshot
from outreach.messaging.delivery.deciding.reasons import sentence_of
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.selectors import decisions_by_id
from outreach.messaging.delivery.serializers import ContactSnapshot


class ValuesInput(serializers.DictField):
    """Values of the variables of a template."""

    def __init__(self, **options: Any) -> None:
        super().__init__(child=TextInput(max_length=1000), **options)


class ConversationBegin(Input):
    """A conversation to begin, by a template that the chat vendor has approved."""

    contact = ObjectIdInput()
    app = ObjectIdInput(help_text="id of the chat app")
    template = ObjectIdInput()
    values = ValuesInput(required=False, help_text="Variable -> its value, instead of the contact's.")


class AnswerInput(Input):
    """An answer: a text, a file, or a template."""

    text = TextInput(
        required=False,
        max_length=TEXT_LENGTH,
        help_text="By mail at any time; by a chat app within 24 hours of the person's last message, 4,096 characters.",
    )
    template = ObjectIdInput(required=False, allow_null=True, help_text="An approved template, at any time.")
    file = ObjectIdInput(
        required=False,
        allow_null=True,
        help_text="A file of the company, of at most 10 MB, with the text below it; as free words by a chat app.",
    )
    values = ValuesInput(required=False, help_text="Variable -> its value, instead of the contact's.")

    def validate(self, attrs: JsonObject) -> JsonObject:
        if bool(attrs.get("text") or attrs.get("file")) == bool(attrs.get("template")):
            raise serializers.ValidationError({"text": "give a text, a file or a template"})
        return attrs


class TakeoverInput(Input):
    """The takeover of a conversation."""

    insteadOf = ObjectIdInput(
        required=False, allow_null=True, help_text="The member who answers now, where somebody does."
    )


class Answerers(Output):
    """Members who may answer in a conversation."""

    members = Computed(MemberSnapshot(many=True))


class AssignInput(Input):
    """The assignment of a conversation."""

    assignee = ObjectIdInput(required=False, allow_null=True, default=None, help_text="null: anybody.")
    team = ObjectIdInput(required=False, allow_null=True, default=None, help_text="null: the team stays.")
    byRule = BooleanInput(
        default=False, help_text="Without an assignee: the team's rule for leads chooses one, where it chooses anybody."
    )


class SnoozeInput(Input):
    until = serializers.DateTimeField(allow_null=True, help_text="null: it rests no more.")


class NoteInput(Input):
    text = TextInput(max_length=4000)


class ReadInput(Input):
    isRead = BooleanInput(default=True, help_text="false: it is to be read again.")


class ContactInput(Input):
    """The contact of a conversation. A website's visitor without one is found by email or phone, or made."""

    contact = ObjectIdInput(
        required=False,
        allow_null=True,
        default=None,
        help_text="One with the conversation's address, or any for a visitor without a contact. null: it is found by"
        " the number, email or phone, or made.",
    )
    email = EmailInput(max_length=254, required=False, allow_blank=True, help_text="Of a visitor without a contact.")
    phone = PhoneInput(required=False, allow_blank=True, help_text="Of a visitor without a contact.")
    name = LineInput(
        max_length=200, required=False, allow_blank=True, help_text="Of a new contact; empty: the visitor's."
    )


class LeadInput(Input):
    lead = ObjectIdInput(
        required=False, allow_null=True, default=None, help_text="One of the contact. null: a new one is made."
    )


SHORTCUT = "What is typed behind a slash to get it, such as hours; unique in the company. Empty: none."


class ShortcutInput(LineInput):
    """The shortcut of a canned answer: letters, digits, hyphens, underscores."""

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data).removeprefix("/")
        if text and not re.fullmatch(r"[\w-]+", text):
            raise serializers.ValidationError("only letters, digits, hyphens and underscores")
        return text


class CannedInput(Input):
    """Words to answer with."""

    name = LineInput(max_length=100, help_text="unique in the company, whatever the case of its letters")
    shortcut = ShortcutInput(max_length=32, required=False, allow_blank=True, help_text=SHORTCUT)
    text = TextInput(max_length=TEXT_LENGTH)


class CannedChange(CannedInput):
    name = LineInput(max_length=100, required=False)
    text = TextInput(max_length=TEXT_LENGTH, required=False)


MINUTES = 60 * 24 * 90


class AnswerTimeChange(Input):
    """The response target of a team."""

    team = ObjectIdInput(required=False, allow_null=True, help_text="null: all teams that have no times of their own.")
    firstMinutes = IntegerInput(
        required=False, allow_null=True, min_value=1, max_value=MINUTES, help_text="Until the first answer."
    )
    nextMinutes = IntegerInput(
        required=False, allow_null=True, min_value=1, max_value=MINUTES, help_text="Until each later answer."
    )


class AnswerTimeDelete(SelectionInput):
    """Answer times to delete."""


class CannedDelete(SelectionInput):
    """Canned answers to delete."""


class CannedOut(Output):
    """Words to answer with."""

    _id = IdField()
    name = serializers.CharField()
    shortcut = serializers.CharField(help_text=SHORTCUT)
    text = serializers.CharField()
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class ConversationReference(Output):
    _id = IdField()
    name = serializers.CharField()


class AnswerTimeOut(Output):
    """The response target of a team; null: any time."""

    _id = IdField()
    team = ConversationReference(help_text="null: all teams that have no times of their own.")
    firstMinutes = serializers.IntegerField(allow_null=True, source="first_minutes")
    nextMinutes = serializers.IntegerField(allow_null=True, source="next_minutes")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class ConversationLead(Output):
    _id = IdField()
    status = serializers.CharField()
    stageName = serializers.CharField(source="stage.name", allow_null=True, help_text="Of its pipeline.")


class ConversationOut(Output):
    """A conversation."""

    reads = READS

    _id = IdField()
    channel = serializers.ChoiceField(choices=Conversation.Channel.values)
    state = serializers.ChoiceField(choices=Conversation.State.values)
    address = serializers.CharField(help_text="Who writes.")
    name = serializers.CharField()
    chatApp = ChatAppSnapshot(source="chat_app")
    contact = ContactSnapshot(help_text="null: a website's visitor whose email address and number nobody knows yet.")
    contactConfirmed = Computed(
        serializers.BooleanField(
            help_text="The contact certainly writes. false: a website's visitor named its address, and no member has"
            " confirmed it by POST /conversation/:id/contact; or there is no contact."
        )
    )
    lead = ConversationLead()
    team = ConversationReference()
    assignee = MemberSnapshot()
    chatbot = ConversationReference()
    subject = serializers.CharField(help_text="Of the last mail.")
    unread = serializers.IntegerField()
    lastText = serializers.CharField()
    lastInboundAt = serializers.DateTimeField(allow_null=True)
    lastMessageAt = serializers.DateTimeField(allow_null=True)
    opensUntil = Computed(
        serializers.DateTimeField(
            allow_null=True, help_text="Until when free words may be said by chat; null: not now, or at any time."
        )
    )
    canAnswer = Computed(serializers.BooleanField(help_text="Free words may be said now."))
    whyNot = Computed(serializers.CharField(help_text="Why free words may not be said; empty: they may."))
    takesFiles = Computed(serializers.BooleanField(help_text="An answer may be a file."))
    waits = Computed(serializers.CharField(help_text="Why an answer would not go at once; empty: it goes."))
    snoozedUntil = serializers.DateTimeField(allow_null=True)
    waitingSince = serializers.DateTimeField(
        allow_null=True, help_text="When the person wrote what nobody has answered yet."
    )
    answerDueAt = serializers.DateTimeField(allow_null=True, help_text="Until when a member is to answer.")
    overdueAt = serializers.DateTimeField(allow_null=True, help_text="When it was told that the answer is late.")
    queuedAt = serializers.DateTimeField(allow_null=True, help_text="Since when it waits for a member.")
    answeredAt = serializers.DateTimeField(allow_null=True)
    closedAt = serializers.DateTimeField(allow_null=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        is_proven = CHANNELS[row["channel"]].proves_writer or row["contact_confirmed"]
        is_confirmed = row["contact_id"] is not None and is_proven
        return {**data, "contactConfirmed": is_confirmed, **answer_conditions(row["channel"], row, timezone.now())}


STATES = ("", "queued", "sent", "delivered", "read", "failed", "unknown")
READ = ("read", "opened", "clicked")
FAILED = ("failed", "bounced", "rejected")


def state_of(status: str | None, delivery: str | None) -> str:
    """Return the progress of a message, from its status and the reported state of its delivery."""
    if status is None:
        return ""
    if status in (*SendJob.TO_SEND, SendJob.Status.SENDING):
        return "queued"
    if status == SendJob.Status.UNKNOWN:
        return "unknown"
    if status != SendJob.Status.SENT or delivery in FAILED:
        return "failed"
    if delivery in READ:
        return "read"
    return "delivered" if delivery == "delivered" else "sent"


class ConversationMessageOut(Output):
    """A message of a conversation, or a note."""

    reads = (
        *("send_job__status", "send_job__reason", "send_job__error", "send_job__delivery_status"),
        *("file__trashed_at", "file__is_deleted"),
    )
    conceals = ("fileUrl",)

    _id = IdField()
    direction = serializers.ChoiceField(choices=ConversationMessage.Direction.values)
    author = serializers.ChoiceField(choices=ConversationMessage.Author.values)
    member = MemberSnapshot()
    kind = serializers.CharField(help_text="text, template, image, document, …")
    text = serializers.CharField()
    media = serializers.DictField(allow_null=True)
    file = FileSnapshot(help_text="What was sent with it, once it is among the company's files.")
    fileUrl = Computed(
        serializers.CharField(help_text="Opens it without login, for seven days; empty where it is not there any more.")
    )
    fileState = serializers.CharField(
        source="file_error",
        help_text="Why a file of the person is not there: waits (it is fetched), large, chatbot (too large for it),"
        " type (may not be stored), gone, storage, vendor or failed (it cannot be taken in); empty otherwise.",
    )
    sendJob = IdField(source="send_job_id", allow_null=True)
    state = Computed(
        serializers.ChoiceField(
            choices=STATES, help_text="How far what is said has come; empty for what the person wrote, and for notes."
        )
    )
    status = Computed(serializers.CharField(allow_null=True, help_text="Of what is said: as messages have it."))
    deliveryStatus = Computed(serializers.CharField(allow_null=True, help_text="sent, delivered, read or failed."))
    sentence = Computed(serializers.CharField(help_text="Why it did not go, or waits; empty if it went."))
    happenedAt = serializers.DateTimeField()
    createdAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        reason = row["send_job__reason"]
        status = row["send_job__status"]
        delivery = row["send_job__delivery_status"]
        file, gone = data["file"], row["file__trashed_at"] or row["file__is_deleted"]
        return {
            **data,
            "fileUrl": open_link(file["_id"], file["name"]) if file and not gone else "",
            "state": state_of(status, delivery),
            "status": status,
            "deliveryStatus": delivery,
            "sentence": row["send_job__error"] or (sentence_of(reason) if reason else ""),
        }

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        waiting = [row["sendJob"] for row in rows if row["status"] in SendJob.TO_SEND]
        decisions = decisions_by_id(waiting) if waiting else {}
        for row in rows:
            decision = decisions.get(row["sendJob"] or "")
            if decision is not None and decision["state"] != "ready":
                row["sentence"] = decision["sentence"]
        return rows
