"""Bodies and answers of follow-ups."""

from __future__ import annotations

from django.utils import timezone
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import IntegerInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.types import JsonObject, Values
from crm.activities.models import FollowUp
from crm.activities.reminders import MAX_MINUTES
from crm.leads.snapshots import LEAD_READS, MEMBER_READS, LeadSnapshot, lead_of
from crm.records.serializers import AutomationInput, member_of

DUE = "such as 2026-03-09T14:30:00+01:00; without an offset it is what the clocks of the company's time zone show"
REMIND = "how long before it is due the assignee gets a mail; null: none"


class FollowUpUpdate(AutomationInput):
    title = TextInput(max_length=300, required=False)
    notes = TextInput(max_length=20_000, allow_blank=True, required=False)
    dueAt = TextInput(max_length=40, required=False, help_text=DUE)
    assignee = ObjectIdInput(required=False, allow_null=True, help_text="member id; null: nobody")
    remindMinutes = IntegerInput(min_value=0, max_value=MAX_MINUTES, required=False, allow_null=True, help_text=REMIND)
    status = serializers.ChoiceField(choices=FollowUp.Status.choices, required=False)


class FollowUpCreate(FollowUpUpdate):
    lead = ObjectIdInput(help_text="lead id")
    title = TextInput(max_length=300)
    dueAt = TextInput(max_length=40, help_text=DUE)
    assignee = ObjectIdInput(
        required=False,
        allow_null=True,
        help_text="member id; without one it is the lead's member, or else who makes it; null: nobody",
    )


class FollowUpOut(Output):
    """A follow-up of a lead."""

    moving = frozenset({"overdue", "remindedAt"})

    _id = IdField()
    lead = Computed(LeadSnapshot())
    title = serializers.CharField()
    notes = serializers.CharField()
    dueAt = serializers.DateTimeField()
    status = serializers.ChoiceField(choices=FollowUp.Status.choices)
    overdue = Computed(serializers.BooleanField(help_text="open, and due before now"))
    doneAt = serializers.DateTimeField(allow_null=True)
    assignee = Computed(MemberSnapshot(allow_null=True))
    remindMinutes = serializers.IntegerField(allow_null=True, help_text=REMIND)
    remindedAt = serializers.DateTimeField(allow_null=True, help_text="when the mail was written")
    createdBy = Computed(MemberSnapshot(allow_null=True))
    updatedBy = Computed(MemberSnapshot(allow_null=True))
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    # References are put together here: cheaper than parsing an object of each out of JSON.
    reads = (
        *LEAD_READS,
        *(f"{member}{part}" for member in ("assignee", "created_by", "updated_by") for part in MEMBER_READS),
    )

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["lead"] = lead_of(row)
        data["overdue"] = data["status"] == FollowUp.Status.OPEN and data["dueAt"] < timezone.now()
        data["assignee"] = member_of(row, "assignee")
        data["createdBy"] = member_of(row, "created_by")
        data["updatedBy"] = member_of(row, "updated_by")
        return data
