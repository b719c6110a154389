"""Bodies and answers of meetings."""

from __future__ import annotations

from datetime import datetime

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, IntegerInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.fields import JSONField
from core.text.timezones import zone_of
from core.types import JsonObject, Values
from crm.activities.reminders import MAX_MINUTES
from crm.leads.serializers import LeadContact
from crm.leads.snapshots import CONTACT_READS, LEAD_READS, MEMBER_READS, LeadSnapshot, contact_of, lead_of
from crm.meetings.attendees import MAX_ATTENDEES
from crm.meetings.models import Meeting, MeetingAttendee
from crm.meetings.services import MAX_DURATION
from crm.records.serializers import AutomationInput, member_of

START = (
    "such as 2026-03-09T14:30:00+01:00; without an offset it is what the clocks of `timezone` show (the first time of"
    " two)"
)
END = f"written like startsAt; at most {MAX_DURATION.days} days after it. Give it, or durationMinutes"
REMIND = "how long before it begins the organizer and the members among the attendees get a mail; null: none"
RESULT = "whether it took place: held or noShow, once it has begun; empty: nobody has marked it"
ATTENDEES = f"at most {MAX_ATTENDEES}, each address once; the organizer comes anyway"


class AttendeeInput(Input):
    """Somebody to be asked: a member, or a contact, or an address."""

    named_by = ("member", "contact")

    member = ObjectIdInput(required=False, help_text="member id")
    contact = ObjectIdInput(required=False, help_text="id of a contact that has an email address")
    email = TextInput(required=False, max_length=254)
    name = TextInput(required=False, max_length=300, allow_blank=True, help_text="beside an email")


class MeetingUpdate(AutomationInput):
    together = ("startsAt", "endsAt", "timezone")

    title = TextInput(max_length=300, required=False)
    description = TextInput(max_length=20_000, allow_blank=True, required=False)
    lead = ObjectIdInput(required=False, allow_null=True, help_text="lead id")
    contact = ObjectIdInput(
        required=False, allow_null=True, help_text="contact id: whom it is about, who need not be asked to it"
    )
    startsAt = TextInput(max_length=40, required=False, help_text=START)
    endsAt = TextInput(max_length=40, required=False, help_text=END)
    durationMinutes = IntegerInput(required=False, min_value=1, max_value=int(MAX_DURATION.total_seconds() // 60))
    timezone = TextInput(max_length=64, required=False, help_text="IANA name, such as Europe/Berlin")
    place = TextInput(max_length=500, allow_blank=True, required=False)
    link = serializers.URLField(max_length=1000, allow_blank=True, required=False, help_text="address of a video call")
    kind = serializers.ChoiceField(
        choices=Meeting.Kind.choices, required=False, help_text="online with link or videoProvider, unless it is given"
    )
    videoProvider = TextInput(
        max_length=24, allow_blank=True, required=False, help_text="what makes the link, instead of `link`; empty: none"
    )
    remindMinutes = IntegerInput(min_value=0, max_value=MAX_MINUTES, required=False, allow_null=True, help_text=REMIND)
    result = serializers.ChoiceField(choices=Meeting.Result.choices, allow_blank=True, required=False, help_text=RESULT)
    attendees = serializers.ListField(
        child=AttendeeInput(), max_length=MAX_ATTENDEES, required=False, help_text=ATTENDEES
    )


class MeetingCreate(MeetingUpdate):
    title = TextInput(max_length=300)
    startsAt = TextInput(max_length=40, help_text=START)
    timezone = TextInput(
        max_length=64, required=False, help_text="IANA name, such as Europe/Berlin; the company's without one"
    )
    organizer = ObjectIdInput(
        required=False,
        help_text="member id; without one it is who makes the meeting, or an owner where that member has left",
    )


class MeetingCancel(SelectionInput, AutomationInput):
    """Meetings to cancel."""


class AttendeeOut(Output):
    """Somebody who is asked to a meeting."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.EmailField()
    member = IdField(allow_null=True, help_text="member id, of a member")
    contact = IdField(allow_null=True, help_text="contact id, of a contact")
    answer = serializers.CharField(help_text="what their calendar answered: accepted, declined, tentative, or empty")


class MeetingOut(Output):
    """An appointment."""

    moving = frozenset({"remindedAt"})

    _id = IdField()
    title = serializers.CharField()
    description = serializers.CharField()
    lead = Computed(LeadSnapshot(allow_null=True))
    contact = Computed(LeadContact(allow_null=True))
    organizer = Computed(MemberSnapshot())
    attendees = Computed(serializers.ListField(child=AttendeeOut()))
    startsAt = serializers.DateTimeField()
    endsAt = serializers.DateTimeField()
    durationMinutes = Computed(serializers.IntegerField(help_text="begun ones counted in full"))
    timezone = serializers.CharField()
    startsAtLocal = Computed(
        serializers.DateTimeField(help_text="startsAt on the clocks of `timezone`, with their offset")
    )
    endsAtLocal = Computed(serializers.DateTimeField(help_text="endsAt in the same way"))
    place = serializers.CharField()
    link = serializers.CharField()
    kind = serializers.ChoiceField(choices=Meeting.Kind.choices)
    videoProvider = serializers.CharField(help_text="what makes the link, if it is made")
    videoError = serializers.CharField(help_text="why there is no link yet; it is tried again")
    status = serializers.ChoiceField(choices=Meeting.Status.choices)
    result = serializers.CharField(help_text=RESULT)
    remindMinutes = serializers.IntegerField(allow_null=True, help_text=REMIND)
    remindedAt = serializers.DateTimeField(allow_null=True, help_text="when the mails were written")
    sequence = serializers.IntegerField(help_text="of the iCalendar file: counts the changes that people were told of")
    createdBy = Computed(MemberSnapshot(allow_null=True))
    updatedBy = Computed(MemberSnapshot(allow_null=True))
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    # References are put together here: cheaper than parsing an object of each out of JSON.
    reads = (
        *LEAD_READS,
        *(f"contact{part}" for part in CONTACT_READS),
        *(f"{member}{part}" for member in ("organizer", "created_by", "updated_by") for part in MEMBER_READS),
    )

    @classmethod
    def columns(cls) -> JsonObject:
        return {**super().columns(), "attendees": _attendees()}

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["lead"] = lead_of(row)
        data["contact"] = contact_of(row, "contact")
        data["organizer"] = member_of(row, "organizer")
        data["attendees"] = data["attendees"] or []
        seconds = (data["endsAt"] - data["startsAt"]).total_seconds()
        data["durationMinutes"] = int(-(-seconds // 60))
        data["startsAtLocal"] = _on_clock(data["startsAt"], data["timezone"])
        data["endsAtLocal"] = _on_clock(data["endsAt"], data["timezone"])
        data["createdBy"] = member_of(row, "created_by")
        data["updatedBy"] = member_of(row, "updated_by")
        return data


def _on_clock(moment: datetime, zone: str) -> str:
    return moment.astimezone(zone_of(zone)).isoformat(timespec="seconds")


def _attendees() -> Subquery:
    """Return the meeting's attendees in the order in which they were named."""
    rows = MeetingAttendee.objects.filter(meeting=OuterRef("pk")).order_by().values("meeting")
    item = JSONObject(_id="id", name="name", email="email", member="member_id", contact="contact_id", answer="answer")
    return Subquery(rows.annotate(listed=JSONBAgg(item, order_by="id")).values("listed"), output_field=JSONField())
