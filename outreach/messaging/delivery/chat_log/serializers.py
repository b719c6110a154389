"""The log of messages by chat (contract 4.6, ChatAppMessage)."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.output import Computed, IdField, Output
from core.types import JsonObject, Values
from outreach.connections.chat_apps.serializers import ChatAppSnapshot
from outreach.messaging.delivery.serializers import ContactSnapshot, RunSnapshot

TIMES = ("sent", "delivered", "read", "failed")
"""Delivery events reported by the vendor; the log shows the time of the first."""


class SentTemplate(Output):
    """The template of a message."""

    _id = IdField()
    name = serializers.CharField()
    language = serializers.CharField()
    category = serializers.CharField()


class ChatAppMessageOut(Output):
    """A message given, or possibly given, to the chat vendor, with its reported events."""

    reads = ("delivery", "chat", "error")

    _id = IdField()
    app = ChatAppSnapshot(source="chat_app")
    template = SentTemplate(source="chat_template")
    conversation = IdField(source="conversation_id", allow_null=True)
    direction = Computed(serializers.ChoiceField(choices=("out",)))
    waId = Computed(serializers.CharField(help_text="Whom it went to, as the vendor writes numbers."))
    recipient = serializers.CharField(help_text="The same as E.164.")
    wamid = serializers.CharField(source="provider_message_id", help_text="What the vendor calls it.")
    kind = Computed(serializers.CharField(help_text="text, template, …"))
    text = serializers.CharField()
    components = Computed(
        serializers.ListField(child=serializers.DictField(), help_text="Of a template, with the values that it had.")
    )
    status = serializers.CharField(help_text="sending, sent, failed or unknown.")
    reason = serializers.CharField()
    deliveryStatus = serializers.CharField(help_text="sent, delivered, read or failed.")
    deliveredAt = Computed(serializers.DateTimeField(allow_null=True))
    readAt = Computed(serializers.DateTimeField(allow_null=True))
    pricingCategory = Computed(serializers.CharField())
    error = Computed(serializers.CharField())
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
        delivery, chat = row["delivery"], row["chat"] or {}
        return {
            **data,
            "direction": "out",
            "waId": data["recipient"].removeprefix("+"),
            "kind": chat.get("type", ""),
            "components": chat.get("template", {}).get("components", []),
            "deliveredAt": delivery.get("delivered"),
            "readAt": delivery.get("read"),
            "pricingCategory": chat.get("pricingCategory", ""),
            "error": row["error"],
        }
