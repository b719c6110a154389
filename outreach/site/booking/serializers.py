"""Bodies and answers of booking pages, hours and bookings."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, IntegerInput, LineInput, ObjectIdInput, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from crm.activities.reminders import MAX_MINUTES
from crm.leads.schema import LeadSchema
from crm.leads.serializers import LeadContact
from crm.leads.snapshots import CONTACT_READS, LEAD_READS, LeadSnapshot, contact_of, lead_of
from crm.leads.sources import current_schema, source_problem
from crm.meetings.models import Meeting
from crm.tags.serializers import NamedModelSnapshot
from outreach.site.booking.hours import CLOCK, MAX_AWAY, MAX_SPANS
from outreach.site.booking.mails import page_address
from outreach.site.booking.models import MAX_SLUG_LENGTH
from outreach.site.booking.services import MAX_DAYS, MAX_LENGTH, MAX_NOTICE, MAX_QUESTIONS
from outreach.site.forms.kinds import FIELD_TYPES, HIDDEN

EMPTY: JsonObject = {"required": False, "allow_blank": True}
ASKED = [kind for kind in FIELD_TYPES if kind != HIDDEN]


class ClockInput(LineInput):
    """A time of the day, such as 09:00."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not CLOCK.fullmatch(text):
            raise serializers.ValidationError("must be a time such as 09:00", code="invalid")
        return text


class HoursSpan(Input):
    """A span of a day of the week."""

    day = IntegerInput(min_value=1, max_value=7, help_text="ISO weekday: 1 is Monday.")
    to = ClockInput(help_text="Up to 24:00.")

    def get_fields(self) -> Any:
        return {**super().get_fields(), "from": ClockInput()}

    def validate(self, attrs: JsonObject) -> JsonObject:
        if attrs["from"] >= attrs["to"]:
            raise serializers.ValidationError({"to": "must be later than from; a night is two spans"})
        return attrs


class AwayInput(Input):
    """Days on which nobody can be booked, the first and the last one included."""

    to = serializers.DateField()

    def get_fields(self) -> Any:
        return {**super().get_fields(), "from": serializers.DateField()}

    def validate(self, attrs: JsonObject) -> JsonObject:
        if attrs["from"] > attrs["to"]:
            raise serializers.ValidationError({"to": "must not be before from"})
        return {name: attrs[name].isoformat() for name in ("from", "to")}


class HoursUpdate(Input):
    timezone = LineInput(max_length=64, help_text="IANA name, such as Europe/Berlin; empty: the company's", **EMPTY)
    days = serializers.ListField(
        child=HoursSpan(), max_length=MAX_SPANS, required=False, help_text="none: nobody can book"
    )
    away = serializers.ListField(child=AwayInput(), max_length=MAX_AWAY, required=False)


class BookableHoursOut(Output):
    """Hours when a member can be booked."""

    timezone = serializers.CharField(help_text="empty: the company's")
    days = serializers.ListField(child=serializers.DictField(), help_text="day (1 is Monday), from and to of each span")
    away = serializers.ListField(child=serializers.DictField(), help_text="from and to of each, both days included")
    updatedAt = serializers.DateTimeField(allow_null=True, help_text="null: never changed")


class BookingQuestionInput(Input):
    """A question to visitors."""

    key = LineInput(max_length=60, help_text="A letter, then letters, digits, - and _; unique in the page.")
    label = TextInput(max_length=500)  # type: ignore[assignment]
    type = serializers.ChoiceField(choices=ASKED, default="text")
    required = BooleanInput(default=False)  # type: ignore[assignment]
    options = serializers.ListField(child=LineInput(max_length=200), default=list, max_length=100)
    help = TextInput(default="", allow_blank=True, max_length=500)


