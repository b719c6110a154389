"""Endpoints of meetings (contract 4.4)."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpResponse
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.types import JsonObject
from crm.meetings.conflicts import conflict_warning
from crm.meetings.filters import MEETING_FIELDS, with_member
from crm.meetings.models import Meeting
from crm.meetings.serializers import MeetingCancel, MeetingCreate, MeetingOut, MeetingUpdate
from crm.meetings.services import Planned, cancel_meetings, create_meeting, meeting_file, not_found, update_meeting

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
CONFLICTS = (
    "`warning` tells which of its members have other scheduled meetings then, and when; they keep nothing from being"
    " made."
)
LIMITS = (
    " Mails to people outside of the company are limited a day and spare the suppression list, and none go out before"
    " an owner has verified their address: `warning` says so."
)


CREATED = (
    "Organizer and attendees get an invitation by mail with an iCalendar file, unless the meeting is"
    f" over.{LIMITS} {CONFLICTS} Local times that clocks skip are refused. Emits meeting.created."
)
CANCELLED = (
    "They stay, with the status cancelled; their people are told by mail, unless they are over. Those"
    " that are cancelled already are passed over. Emits meeting.cancelled for each."
)
UPDATED = (
    "What is not given stays; a new startsAt alone keeps the length, attendees replace those who are"
    " there. All are told by mail when title, description, time, time zone, place or link change, and otherwise"
    " just those who are added or removed. The organizer stays, since calendars tie a meeting to them; one that"
    f" is cancelled stays so (BadRequest_400). {CONFLICTS} Emits meeting.updated when anything is different."
)


def _answer(view: ResourceViewSet, planned: Planned) -> Response:
    """Return the meeting, with a warning about mails that did not go out and about conflicts."""
    meeting = Meeting.objects.get(pk=planned.meeting.pk)
    conflicts = conflict_warning(meeting) if meeting.status == Meeting.Status.SCHEDULED else ""
    row = MeetingOut.one(Meeting.objects.filter(pk=meeting.pk))
    return view.success(row, **_warning(planned.warning, conflicts))


def _warning(*parts: str) -> dict[str, str]:
    said = [part for part in parts if part]
    return {"warning": "; ".join(said)} if said else {}


class MeetingActions(ResourceViewSet, abstract=True):
    """Actions on the meetings that the view shows: of a kind, or only the member's own."""

    kind: ClassVar[str] = ""
    mine: ClassVar[bool] = False

    def shown_meetings(self) -> QuerySet[Meeting]:
        meetings = Meeting.objects.filter(kind=self.kind) if self.kind else Meeting.objects.all()
        return meetings.filter(with_member(self.actor.member_id)) if self.mine else meetings

    def check_shown(self, id: str) -> None:
        """Refuse the id of a meeting that the view does not show, as if it were missing."""
        if not self.shown_meetings().filter(pk=id).exists():
            raise not_found()

    def check_changes(self, id: str) -> None:
        """Refuse to change meetings that the view does not show, or meetings of other organizers in a view of the
        own ones."""
        self.check_shown(id)
        if self.mine and not Meeting.objects.filter(pk=id, organizer_id=self.actor.member_id).exists():
            raise NamedError("UnauthorizedAction_403", "somebody else organizes it, and may change it", field="id")

    def made(self, data: JsonObject) -> Any:
        """Create a meeting of the parsed body."""
        automation, attendees = data.pop("automation") != "skip", data.pop("attendees", [])
        planned = create_meeting(actor_id=self.actor.member_id, values=data, attendees=attendees, automation=automation)
        return _answer(self, planned)

    @endpoint("Read a meeting", output=MeetingOut, errors=("NotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        meeting = MeetingOut.one(self.shown_meetings().filter(pk=id))
        if meeting is None:
            raise not_found()
        return meeting

    def update_from_body(self, id: str, data: JsonObject) -> Any:
        """Change a meeting by the parsed body."""
        self.check_changes(id)
        automation, attendees = data.pop("automation") != "skip", data.pop("attendees", None)
        done = update_meeting(
            id=id, actor_id=self.actor.member_id, values=data, attendees=attendees, automation=automation
        )
        return _answer(self, done)

    def cancel_selected(self, data: JsonObject) -> Any:
        """Cancel the selected visible meetings; in the own view, only those that the member organizes."""
        within = self.shown_meetings()
        if self.mine:
            within = within.filter(organizer_id=self.actor.member_id)
        done = cancel_meetings(
            actor_id=self.actor.member_id,
            selection=self.selection(),
            within=within,
            automation=data["automation"] != "skip",
        )
        return self.success({"deletedCount": done.count}, **_warning(done.warning))

    @action(detail=True)
    @endpoint(
        "Download a meeting's iCalendar file",
        raw="text/calendar",
        errors=("NotFound_404",),
        description="For a calendar to take in (METHOD:PUBLISH). Its description says who comes beside the organizer.",
    )
    def ics(self, request: Request, id: str) -> object:
        self.check_shown(id)
        response = HttpResponse(meeting_file(id=id), content_type="text/calendar; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="meeting-{id}.ics"'
        response["X-Content-Type-Options"] = "nosniff"
        return response


class MeetingViewSet(MeetingActions):
    module = "meeting"
    listing = Listing(
        "List meetings",
        Meeting.objects.all,
        MEETING_FIELDS,
        MeetingOut,
        description="Cancelled ones too, by their status. `member` finds the meetings that a member organizes or is"
        " asked to; those of a time are found by startsAt, for example between two dates in advancedFilters.",
    )

    @endpoint(
        "Create a meeting",
        input=MeetingCreate,
        output=MeetingOut,
        success="MeetingCreated_201",
        errors=REFERENCES,
        quota_module="meeting",
        description=CREATED,
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self.made(data)

    @endpoint(
        "Cancel meetings",
        input=MeetingCancel,
        output=Deleted,
        bulk=True,
        success="MeetingsCancelled_200",
        errors=("NotFound_404",),
        description=CANCELLED,
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return self.cancel_selected(data)

    @endpoint(
        "Update a meeting",
        input=MeetingUpdate,
        output=MeetingOut,
        success="MeetingUpdated_200",
        errors=("NotFound_404", "BadRequest_400", *REFERENCES),
        description=UPDATED,
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        return self.update_from_body(id, data)
