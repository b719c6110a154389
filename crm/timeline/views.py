"""The endpoint of timelines."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.errors import shorten
from core.lists.cursor import cursor_at, decode, unpack_values
from core.lists.parameters import check_cursor_pagination, page_size, refuse_unknown
from core.lists.values import refuse
from crm.activities.models import LeadActivity
from crm.activities.rights import modules_of
from crm.timeline.selectors import Place, read_timeline
from crm.timeline.serializers import TimelineEntryOut

PARAMETERS = ("n", "cursorPagination", "cursor")
DEFAULT_SIZE, MAX_SIZE = 50, 500
SORT = (("at", "desc"),)
ACTIVITY_KINDS = tuple(LeadActivity.Kind.values)
TIMELINE = (
    "Field changes, mails, calls, meetings, notes, follow-ups, imports and merges together, those of the contact's"
    " leads and the meetings it attends included, newest first,\nwithin seconds of what happened. Pages are had by"
    " cursor; without n a page has"
    f" {DEFAULT_SIZE} entries, and more than {MAX_SIZE} count as {MAX_SIZE}. What\nthe member may not read is left out:"
    " mails take genie.GET or logs.GET, meetings meeting.GET, notes, calls and follow-ups lead-activity.GET, and"
    "\nwhat happened to a lead lead.GET."
)
OF_LEADS = "What happened to the lead, as GET /contact/:id/timeline tells it of a contact and its leads."
OF_ORGANIZATIONS = (
    "What happened to the organization, its people and their leads, and to other leads about it, as GET"
    " /contact/:id/timeline tells it\nof a contact. `contact` says whom an entry is about."
)
KIND = OpenApiParameter(
    "kind", str, description=f"comma-separated, of {', '.join(ACTIVITY_KINDS)}; all of them unless given"
)


class TimelineViewSet(ResourceViewSet, abstract=True):
    """Shared parts of the timelines of contacts, organizations and leads."""

    subject: ClassVar[str]
    """The parameter of read_timeline that takes the record's id."""

    def page(self, id: str) -> Any:
        """Return a page of the timeline of the record."""
        params = self.request.query_params
        refuse_unknown(params, (*PARAMETERS, "kind"))
        size = page_size(params, DEFAULT_SIZE, MAX_SIZE)
        check_cursor_pagination(params)
        kinds = _kinds(params.get("kind", ""))
        modules = modules_of(self.actor)
        fingerprint = ",".join((id, *kinds, *modules))
        after, total = None, None
        if params.get("cursor"):
            cursor = decode(params["cursor"])
            if cursor.fingerprint != fingerprint or cursor.sort != SORT:
                raise refuse("cursor", "belongs to another timeline; repeat the kinds of the request that it came from")
            at, entry_id = unpack_values(cursor, ("date",), (False,))
            after = Place(at, entry_id)
            total = cursor.total
        timeline = read_timeline(
            **{self.subject: id}, may_read=modules, size=size, kinds=kinds, after=after, total=total
        )
        further = (
            None if timeline.next is None else cursor_at(SORT, fingerprint, timeline.next, timeline.total).encode()
        )
        return self.success(timeline.entries, totalCount=timeline.total, nextCursor=further)


def timeline_of(summary: str, missing: str, description: str) -> Any:
    """Return the action that reads a record's timeline, for the ViewSet of its kind; `missing` is the error of an id
    that belongs to no live record."""

    @action(detail=True)
    @endpoint(
        summary,
        output=TimelineEntryOut,
        many=True,
        list_parameters=PARAMETERS,
        parameters=(KIND,),
        errors=(missing,),
        description=description,
    )
    def timeline(self: TimelineViewSet, request: Request, id: str) -> object:
        return self.page(id)

    return timeline


class ContactTimelineViewSet(TimelineViewSet):
    module = "contact"
    subject = "contact_id"
    timeline = timeline_of("Read a contact's timeline", "ContactNotFound_400", TIMELINE)


class LeadTimelineViewSet(TimelineViewSet):
    module = "lead"
    subject = "lead_id"
    timeline = timeline_of("Read a lead's timeline", "LeadNotFound_400", OF_LEADS)


class OrganizationTimelineViewSet(TimelineViewSet):
    module = "contact"
    subject = "organization_id"
    timeline = timeline_of("Read an organization's timeline", "OrganizationNotFound_400", OF_ORGANIZATIONS)


def _kinds(text: str) -> tuple[str, ...]:
    kinds = {part.strip() for part in text.split(",")} - {""}
    wrong = next((kind for kind in sorted(kinds) if kind not in ACTIVITY_KINDS), None)
    if wrong is not None:
        raise refuse("kind", f"{shorten(wrong, 40)!r} is none of {', '.join(ACTIVITY_KINDS)}")
    return tuple(sorted(kinds))
