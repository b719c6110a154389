"""Bodies and answers of lead activities."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.types import JsonObject, Values
from crm.activities.models import LeadActivity
from crm.leads.serializers import LeadContact
from crm.leads.snapshots import CONTACT_READS, LEAD_READS, MEMBER_READS, LeadSnapshot, contact_of, lead_of
from crm.records.serializers import AutomationInput, member_of

MAX_NOTES = 20_000
DETAILS = (
    "What happened. created, deleted, restored: nothing. changed, status, assigned: field -> {from, to}; {added},"
    " {removed} or {to} for tags,\nproducts and fields with several values. imported (an import changed the contact):"
    " import, and changes like these. mail, call, meeting,\nfollow_up, merged: event (sent, created, invited …), the id"
    " of what it was (message, call, meeting, followUp, winner), and what is worth\nknowing of it."
)


class NoteCreate(AutomationInput):
    lead = ObjectIdInput(required=False, allow_null=True, help_text="lead id")
    contact = ObjectIdInput(required=False, allow_null=True, help_text="contact id, for a note that is on no lead")
    organization = ObjectIdInput(required=False, allow_null=True, help_text="organization id, for a note on one")
    notes = TextInput(max_length=MAX_NOTES)


class NotesUpdate(Input):
    notes = TextInput(max_length=MAX_NOTES, allow_blank=True)


class ActivityOut(Output):
    """An activity of a lead or its contact."""

    _id = IdField()
    kind = serializers.ChoiceField(choices=LeadActivity.Kind.choices)
    lead = Computed(LeadSnapshot(allow_null=True, help_text="null: it happened to the contact"))
    contact = Computed(LeadContact(allow_null=True, help_text="who the lead's contact was then"))
    member = Computed(MemberSnapshot(allow_null=True, help_text="who did it; null: the service"))
    details = serializers.DictField(help_text=DETAILS)
    notes = serializers.CharField()
    happenedAt = serializers.DateTimeField()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    # References are put together here: cheaper than parsing an object of each out of JSON.
    reads = (*LEAD_READS, *(f"contact{part}" for part in CONTACT_READS), *(f"member{part}" for part in MEMBER_READS))

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["lead"] = lead_of(row)
        data["contact"] = contact_of(row, "contact")
        data["member"] = member_of(row, "member")
        return data
