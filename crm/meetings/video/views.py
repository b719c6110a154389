"""Endpoints of video calls: the company's, and the asking member's own. Each is a meeting that is held online."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.types import JsonObject
from crm.meetings.filters import MEETING_FIELDS, with_member
from crm.meetings.models import Meeting
from crm.meetings.serializers import MeetingCancel, MeetingOut
from crm.meetings.services import video_provider_of_company
from crm.meetings.video.serializers import (
    MyVideoCallCreate,
    VideoCallCreate,
    VideoCallUpdate,
    VideoSettingsOut,
    VideoSettingsUpdate,
)
from crm.meetings.video.settings import change_settings, read_settings
from crm.meetings.views import CANCELLED, CREATED, REFERENCES, UPDATED, MeetingActions

ONLINE = Meeting.Kind.ONLINE
LINK = " Without `link` and `videoProvider` the company's settings say what makes the link (GET /videocall/settings)."


def _calls() -> QuerySet[Meeting]:
    return Meeting.objects.filter(kind=ONLINE)


def _own_calls(list_request: ListRequest) -> QuerySet[Meeting]:
    return _calls().filter(with_member(list_request.actor.member_id))


def _with_link(data: JsonObject) -> JsonObject:
    """Set the company's provider of the link if the body has neither. Raises InvalidInput_400 without a provider."""
    if not data.get("link") and not data.get("video_provider"):
        data["video_provider"] = video_provider_of_company()
        if not data["video_provider"]:
            message = "link or videoProvider: give one; the company's settings say nothing that makes links"
            raise NamedError("InvalidInput_400", message)
    return {**data, "kind": ONLINE}


class VideoCallViewSet(MeetingActions):
    module = "videocall"
    kind = ONLINE
    listing = Listing(
        "List video calls",
        _calls,
        MEETING_FIELDS,
        MeetingOut,
        description="The meetings that are held online, of everybody; cancelled ones too, by their status.",
    )

    @endpoint(
        "Create a video call",
        input=VideoCallCreate,
        output=MeetingOut,
        success="MeetingCreated_201",
        errors=REFERENCES,
        quota_module="meeting",
        description=CREATED + LINK,
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self.made(_with_link(data))

    @endpoint(
        "Update a video call",
        input=VideoCallUpdate,
        output=MeetingOut,
        success="MeetingUpdated_200",
        errors=("NotFound_404", "BadRequest_400", *REFERENCES),
        description=UPDATED,
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        return self.update_from_body(id, data)

    @endpoint(
        "Cancel video calls",
        input=MeetingCancel,
        output=Deleted,
        bulk=True,
        success="MeetingsCancelled_200",
        errors=("NotFound_404",),
        description=CANCELLED,
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return self.cancel_selected(data)


class MyVideoCallViewSet(MeetingActions):
    module = "my-videocall"
    kind = ONLINE
    mine = True
    listing = Listing(
        "List own video calls",
        _own_calls,
        MEETING_FIELDS,
        MeetingOut,
        description="Those that the asking member organizes or is asked to; with an API key the key's maker.",
    )

    @endpoint(
        "Create an own video call",
        input=MyVideoCallCreate,
        output=MeetingOut,
        success="MeetingCreated_201",
        errors=REFERENCES,
        quota_module="meeting",
        description=f"The asking member organizes it. {CREATED}{LINK}",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self.made({**_with_link(data), "organizer": self.actor.member_id})

    @endpoint(
        "Update an own video call",
        input=VideoCallUpdate,
        output=MeetingOut,
        success="MeetingUpdated_200",
        errors=("NotFound_404", "BadRequest_400", "UnauthorizedAction_403", *REFERENCES),
        description=f"UnauthorizedAction_403 for one that somebody else organizes. {UPDATED}",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        return self.update_from_body(id, data)

    @endpoint(
        "Cancel own video calls",
        input=MeetingCancel,
        output=Deleted,
        bulk=True,
        success="MeetingsCancelled_200",
        errors=("NotFound_404",),
        description=f"Those that the asking member organizes; others are passed over. {CANCELLED}",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return self.cancel_selected(data)


class VideoSettingsViewSet(ResourceViewSet):
    module = "videocall"
    alternate_modules = ("my-videocall", "meeting", "my-calendar", "calendar", "settings")
    singleton = True

    @endpoint(
        "Read how video calls get their links",
        description="Provider or link template of the company, and the providers that can be chosen.",
        output=VideoSettingsOut,
    )
    def retrieve(self, request: Request) -> object:
        return read_settings(self.actor.member_id)

    @endpoint(
        "Change how video calls get their links",
        input=VideoSettingsUpdate,
        output=VideoSettingsOut,
        success="VideoSettingsChanged_200",
        errors=("InvalidInput_400",),
        module="settings",
        alternate_modules=(),
        description="Meetings that have a link keep it.",
    )
    def update(self, request: Request, data: JsonObject) -> object:
        change_settings(member_id=self.actor.member_id, **data)
        return read_settings(self.actor.member_id)
