"""Endpoints of calendars: of the company's members, and the asking member's own."""

from __future__ import annotations

from dataclasses import replace

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.errors import InvalidFormat
from core.ids import is_id
from core.types import JsonObject
from crm.meetings.agenda.selectors import ENTRY_KINDS, MAX_SPAN, CalendarQuery, entries, read_asked
from crm.meetings.agenda.serializers import CalendarOut

WHEN = (
    OpenApiParameter("from", str, description="A time, or a day's beginning where the company is; without it today."),
    OpenApiParameter(
        "to", str, description=f"Written like from, not included; at most {MAX_SPAN.days} days later; else 7 days."
    ),
    OpenApiParameter("kinds", str, description=f"{' and '.join(ENTRY_KINDS)}, separated by commas; without it both."),
)
WHOSE = (
    OpenApiParameter("member", str, description="Member id: what this member takes part in, or has to do."),
    OpenApiParameter("team", str, description="Team id: of its members."),
)
ERRORS = ("InvalidInput_400",)


def _answer(query: CalendarQuery) -> JsonObject:
    calendar_entries, is_cut = entries(query)
    return {"start": query.start, "end": query.end, "entries": calendar_entries, "isCut": is_cut}


class CalendarViewSet(ResourceViewSet):
    module = "calendar"
    singleton = True

    @endpoint(
        "Read the calendar of the company's members",
        output=CalendarOut,
        parameters=(*WHEN, *WHOSE),
        errors=(*ERRORS, "MemberNotFound_404", "TeamNotFound_400"),
        description="Their scheduled meetings and open follow-ups, with what these are called.",
    )
    def retrieve(self, request: Request) -> object:
        for name in ("member", "team"):
            param = request.query_params.get(name)
            if param and not is_id(param):
                raise InvalidFormat(name, param)
        return _answer(read_asked(request.query_params))


class MyCalendarViewSet(ResourceViewSet):
    module = "my-calendar"
    singleton = True

    @endpoint(
        "Read the own calendar",
        output=CalendarOut,
        parameters=WHEN,
        errors=ERRORS,
        description="The meetings that the asking member takes part in, and the open follow-ups that are theirs.",
    )
    def retrieve(self, request: Request) -> object:
        return _answer(replace(read_asked(request.query_params), members=[self.actor.member_id]))
