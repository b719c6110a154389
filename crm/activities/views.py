"""Endpoints of lead activities and notes (contract 4.4)."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from crm.activities.filters import ACTIVITY_FIELDS
from crm.activities.models import LeadActivity
from crm.activities.rights import MODULE
from crm.activities.selectors import readable_activities, readable_by
from crm.activities.serializers import ActivityOut, NoteCreate, NotesUpdate
from crm.activities.services import add_note, change_notes, not_found

LIST = (
    "Newest first. Made from what happens to leads, within seconds of it. An activity also names the contact that the"
    ' lead had then: filters={"lead": id} gives the timeline of a lead, and its notes are filters={"lead": id, "kind":'
    ' "note"}. What happens to a contact itself is in GET /contact/:id/timeline. Those of deleted leads stay listed.'
    " What a role may not read is left out, as in timelines: meetings take meeting.GET, mails genie.GET or logs.GET,"
    " and what happened to the lead lead.GET."
)


def _listed_activities(list_request: ListRequest) -> QuerySet[LeadActivity]:
    """Return the activities of leads that the caller may read; all of them for an export, which takes every right."""
    if list_request.caller is None:
        return LeadActivity.objects.filter(lead__isnull=False)
    return readable_activities(list_request.caller)


class LeadActivityViewSet(ResourceViewSet):
    module = MODULE
    listing = Listing(
        "List lead activities",
        _listed_activities,
        ACTIVITY_FIELDS,
        ActivityOut,
        description=LIST,
        whole=("lead", "meeting", "logs"),
    )

    @endpoint(
        "Write a note on a lead",
        input=NoteCreate,
        output=ActivityOut,
        success="NoteCreated_201",
        errors=("LeadNotFound_400", "ContactNotFound_400", "OrganizationNotFound_400", "InvalidInput_400"),
        description="Or on a contact or an organization, whose timeline shows it then. The note is an activity of kind"
        " note, by the member who asks. Emits note.created.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        note = add_note(
            actor_id=self.actor.member_id,
            notes=data["notes"],
            lead_id=data.get("lead"),
            contact_id=data.get("contact"),
            organization_id=data.get("organization"),
            automation=data["automation"] != "skip",
        )
        return one_activity(LeadActivity.objects.filter(pk=note))

    @endpoint("Read a lead activity", output=ActivityOut, errors=("LeadActivityNotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return one_activity(LeadActivity.objects.filter(readable_by(self.actor), pk=id))

    @action(detail=True, methods=["patch"])
    @endpoint(
        "Update an activity's notes",
        input=NotesUpdate,
        output=ActivityOut,
        success="NotesUpdated_200",
        errors=("LeadActivityNotFound_404", "InvalidInput_400"),
        description="Activities of any kind may have notes; empty text takes them away, but not those of a note.",
    )
    def notes(self, request: Request, id: str, data: JsonObject) -> object:
        activities = LeadActivity.objects.filter(readable_by(self.actor), pk=id)
        change_notes(activities, notes=data["notes"])
        return one_activity(activities)


def one_activity(activity: QuerySet[LeadActivity]) -> JsonObject:
    """Return the activity of the queryset as the API shows it. Raises LeadActivityNotFound_404."""
    row = ActivityOut.one(activity)
    if row is None:
        raise not_found()
    return row
