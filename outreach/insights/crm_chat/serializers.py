"""Bodies and answers of the assistant."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from core.api.input import Input, LineInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.tenancy import company_id
from core.types import JsonObject, Values
from outreach.insights.crm_chat.catalogue import TABLES
from outreach.insights.crm_chat.models import MAX_QUESTION, CrmChatMessage

AI_TYPE = "The type of the AI app, such as ai-a; by default that of the company's default app."
QUESTION = "In plain words, such as: How many leads were won last month?"


class ThreadCreate(Input):
    """A conversation, with its first question if there is one."""

    title = LineInput(max_length=200, required=False, help_text="By default the first words of the question.")
    question = TextInput(max_length=MAX_QUESTION, required=False, help_text=QUESTION)
    aiType = LineInput(max_length=32, required=False, help_text=AI_TYPE)


class AssistantQuestionInput(Input):
    """A question."""

    question = TextInput(max_length=MAX_QUESTION, help_text=QUESTION)
    aiType = LineInput(max_length=32, required=False, help_text=AI_TYPE)


class AgentQuestion(AssistantQuestionInput):
    """A question of a program."""

    thread = ObjectIdInput(required=False, help_text="The conversation that it goes on with; by default a new one.")


class ThreadDelete(SelectionInput):
    """Conversations to delete."""


class GroupRead(Output):
    """The number of records with a value."""

    value = Computed(serializers.CharField(help_text="Empty: those without one."))
    count = Computed(serializers.IntegerField())
    sum = Computed(serializers.FloatField(required=False, help_text="What they amount to, where they amount to any."))


class RecordSeen(Output):
    """A record that was seen."""

    _id = IdField()
    name = Computed(serializers.CharField())
    page = Computed(serializers.CharField(help_text="Its page; empty: it has none."))


class QueryRead(Output):
    """The query parameters of the list."""

    searchValue = Computed(serializers.CharField())
    advancedFilters = Computed(serializers.DictField(allow_null=True))
    sortBy = Computed(serializers.CharField())
    sortOrder = Computed(serializers.CharField())
    groupBy = Computed(serializers.CharField())


class ListRead(Output):
    """A list that was read for an answer."""

    list = Computed(serializers.ChoiceField(choices=[*TABLES], help_text="Its path in the API."))
    title = Computed(serializers.CharField())
    words = Computed(serializers.CharField(help_text="What was read, in words."))
    query = Computed(QueryRead())
    total = Computed(serializers.IntegerField(allow_null=True, help_text="How many match; null: it was refused."))
    totalIsCapped = Computed(serializers.BooleanField(help_text="There are more than that."))
    groups = Computed(serializers.ListField(child=GroupRead()))
    records = Computed(serializers.ListField(child=RecordSeen()))
    page = Computed(serializers.CharField(help_text="The page with the same filters; empty: it has none."))
    error = Computed(serializers.CharField(help_text="Why it could not be read; empty: it was."))


class AssistantMessageOut(Output):
    """A question, and its answer."""

    reads = ("thread_id",)

    _id = IdField()
    thread = IdField(source="thread_id")
    question = serializers.CharField()
    status = serializers.ChoiceField(
        CrmChatMessage.Status.values,
        help_text="queued, running, then completed or failed: ask again by GET until then.",
    )
    answer = serializers.CharField(help_text="Plain words; empty until it is there.")
    evidence = Computed(serializers.ListField(child=ListRead()))
    unproved = serializers.ListField(
        child=serializers.CharField(), help_text="Figures of the answer that stand in nothing that was read."
    )
    aiType = serializers.CharField(source="ai_type")
    error = serializers.CharField(help_text="Why there is no answer, for people.")
    errorName = serializers.CharField(help_text="The name of that error, such as AIUsageLimitReached_429.")
    tokensIn = serializers.IntegerField()
    tokensOut = serializers.IntegerField()
    finishedAt = serializers.DateTimeField(allow_null=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def columns(cls) -> Any:
        return {**super().columns(), "evidence": "evidence"}

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        place = f"/c/{company_id()}/"
        return {**data, "evidence": [_with_links(entry, place) for entry in data["evidence"]]}


def _with_links(entry: Values, place: str) -> JsonObject:
    table = TABLES.get(entry["list"])
    below = (table.records or table.page) if table else ""
    records = [
        {**record, "page": f"{place}{below}/{record['_id']}" if below else ""} for record in entry.get("records", ())
    ]
    return {**entry, "page": place + entry["page"] if entry["page"] else "", "records": records}


class ThreadOut(Output):
    """A conversation with the assistant."""

    _id = IdField()
    title = serializers.CharField()
    lastMessageAt = serializers.DateTimeField()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class ThreadWithMessages(ThreadOut):
    """A conversation with its last questions, the oldest first."""

    messages = Computed(serializers.ListField(child=AssistantMessageOut()))