class BookingPageUpdate(Input):
    """Any of a page's values. `days` and `questions` are each replaced as a whole."""

    name = TextInput(required=False, max_length=200)
    member = ObjectIdInput(
        required=False, allow_null=True, help_text="whose times are booked; without team it is who makes the page"
    )
    team = ObjectIdInput(
        required=False, allow_null=True, help_text="instead of member: whoever of the team is free, in turn"
    )
    slug = LineInput(
        max_length=MAX_SLUG_LENGTH,
        help_text="the end of its address: a to z, digits and hyphens, unique over all companies; empty: the random"
        " one. A former slug stays yours, and leads to the page",
        **EMPTY,
    )
    isActive = BooleanInput(required=False)
    title = TextInput(max_length=200, help_text="what visitors read; empty: the name", **EMPTY)
    text = TextInput(max_length=5000, **EMPTY)
    colour = LineInput(required=False, max_length=7, help_text="Such as #2f5bea.")
    durationMinutes = IntegerInput(required=False, min_value=5, max_value=MAX_LENGTH)
    stepMinutes = IntegerInput(
        required=False, min_value=5, max_value=MAX_LENGTH, help_text="between the times that are offered"
    )
    bufferBefore = IntegerInput(required=False, min_value=0, max_value=240, help_text="minutes")
    bufferAfter = IntegerInput(required=False, min_value=0, max_value=240, help_text="minutes")
    noticeMinutes = IntegerInput(
        required=False, min_value=0, max_value=MAX_NOTICE, help_text="how long before it begins it can be booked"
    )
    horizonDays = IntegerInput(required=False, min_value=1, max_value=MAX_DAYS)
    mostPerDay = IntegerInput(
        required=False, allow_null=True, min_value=1, max_value=100, help_text="bookings of a member in a day"
    )
    timezone = LineInput(max_length=64, help_text="of its own hours; empty: the company's", **EMPTY)
    days = serializers.ListField(
        child=HoursSpan(), max_length=MAX_SPANS, required=False, help_text="own hours; none: those of its members"
    )
    questions = serializers.ListField(child=BookingQuestionInput(), max_length=MAX_QUESTIONS, required=False)
    asksPhone = BooleanInput(required=False, help_text="of a new page true where contacts must have a number")
    kind = serializers.ChoiceField(choices=Meeting.Kind.choices, required=False)
    videoProvider = TextInput(
        max_length=24, help_text="what makes the links; empty: as the settings of video calls say", **EMPTY
    )
    place = TextInput(max_length=500, **EMPTY)
    remindMinutes = IntegerInput(
        required=False, allow_null=True, min_value=1, max_value=MAX_MINUTES, help_text="mail to the visitor; null: none"
    )
    makesLead = BooleanInput(required=False)
    leadSource = LineInput(max_length=100, help_text="the source of its leads", **EMPTY)


class BookingPageCreate(BookingPageUpdate):
    name = TextInput(max_length=200, help_text="Unique in the company, whatever the case of its letters.")


class BookingPageDelete(SelectionInput):
    """Pages to delete."""


def _problems(source: str, schema: LeadSchema | None) -> list[str]:
    problem = source_problem(source, schema) if source and schema is not None else ""
    return [f"leadSource: {problem}"] if problem else []


class BookingPageOut(Output):
    """A page on which visitors book."""

    reads = ("token",)

    _id = IdField()
    name = serializers.CharField()
    member = MemberSnapshot()
    team = NamedModelSnapshot()
    slug = serializers.CharField(help_text="the chosen end of its address; empty: it has none")
    isActive = serializers.BooleanField(source="is_active")
    title = serializers.CharField()
    text = serializers.CharField()
    colour = serializers.CharField()
    durationMinutes = serializers.IntegerField(source="duration_minutes")
    stepMinutes = serializers.IntegerField(source="step_minutes")
    bufferBefore = serializers.IntegerField(source="buffer_before")
    bufferAfter = serializers.IntegerField(source="buffer_after")
    noticeMinutes = serializers.IntegerField(source="notice_minutes")
    horizonDays = serializers.IntegerField(source="horizon_days")
    mostPerDay = serializers.IntegerField(source="most_per_day", allow_null=True)
    timezone = serializers.CharField()
    days = serializers.ListField(child=serializers.DictField(), help_text="day (1 is Monday), from and to of each span")
    questions = serializers.ListField(child=serializers.DictField())
    asksPhone = serializers.BooleanField(source="asks_phone")
    kind = serializers.ChoiceField(choices=Meeting.Kind.choices)
    videoProvider = serializers.CharField(source="video_provider")
    place = serializers.CharField()
    remindMinutes = serializers.IntegerField(source="remind_minutes", allow_null=True)
    makesLead = serializers.BooleanField(source="makes_lead")
    leadSource = serializers.CharField(source="lead_source")
    url = Computed(serializers.CharField(help_text="its public page"))
    problems = Computed(
        serializers.ListField(child=serializers.CharField(), help_text="references to what was deleted since")
    )
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "url": page_address(row["slug"] or row["token"])}

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        schema = current_schema() if any(row["leadSource"] for row in rows) else None
        return [{**row, "problems": _problems(row["leadSource"], schema)} for row in rows]


