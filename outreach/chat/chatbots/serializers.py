"""Bodies and answers of manual chatbots (contract section 2, ManualChatbot)."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, IntegerInput, NumberInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from outreach.chat.chatbots.engine import RULES
from outreach.chat.chatbots.models import ManualChatbot
from outreach.chat.chatbots.problems import problems_of

MAX_TEXTS = 100
MAX_KEYWORDS = 200
MAX_RULES = 20
MAX_MESSAGES = 50


class Named(Input):
    """A part of a chatbot, whose keys stay as the contract writes them."""

    def to_internal_value(self, data: Any) -> JsonObject:
        values = super().to_internal_value(data)
        sources = {field.source: name for name, field in self.fields.items()}
        return {sources.get(key, key): value for key, value in values.items()}


class TextPart(Named):
    text = TextInput(max_length=4096)
    order = IntegerInput(default=0)


class KeywordPart(Named):
    keyword = TextInput(max_length=100)
    weight = NumberInput(default=0, min_value=0, max_value=1_000_000)
    rank = NumberInput(default=0, min_value=-1_000_000, max_value=1_000_000)


class RulePart(Named):
    type = serializers.ChoiceField(choices=RULES)
    enabled = BooleanInput(default=True)
    text = TextInput(default="", allow_blank=True, max_length=500)
    messageCount = IntegerInput(default=0, min_value=0, max_value=10_000, help_text="0 counts as 1.")
    minutes = IntegerInput(default=0, min_value=0, max_value=525_600, help_text="0 counts as 1.")

    def validate(self, attrs: JsonObject) -> JsonObject:
        if attrs["type"] == "contains_text" and attrs.get("enabled", True) and not attrs.get("text"):
            raise serializers.ValidationError({"text": "enter a text"})
        return attrs


class HandoverPart(Named):
    mode = serializers.ChoiceField(choices=("any", "all"), required=False)
    rules = serializers.ListField(child=RulePart(), max_length=MAX_RULES, required=False)


class RoutingPart(Named):
    label = TextInput(allow_blank=True, max_length=100, required=False)  # type: ignore[assignment]
    allowLeave = BooleanInput(required=False)
    allowEnter = BooleanInput(required=False)


class AttachmentsPart(Named):
    custom = BooleanInput(required=False, help_text="It has a limit of its own, otherwise that of the settings.")
    maxFileSizeMb = IntegerInput(min_value=1, max_value=100, required=False)


class ChatbotUpdate(Input):
    """Any of a chatbot's values. handover, routing and attachments are merged key by key."""

    name = TextInput(max_length=200, required=False)
    description = TextInput(max_length=2000, allow_blank=True, required=False)
    kind = serializers.ChoiceField(choices=ManualChatbot.Kind.values, required=False)
    conversations = serializers.ListField(
        child=TextPart(), max_length=MAX_TEXTS, required=False, help_text="What it says, a text after each message."
    )
    keywords = serializers.ListField(
        child=KeywordPart(),
        max_length=MAX_KEYWORDS,
        required=False,
        help_text="What brings people to it: the most weight wins (0 counts as 1), then the lowest rank.",
    )
    handover = HandoverPart(required=False, help_text="When people go on: any rule, or all of them.")
    routing = RoutingPart(required=False)
    attachments = AttachmentsPart(required=False)


class ChatbotChange(ChatbotUpdate):
    """Any of a chatbot's values. handover, routing and attachments are merged key by key."""

    status = serializers.ChoiceField(
        choices=ManualChatbot.Status.values,
        required=False,
        help_text="published: publish it with the change; paused: pause it.",
    )
    unchangedSince = TextInput(
        max_length=40, required=False, help_text="updatedAt as it was read: refused if somebody has changed it since."
    )


class ChatbotCreate(ChatbotUpdate):
    """A new chatbot. Defaults for missing values come from PUT /settings (manualChatbot)."""

    name = TextInput(max_length=200)


class ChatbotDelete(SelectionInput):
    """Chatbots to delete."""


class TestMessage(Input):
    text = TextInput(max_length=4096, allow_blank=True, default="")
    minute = IntegerInput(default=0, min_value=0, max_value=525_600, help_text="How many minutes from now.")
    fileMb = NumberInput(
        required=False, allow_null=True, min_value=0, help_text="The size of a file that goes with it."
    )


class TestInput(Input):
    """A person's messages, one after the other."""

    messages = serializers.ListField(child=TestMessage(), max_length=MAX_MESSAGES, allow_empty=False)
    draft = BooleanInput(default=True, help_text="As it is written now; false: as it was published.")


class TestWordsInput(ChatbotUpdate):
    """Test messages for the unsaved chatbot in the request body."""

    chatbotId = ObjectIdInput(
        required=False, allow_null=True, help_text="Whose values stay where the body leaves them out."
    )
    messages = serializers.ListField(child=TestMessage(), max_length=MAX_MESSAGES, allow_empty=False)


class ChatbotProblem(Output):
    """A problem of the unpublished chatbot."""

    path = Computed(serializers.CharField(help_text="Where: conversations, keywords.2, handover.rules.0 …"))
    code = Computed(serializers.CharField())
    severity = Computed(serializers.ChoiceField(choices=("error", "warning"), help_text="No error is published."))
    message = Computed(serializers.CharField())


class ChatbotOut(Output):
    """A manual chatbot."""

    _id = IdField()
    name = serializers.CharField()
    normalizedName = serializers.CharField()
    activeName = serializers.CharField(help_text="Its name when it was published.")
    description = serializers.CharField()
    kind = serializers.ChoiceField(choices=ManualChatbot.Kind.values)
    company = IdField(source="company_id")
    status = serializers.ChoiceField(choices=ManualChatbot.Status.values)
    publishedVersion = serializers.IntegerField(help_text="0: it was never published.")
    latestVersion = serializers.IntegerField()
    publishedSnapshot = serializers.DictField(allow_null=True, help_text="What it says to people.")
    publishedAt = serializers.DateTimeField(allow_null=True)
    conversations = serializers.ListField(child=serializers.DictField(), help_text="text and order of each.")
    keywords = serializers.ListField(child=serializers.DictField(), help_text="keyword, weight and rank of each.")
    handover = serializers.DictField(help_text="mode, and rules: type, enabled, text, messageCount, minutes of each.")
    routing = serializers.DictField(help_text="label, allowLeave, allowEnter.")
    attachments = serializers.DictField(help_text="custom, maxFileSizeMb.")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()
    problems = Computed(ChatbotProblem(many=True))

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "problems": problems_of(data)}


class TestStep(Output):
    """The reaction to a message."""

    text = Computed(serializers.CharField(help_text="What was written."))
    chatbot = Computed(IdField(allow_null=True, help_text="Who answers; null: nobody, so that people see it."))
    name = Computed(serializers.CharField())
    answers = Computed(serializers.ListField(child=serializers.CharField()))
    handOver = Computed(serializers.CharField(help_text="Why people go on; empty: they do not."))
    conversation = Computed(
        serializers.IntegerField(allow_null=True, help_text="Which of its texts it said, in their order, from 0.")
    )
    rules = Computed(
        serializers.ListField(child=serializers.IntegerField(), help_text="Which of its rules have come true, from 0.")
    )


class TestOut(Output):
    """A conversation that nobody has had."""

    steps = Computed(TestStep(many=True))
    handedOver = Computed(serializers.BooleanField())
