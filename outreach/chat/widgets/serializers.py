"""Bodies and answers of widgets, for members."""

from __future__ import annotations

import re
from typing import Any

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, IntegerInput, LineInput, ObjectIdInput, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.text.timezones import is_timezone
from core.types import JsonObject, Values
from outreach.chat.conversations.serializers import ConversationReference
from outreach.chat.widgets import origins
from outreach.chat.widgets.models import ChatWidget
from outreach.chat.widgets.public_serializers import PreChatOut
from outreach.chat.widgets.script import script_url, snippet
from outreach.chat.widgets.texts import KNOWN, TEXTS, TYPES

COLOR = re.compile(r"#[0-9a-f]{6}", re.IGNORECASE)
CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d|24:00")
KEY = re.compile(r"[a-z][A-Za-z0-9]{0,30}")


class Clock(LineInput):
    """A time of the day, such as 09:00."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not CLOCK.fullmatch(text):
            raise serializers.ValidationError("enter a time, such as 09:00", code="invalid")
        return text


class HoursDay(Input):
    """A span of a day."""

    day = IntegerInput(min_value=1, max_value=7, help_text="ISO weekday: 1 is Monday.")
    to = Clock(help_text="Up to 24:00.")

    def get_fields(self) -> Any:
        return {**super().get_fields(), "from": Clock()}

    def validate(self, attrs: JsonObject) -> JsonObject:
        if attrs["from"] >= attrs["to"]:
            raise serializers.ValidationError({"to": "enter an end after the start"})
        return attrs


class HoursInput(Input):
    """Hours in which a member is available."""

    timezone = LineInput(max_length=64, help_text="Such as Europe/Berlin.")
    days = serializers.ListField(child=HoursDay(), max_length=28, help_text="Empty: always.")

    def validate_timezone(self, value: str) -> str:
        if not is_timezone(value):
            raise serializers.ValidationError("choose a time zone, such as Europe/Berlin")
        return value


class PreChatField(Input):
    """A field that is asked before the chat begins."""

    key = LineInput(max_length=31, help_text="name, email and phone say who it is; others are noted.")
    label = LineInput(max_length=100, allow_blank=True, default="")  # type: ignore[assignment]
    type = serializers.ChoiceField(TYPES, default="text")
    required = BooleanInput(default=False)  # type: ignore[assignment]

    def validate(self, attrs: JsonObject) -> JsonObject:
        if not KEY.fullmatch(attrs["key"]):
            raise serializers.ValidationError({"key": "use letters and digits only, such as orderNumber"})
        attrs["type"] = KNOWN.get(attrs["key"], attrs["type"])
        if attrs["key"] not in KNOWN and not attrs.get("label"):
            raise serializers.ValidationError({"label": "enter a label"})
        return attrs


class TextsInput(ObjectInput):
    """Key of a text -> the text."""

    def to_internal_value(self, data: Any) -> dict[str, str]:
        texts = super().to_internal_value(data)
        for key, text in texts.items():
            if key not in TEXTS:
                raise serializers.ValidationError(
                    f"there is no text “{key[:40]}”; keep the names of the texts as they are"
                )
            if not isinstance(text, str) or len(text) > 300 or "\0" in text:
                raise serializers.ValidationError(f"{key}: must be text of at most 300 characters")
        return {key: text.strip() for key, text in texts.items() if text.strip()}


class WidgetChange(Input):
    """Any of a widget's values."""

    name = LineInput(max_length=200, required=False, help_text="unique in the company, whatever the case of letters")
    isActive = BooleanInput(required=False)
    allowedOrigins = serializers.ListField(
        child=TextInput(max_length=300),
        max_length=origins.MAX_ORIGINS,
        required=False,
        help_text="The websites that it works on, such as https://www.example.com. Empty: nowhere.",
    )
    color = LineInput(max_length=7, required=False, help_text="Such as #2f5bea.")
    position = serializers.ChoiceField(ChatWidget.Position.values, required=False)
    greeting = TextInput(max_length=500, allow_blank=True, required=False)
    texts = TextsInput(required=False, help_text=f"Own words, also in another language, for: {', '.join(TEXTS)}.")
    preChat = serializers.ListField(child=PreChatField(), max_length=10, required=False)
    chatbot = ObjectIdInput(
        required=False, allow_null=True, help_text="The chatbot that begins; null: members alone answer."
    )
    offlineForm = BooleanInput(required=False, help_text="Outside of its hours people leave a message.")
    businessHours = HoursInput(required=False, allow_null=True, help_text="null: always.")

    def validate_color(self, value: str) -> str:
        if not COLOR.fullmatch(value):
            raise serializers.ValidationError("enter a color, such as #2f5bea")
        return value.lower()

    def validate_preChat(self, value: list[JsonObject]) -> list[JsonObject]:
        keys = [question["key"] for question in value]
        if twice := {key for key in keys if keys.count(key) > 1}:
            raise serializers.ValidationError(f"{min(twice)} is there twice")
        return value


class WidgetCreate(WidgetChange):
    """A chat on a website."""

    name = LineInput(max_length=200, help_text="unique in the company, whatever the case of letters")


class WidgetDelete(SelectionInput):
    """Widgets to delete."""


class HoursOut(Output):
    timezone = serializers.CharField()
    days = serializers.ListField(child=serializers.DictField(), help_text="day (1 is Monday), from and to of each.")


class WidgetOut(Output):
    """A chat on a website."""

    _id = IdField()
    name = serializers.CharField()
    token = serializers.CharField(help_text="Of its address; it is no secret.")
    isActive = serializers.BooleanField()
    allowedOrigins = serializers.ListField(child=serializers.CharField())
    color = serializers.CharField()
    position = serializers.ChoiceField(ChatWidget.Position.values)
    greeting = serializers.CharField()
    texts = serializers.DictField(child=serializers.CharField(), help_text="Own words alone.")
    preChat = Computed(PreChatOut(many=True))
    chatbot = ConversationReference()
    offlineForm = serializers.BooleanField()
    businessHours = Computed(HoursOut(allow_null=True))
    scriptUrl = Computed(serializers.CharField())
    snippet = Computed(serializers.CharField(help_text="To put into the website's pages."))
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    reads = ("pre_chat", "business_hours")

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        script = {"scriptUrl": script_url(data["token"]), "snippet": snippet(data["token"])}
        return {**data, "preChat": row["pre_chat"], "businessHours": row["business_hours"] or None, **script}
