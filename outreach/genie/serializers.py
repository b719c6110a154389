"""Bodies and answers of outreach runs."""

from __future__ import annotations

from typing import Any

from django.utils.functional import lazy
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, IdList, Input, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from outreach.ai.services import ai_types
from outreach.genie.selectors import phase, results
from outreach.senders.serializers import SmtpSnapshot

PROMPT_LENGTH = 10_000


class Selectors(Input):
    """The five selectors of an audience, combined as a union."""

    contactIds = IdList(default=list, help_text="ids of contacts")
    leadIds = IdList(default=list, help_text="ids of leads")
    segments = IdList(default=None, allow_null=True, help_text="ids of segments")
    tags = IdList(default=None, allow_null=True, max_length=100, help_text="ids of tags")
    categories = IdList(default=None, allow_null=True, max_length=100, help_text="ids of contact categories")


def _ai_type_help() -> str:
    *others, last = ai_types()
    return f"{', '.join(others)} or {last}; left out: the company's default AI app."


class RunCreate(Selectors):
    """A run against an existing audience."""

    prompt = TextInput(
        default="",
        allow_blank=True,
        max_length=PROMPT_LENGTH,
        help_text="The goal in plain language; without it the run is planned from the company's profile.",
    )
    tone = TextInput(default="", allow_blank=True, max_length=100)
    aiType = TextInput(required=False, max_length=32, help_text=lazy(_ai_type_help, str)())
    enrichmentEnabled = BooleanInput(default=False)
    draft = BooleanInput(default=False, help_text="true: messages wait for approval.")
    smtp = ObjectIdInput(required=False, help_text="The sender; left out: the oldest that is active and tested.")
    name = TextInput(default="", allow_blank=True, max_length=200)
    automation = serializers.ChoiceField(
        choices=("run", "skip"), default="run", help_text="Whether workflows start on the event."
    )


class Retry(Input):
    """Which messages to try again."""

    unknown = BooleanInput(
        default=False, help_text="true: also those of which nobody knows whether they went; they may then arrive twice."
    )


class AudienceOut(Output):
    """An audience, judged."""

    count = Computed(serializers.IntegerField(help_text="Live contacts that the selectors select, each once."))
    sendable = Computed(serializers.IntegerField(help_text="Those that can be written to."))
    excluded = Computed(
        serializers.DictField(child=serializers.IntegerField(), help_text="Reason -> number of contacts.")
    )
    sample = Computed(
        serializers.ListField(
            child=serializers.DictField(), help_text="Up to 10 contacts, each with the decision for it."
        )
    )


class RunOut(Output):
    """A run."""

    _id = IdField()
    name = serializers.CharField()
    prompt = serializers.CharField()
    tone = serializers.CharField()
    aiType = serializers.CharField()
    type = serializers.CharField()
    draft = serializers.BooleanField()
    recurring = serializers.BooleanField()
    enrichmentEnabled = serializers.BooleanField()
    phase = Computed(
        serializers.ChoiceField(
            choices=("planning", "awaiting_approval", "sending", "completed", "cancelled", "failed")
        ),
        phase(),
    )
    status = serializers.CharField(help_text="Of the planning: queued, running, completed, failed or cancelled.")
    total = serializers.IntegerField(allow_null=True, help_text="Recipients; null until they are counted.")
    processed = serializers.IntegerField(help_text="Recipients planned so far.")
    sent = Computed(serializers.IntegerField(help_text="Messages that have gone."))
    answered = Computed(serializers.IntegerField(help_text="Recipients who have replied since."))
    error = serializers.CharField(help_text="Why the planning failed.")
    smtp = SmtpSnapshot()
    bulkJob = IdField(
        source="message_job_id",
        allow_null=True,
        help_text="The last bulk job that changes its messages, with its progress (GET /bulk-job/:id).",
    )
    cancelledAt = serializers.DateTimeField(allow_null=True)
    startedAt = serializers.DateTimeField(allow_null=True)
    finishedAt = serializers.DateTimeField(allow_null=True, help_text="Of the planning.")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def complete(cls, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        found = results(row["_id"] for row in rows)
        return [{**row, **found.get(row["_id"], {"sent": 0, "answered": 0})} for row in rows]


class RunDetail(RunOut):
    """A run with its messages counted."""

    audience = serializers.DictField(help_text="The five selectors.")
    counts = Computed(
        serializers.DictField(child=serializers.IntegerField(), help_text="Status -> number of messages.")
    )
    percent = Computed(serializers.FloatField(help_text="Recipients whose message has come to an end, of all."))
    nextDueAt = Computed(serializers.DateTimeField(allow_null=True))
    reasons = Computed(
        serializers.ListField(
            child=serializers.DictField(), help_text="The commonest (status, reason) with sentence and count."
        )
    )


class RunCancelled(RunOut):
    """A run after its cancellation."""

    cancelledCount = Computed(
        serializers.IntegerField(
            allow_null=True, help_text="Messages that will not go; null while a job counts and cancels them."
        )
    )
