"""Endpoints of a member's own connected calendar."""

from __future__ import annotations

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from outreach.connections.calendars.connections import describe, sync
from outreach.connections.calendars.logins import NOT_FOUND, begin_login, disconnect, end_login
from outreach.connections.calendars.serializers import CalendarLogin, CalendarLoginBegunOut, ConnectionOut
from outreach.connections.connected_apps.turns import BUSY


class CalendarConnectionViewSet(ResourceViewSet):
    module = "my-calendar"
    singleton = True

    @endpoint(
        "Read the own connected calendar",
        description="Account, state and last error of the calendar that the asking member has connected.",
        output=ConnectionOut,
    )
    def retrieve(self, request: Request) -> object:
        return describe(self.actor.member_id)

    @endpoint(
        "Connect the own calendar",
        input=CalendarLogin,
        output=ConnectionOut,
        success="CalendarConnected_201",
        errors=("InvalidCredentials_400", BUSY),
        description="By what came back from a log-in at Google (POST …/authorize). Coming meetings that the member"
        " organizes are written there, and what else is there blocks bookings.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        end_login(member_id=self.actor.member_id, **data)
        return describe(self.actor.member_id)

    @endpoint(
        "Disconnect the own calendar",
        output=ConnectionOut,
        success="CalendarDisconnected_200",
        errors=(NOT_FOUND,),
        description="The log-in is taken back at Google; the events stay there.",
    )
    def destroy(self, request: Request) -> object:
        disconnect(member_id=self.actor.member_id)
        return describe(self.actor.member_id)


class CalendarAuthorizeViewSet(ResourceViewSet):
    module = "my-calendar"
    singleton = True

    @endpoint(
        "Begin a log-in for the own calendar",
        output=CalendarLoginBegunOut,
        success="CalendarLoginBegun_201",
        errors=("AppNotFound_400",),
        description="`url` is a page of Google's, where the member allows it. From there the browser comes back to"
        " /oauth/google-calendar/callback with code and state, which hold for this member, once.",
    )
    def create(self, request: Request) -> object:
        return begin_login(member_id=self.actor.member_id)


class CalendarSyncViewSet(ResourceViewSet):
    module = "my-calendar"
    singleton = True

    @endpoint(
        "Try now what the own calendar has not taken",
        output=ConnectionOut,
        success="CalendarSyncBegun_200",
        errors=(NOT_FOUND,),
        permission="PUT",
    )
    def create(self, request: Request) -> object:
        sync(self.actor.member_id)
        return describe(self.actor.member_id)
