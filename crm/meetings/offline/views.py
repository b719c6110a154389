"""Endpoints of meetings in person."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.types import JsonObject
from crm.meetings.filters import MEETING_FIELDS
from crm.meetings.models import Meeting
from crm.meetings.offline.serializers import OfflineMeetingCreate, OfflineMeetingUpdate
from crm.meetings.serializers import MeetingCancel, MeetingOut
from crm.meetings.views import CANCELLED, CREATED, REFERENCES, UPDATED, MeetingActions

OFFLINE = Meeting.Kind.OFFLINE


def _meetings() -> QuerySet[Meeting]:
    return Meeting.objects.filter(kind=OFFLINE)


class OfflineMeetingViewSet(MeetingActions):
    module = "offline-meeting"
    kind = OFFLINE
    listing = Listing("List meetings in person", _meetings, MEETING_FIELDS, MeetingOut)

    @endpoint(
        "Create a meeting in person",
        input=OfflineMeetingCreate,
        output=MeetingOut,
        success="MeetingCreated_201",
        errors=REFERENCES,
        quota_module="meeting",
        description=CREATED,
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self.made({**data, "kind": OFFLINE})

    @endpoint(
        "Update a meeting in person",
        input=OfflineMeetingUpdate,
        output=MeetingOut,
        success="MeetingUpdated_200",
        errors=("NotFound_404", "BadRequest_400", *REFERENCES),
        description=UPDATED,
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        return self.update_from_body(id, data)

    @endpoint(
        "Cancel meetings in person",
        input=MeetingCancel,
        output=Deleted,
        bulk=True,
        success="MeetingsCancelled_200",
        errors=("NotFound_404",),
        description=CANCELLED,
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return self.cancel_selected(data)
