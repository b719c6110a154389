"""Endpoints of meetings (contract 4.4)."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpResponse
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.members.snapshots import Deleted
from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from core.lists import FieldSet, ListField, ManyField
from core.lists.fields import Condition, column
from crm.meetings.conflicts import conflict_warning
from crm.meetings.models import Meeting, MeetingAttendee
from crm.meetings.serializers import MeetingCancel, MeetingCreate, MeetingOut, MeetingUpdate
from crm.meetings.services import cancel_meetings, create_meeting, meeting_file, not_found, update_meeting


def _attendees() -> QuerySet[MeetingAttendee]:
    return MeetingAttendee.objects.filter(meeting=OuterRef("pk"))


class Participant(ListField):
    """The members who are at a meeting: its organizer, and those among its attendees."""

    many = True

    def __init__(self) -> None:
        super().__init__("member", "id", "organizer_id", sortable=False, nullable=False)

    def where(self, condition: Condition) -> Q:
        return condition(column("organizer_id")) | Q(Exists(_attendees().filter(condition(column("member_id")))))


MEETING_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("title", "text", "title", searchable=True, nullable=False),
        ListField("description", "text", "description", searchable=True, nullable=False),
        ListField("lead", "id", "lead_id"),
        ListField("lead.contact", "id", "lead__contact_id"),
        ListField("lead.contact.name", "text", "lead__contact__name", searchable=True),
        ListField("contact", "id", "contact_id"),
        ListField("contact.name", "text", "contact__name", searchable=True),
        ListField("organizer", "id", "organizer_id", nullable=False),
        ListField("organizer.name", "text", "organizer__name", searchable=True, nullable=False),
        Participant(),
        ManyField("attendees.contact", "id", _attendees, "contact_id"),
        ManyField("attendees.name", "text", _attendees, "name", searchable=True),
        ManyField("attendees.email", "text", _attendees, "email", searchable=True),
        ListField("startsAt", "date", "starts_at", nullable=False),
        ListField("endsAt", "date", "ends_at", nullable=False),
        ListField("timezone", "text", "timezone", nullable=False),
        ListField("place", "text", "place", searchable=True, nullable=False),
        ListField("link", "text", "link", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("remindMinutes", "number", "remind_minutes"),
        ListField("remindedAt", "date", "reminded_at"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name"),
        ListField("updatedBy", "id", "updated_by_id"),
        ListField("updatedBy.name", "text", "updated_by__name"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("title", "description", "place"),
)
REFERENCES = (
    *(
        "LeadNotFound_400",
        "ContactNotFound_400",
        "ContactDataRequired_400",
        "MemberNotFound_404",
        "MemberNotAccepted_400",
    ),
    *("InvalidTimezone_400", "InvalidInput_400"),
)
CLASHES = "`warning` tells which of its members have other scheduled meetings then, and when; they keep nothing from being made."


def _answer(view: ResourceViewSet, id: str) -> Response:
    """The meeting, with what clashes with it."""
    meeting = Meeting.objects.get(pk=id)
    warning = conflict_warning(meeting) if meeting.status == Meeting.Status.SCHEDULED else ""
    found = MeetingOut.one(Meeting.objects.filter(pk=id))
    return view.success(found, **({"warning": warning} if warning else {}))


class MeetingViewSet(ResourceViewSet):
    module = "meeting"
    listing = Listing(
        "List meetings",
        Meeting.objects.all,
        MEETING_FIELDS,
        MeetingOut,
        description="Cancelled ones too, by their status. `member` finds the meetings that a member organizes or is asked to; those of a"
        " time are found by startsAt, for example between two dates in advancedFilters.",
    )

    @endpoint(
        "Create a meeting",
        input=MeetingCreate,
        output=MeetingOut,
        success="MeetingCreated_201",
        errors=REFERENCES,
        takes="meeting",
        description="Organizer and attendees get an invitation by mail with an iCalendar file, unless the meeting is over. "
        f"{CLASHES} Local times that clocks skip are refused. Emits meeting.scheduled.",
    )
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        automation, attendees = data.pop("automation") == "run", data.pop("attendees", [])
        made = create_meeting(actor_id=self.actor.member_id, values=data, attendees=attendees, automation=automation)
        return _answer(self, made.pk)

    @endpoint(
        "Cancel meetings",
        input=MeetingCancel,
        output=Deleted,
        bulk=True,
        success="MeetingsCancelled_200",
        errors=("NotFound_404",),
        description="They stay, with the status cancelled; their people are told by mail, unless they are over. Those that are cancelled"
        " already are passed over. Emits meeting.cancelled for each.",
    )
    def bulk_destroy(self, request: Request, data: dict[str, Any]) -> Any:
        done = cancel_meetings(
            actor_id=self.actor.member_id, selection=self.selection(), automation=data["automation"] == "run"
        )
        return {"deletedCount": done}

    @endpoint("Read a meeting", output=MeetingOut, errors=("NotFound_404",))
    def retrieve(self, request: Request, id: str) -> Any:
        found = MeetingOut.one(Meeting.objects.filter(pk=id))
        if found is None:
            raise not_found()
        return found

    @endpoint(
        "Update a meeting",
        input=MeetingUpdate,
        output=MeetingOut,
        success="MeetingUpdated_200",
        errors=("NotFound_404", "BadRequest_400", *REFERENCES),
        description="What is not given stays; a new startsAt alone keeps the length, attendees replace those who are there. All are told"
        " by mail when title, description, time, time zone, place or link change, and otherwise just those who are added or removed. The"
        " organizer stays, since calendars tie a meeting to them; one that is cancelled stays so (BadRequest_400). "
        f"{CLASHES} Emits meeting.changed when anything is different.",
    )
    def update(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        automation, attendees = data.pop("automation") == "run", data.pop("attendees", None)
        update_meeting(id=id, actor_id=self.actor.member_id, values=data, attendees=attendees, automation=automation)
        return _answer(self, id)

    @action(detail=True)
    @endpoint(
        "Download a meeting's iCalendar file",
        raw="text/calendar",
        errors=("NotFound_404",),
        description="For a calendar to take in (METHOD:PUBLISH). It names nobody but the organizer.",
    )
    def ics(self, request: Request, id: str) -> Any:
        response = HttpResponse(meeting_file(id=id), content_type="text/calendar; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="meeting-{id}.ics"'
        response["X-Content-Type-Options"] = "nosniff"
        return response
