"""Bodies and answers of conversations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, LineInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from outreach.chat_apps.serializers import ChatAppSnapshot
from outreach.conversations.channels import CHANNELS
from outreach.conversations.models import Conversation, ConversationMessage
from outreach.conversations.saying import TEXT_LENGTH
from outreach.delivery.reasons import sentence_of
from outreach.delivery.serializers import ContactSnapshot


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
    """What to say: a text, or a template."""

    text = TextInput(required=False, max_length=TEXT_LENGTH, help_text="Within 24 hours of the person's last message.")
    template = ObjectIdInput(required=False, allow_null=True, help_text="An approved template, at any time.")
    values = ValuesInput(required=False, help_text="Variable -> its value, instead of the contact's.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs.get("text")) == bool(attrs.get("template")):
            raise serializers.ValidationError({"text": "give a text or a template"})
        return attrs


class TakeoverInput(Input):
    """Who answers now."""

    insteadOf = ObjectIdInput(
        required=False, allow_null=True, help_text="The member who answers now, where somebody does."
    )


class AssignInput(Input):
    """Whose it is."""

    assignee = ObjectIdInput(required=False, allow_null=True, default=None, help_text="null: anybody.")
    team = ObjectIdInput(required=False, allow_null=True, default=None, help_text="null: the team stays.")


class SnoozeInput(Input):
    until = serializers.DateTimeField(allow_null=True, help_text="null: it rests no more.")


class NoteInput(Input):
    text = TextInput(max_length=4000)


class ReadInput(Input):
    isRead = BooleanInput(default=True)


class CannedInput(Input):
    """Words to answer with."""

    name = LineInput(max_length=100, help_text="unique in the company, whatever the case of its letters")
    text = TextInput(max_length=TEXT_LENGTH)


class CannedChange(CannedInput):
    name = LineInput(max_length=100, required=False)
    text = TextInput(max_length=TEXT_LENGTH, required=False)


class CannedDelete(SelectionInput):
    """Which canned answers to delete."""


class CannedOut(Output):
    """Words to answer with."""

    _id = IdField()
    name = serializers.CharField()
    text = serializers.CharField()
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class ConversationReference(Output):
    _id = IdField()
    name = serializers.CharField()


class ConversationLead(Output):
    _id = IdField()
    status = serializers.CharField()


class ConversationOut(Output):
    """A conversation."""

    _id = IdField()
    channel = serializers.ChoiceField(choices=Conversation.Channel.values)
    state = serializers.ChoiceField(choices=Conversation.State.values)
    address = serializers.CharField(help_text="Who writes.")
    name = serializers.CharField()
    chatApp = ChatAppSnapshot(source="chat_app")
    contact = ContactSnapshot()
    lead = ConversationLead()
    team = ConversationReference()
    assignee = MemberSnapshot()
    chatbot = ConversationReference()
    unread = serializers.IntegerField()
    lastText = serializers.CharField()
    lastInboundAt = serializers.DateTimeField(allow_null=True)
    lastMessageAt = serializers.DateTimeField(allow_null=True)
    opensUntil = Computed(
        serializers.DateTimeField(allow_null=True, help_text="Until when free words may be said; null: not now.")
    )
    snoozedUntil = serializers.DateTimeField(allow_null=True)
    queuedAt = serializers.DateTimeField(allow_null=True, help_text="Since when it waits for a member.")
    answeredAt = serializers.DateTimeField(allow_null=True)
    closedAt = serializers.DateTimeField(allow_null=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: dict[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
        until = row["last_inbound_at"] and row["last_inbound_at"] + CHANNELS[data["channel"]].window
        return {**data, "opensUntil": until if until and until > timezone.now() else None}


class ConversationMessageOut(Output):
    """A message of a conversation, or a note."""

    reads = ("send_job__status", "send_job__reason", "send_job__error", "send_job__delivery_status")

    _id = IdField()
    direction = serializers.ChoiceField(choices=ConversationMessage.Direction.values)
    author = serializers.ChoiceField(choices=ConversationMessage.Author.values)
    member = MemberSnapshot()
    kind = serializers.CharField(help_text="text, template, image, document, …")
    text = serializers.CharField()
    media = serializers.DictField(allow_null=True)
    sendJob = IdField(source="send_job_id", allow_null=True)
    status = Computed(serializers.CharField(allow_null=True, help_text="Of what is said: as messages have it."))
    deliveryStatus = Computed(serializers.CharField(allow_null=True, help_text="sent, delivered, read or failed."))
    sentence = Computed(serializers.CharField(help_text="Why it did not go; empty if it did."))
    happenedAt = serializers.DateTimeField()
    createdAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: dict[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
        reason = row["send_job__reason"]
        told = {
            "status": row["send_job__status"],
            "deliveryStatus": row["send_job__delivery_status"],
            "sentence": row["send_job__error"] or (sentence_of(reason) if reason else ""),
        }
        return {**data, **told}
