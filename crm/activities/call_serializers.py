"""Bodies and answers of call logs."""

from __future__ import annotations

from django.core.validators import URLValidator
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, IntegerInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from crm.activities.models import CallLog
from crm.activities.serializers import MAX_NOTES
from crm.leads.serializers import LeadContact
from crm.leads.snapshots import CONTACT_READS, LEAD_READS, MEMBER_READS, LeadSnapshot, contact_of, lead_of
from crm.records.serializers import SKIP, AutomationInput, BulkError, BulkFailure, member_of

MOMENT = "such as 2026-03-09T14:30:00+01:00; without an offset it is what the clocks of the company's time zone show"


class CallValues(Input):
    """A call; all fields are optional as long as the other party is clear."""

    lead = ObjectIdInput(required=False, allow_null=True, help_text="lead id; the call is then with its contact too")
    contact = ObjectIdInput(required=False, allow_null=True, help_text="contact id")
    number = TextInput(
        max_length=40,
        required=False,
        allow_null=True,
        allow_blank=True,
        help_text="the other side's; by it the contact is found where neither lead nor contact is named. Without it,"
        " the contact's own",
    )
    countryCode = TextInput(
        max_length=10, required=False, allow_null=True, help_text="dial prefix of a national number, such as +49"
    )
    member = ObjectIdInput(
        required=False, allow_null=True, help_text="member id, of who had the call; a new one is the caller's"
    )
    direction = serializers.ChoiceField(
        choices=CallLog.Direction.choices, required=False, help_text="outbound unless given"
    )
    outcome = serializers.ChoiceField(
        choices=CallLog.Outcome.choices, required=False, help_text="connected unless given"
    )
    startedAt = TextInput(max_length=40, required=False, help_text=f"{MOMENT}; now unless given")
    duration = IntegerInput(min_value=0, required=False, source="duration_seconds", help_text="seconds")
    notes = TextInput(max_length=MAX_NOTES, allow_blank=True, required=False)
    recording = TextInput(
        max_length=1000,
        allow_blank=True,
        required=False,
        validators=[URLValidator(schemes=["http", "https"])],
        help_text="address of the recording",
    )


class CallWrite(AutomationInput, CallValues):
    """A call, to create or to change."""


class CallBulkCreate(AutomationInput):
    formData = serializers.ListField(
        child=serializers.JSONField(), default=list, help_text="up to 500 objects, each as the body of POST /calllog"
    )
    skipInvalid = BooleanInput(default=None, allow_null=True, help_text=SKIP)


class CallDelete(SelectionInput, AutomationInput):
    """Call logs to delete."""


class CallOut(Output):
    """A telephone call with a lead or contact."""

    _id = IdField()
    lead = Computed(LeadSnapshot(allow_null=True))
    contact = Computed(LeadContact(allow_null=True))
    member = Computed(MemberSnapshot(allow_null=True, help_text="who had the call"))
    direction = serializers.ChoiceField(choices=CallLog.Direction.choices)
    outcome = serializers.ChoiceField(choices=CallLog.Outcome.choices)
    number = serializers.CharField(help_text="E.164, or empty")
    startedAt = serializers.DateTimeField()
    duration = serializers.IntegerField(source="duration_seconds", help_text="seconds")
    notes = serializers.CharField()
    recording = serializers.CharField(help_text="address, or empty")
    createdBy = Computed(MemberSnapshot(allow_null=True))
    updatedBy = Computed(MemberSnapshot(allow_null=True))
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    # References are put together here: cheaper than parsing an object of each out of JSON.
    reads = (
        *LEAD_READS,
        *(f"contact{part}" for part in CONTACT_READS),
        *(f"{member}{part}" for member in ("member", "created_by", "updated_by") for part in MEMBER_READS),
    )

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["lead"] = lead_of(row)
        data["contact"] = contact_of(row, "contact")
        data["member"] = member_of(row, "member")
        data["createdBy"] = member_of(row, "created_by")
        data["updatedBy"] = member_of(row, "updated_by")
        return data


class CallBulkOut(Output):
    """The results of the items."""

    created = Computed(serializers.ListField(child=CallOut()))
    failed = Computed(serializers.ListField(child=BulkFailure()))
    errors = Computed(serializers.ListField(child=BulkError()))  # type: ignore[assignment]