class SlotOut(Output):
    """A time that can be booked."""

    startsAt = serializers.DateTimeField()
    endsAt = serializers.DateTimeField()


class SlotsOut(Output):
    """The times that a page offers."""

    timezone = serializers.CharField(help_text="of the page")
    slots = serializers.ListField(child=SlotOut())


class PageSnapshot(Output):
    """A booking page, nested where a reference is populated."""

    _id = IdField()
    name = serializers.CharField()


class BookedMeeting(Output):
    """The meeting that was booked."""

    _id = IdField()
    title = serializers.CharField()
    startsAt = serializers.DateTimeField(source="starts_at")
    endsAt = serializers.DateTimeField(source="ends_at")
    status = serializers.ChoiceField(choices=Meeting.Status.choices)
    link = serializers.CharField()


class BookingOut(Output):
    """A visitor's booking."""

    reads = (*LEAD_READS, *(f"contact{part}" for part in CONTACT_READS))

    _id = IdField()
    page = PageSnapshot()
    meeting = BookedMeeting()
    member = MemberSnapshot()
    name = serializers.CharField()
    email = serializers.CharField()
    phone = serializers.CharField()
    answers = serializers.DictField(help_text="key of a question -> what was answered")
    timezone = serializers.CharField(help_text="the visitor's")
    contact = Computed(LeadContact(allow_null=True))
    lead = Computed(LeadSnapshot(allow_null=True))
    cancelledAt = serializers.DateTimeField(source="cancelled_at", allow_null=True, help_text="by the visitor")
    reason = serializers.CharField()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        # PostgreSQL writes the times of a nested record in a form of its own.
        times = {name: datetime.fromisoformat(data["meeting"][name]) for name in ("startsAt", "endsAt")}
        people = {"lead": lead_of(row), "contact": contact_of(row, "contact")}
        return {**data, **people, "meeting": {**data["meeting"], **times}}


class PublicQuestion(Output):
    """A question to visitors."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    type = serializers.CharField()
    required = serializers.BooleanField()  # type: ignore[assignment]
    options = serializers.ListField(child=serializers.CharField())
    help = serializers.CharField()


class PublicPageOut(Output):
    """The visitors' view of a page."""

    title = serializers.CharField()
    text = serializers.CharField()
    colour = serializers.CharField()
    timezone = serializers.CharField()
    durationMinutes = serializers.IntegerField()
    fields = serializers.ListField(child=PublicQuestion())  # type: ignore[assignment]
    slots = serializers.ListField(child=SlotOut())
    page = serializers.CharField(help_text="to be sent along with a booking, which counts once by it")


class PublicBook(Input):
    """A booking."""

    startsAt = LineInput(max_length=40, help_text="one of `slots`, with its offset from UTC")
    answers = ObjectInput(help_text="key of a field -> answer")
    timezone = LineInput(max_length=64, default="", allow_blank=True, help_text="the visitor's, for mails")
    page = LineInput(max_length=300, default="", allow_blank=True)


class BookedOut(Output):
    """The booking."""

    startsAt = serializers.DateTimeField()
    endsAt = serializers.DateTimeField()
    title = serializers.CharField()
    place = serializers.CharField()
    link = serializers.CharField(help_text="empty: there is none, or it comes by mail")
    url = serializers.CharField(help_text="where the visitor moves or cancels it")
