"""The endpoint of timelines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.errors import shorten
from core.lists.cursor import cursor_at, decode, unpack_values
from core.lists.values import refuse
from crm.activities.models import LeadActivity
from crm.timeline.selectors import MODULES, Place, read_timeline
from crm.timeline.serializers import TimelineEntryOut

PARAMETERS = ("n", "cursorPagination", "cursor")
DEFAULT_SIZE, MAX_SIZE = 50, 500
SORT = (("at", "desc"),)
KINDS = tuple(LeadActivity.Kind.values)
TIMELINE = (
    "Field changes, mails, calls, meetings, notes, follow-ups, imports and merges together, those of the contact's"
    " leads included, newest first,\nwithin seconds of what happened. Pages are had by cursor; without n a page has"
    f" {DEFAULT_SIZE} entries, and more than {MAX_SIZE} count as {MAX_SIZE}. What\nthe member may not read is left out:"
    " mails take logs.GET, meetings meeting.GET, notes, calls and follow-ups lead-activity.GET, and what\nhappened to a"
    " lead lead.GET."
)
KIND = OpenApiParameter("kind", str, description=f"comma-separated, of {', '.join(KINDS)}; all of them unless given")


class ContactTimelineViewSet(ResourceViewSet):
    module = "contact"

    @action(detail=True)
    @endpoint(
        "Read a contact's timeline",
        output=TimelineEntryOut,
        many=True,
        list_parameters=PARAMETERS,
        parameters=(KIND,),
        errors=("ContactNotFound_400",),
        description=TIMELINE,
    )
    def timeline(self, request: Request, id: str) -> Any:
        params = request.query_params
        size, kinds = _page_size(params), _kinds(params.get("kind", ""))
        modules = [name for name in ("lead", *sorted(set(MODULES.values()))) if self._may_read(name)]
        fingerprint = ",".join((id, *kinds, *modules))
        after, total = None, None
        if params.get("cursor"):
            cursor = decode(params["cursor"])
            if cursor.fingerprint != fingerprint or cursor.sort != SORT:
                raise refuse("cursor", "belongs to another timeline; repeat the kinds of the request that it came from")
            after, total = Place(*unpack_values(cursor, ("date",), (False,))), cursor.total
        found = read_timeline(contact_id=id, may_read=modules, size=size, kinds=kinds, after=after, total=total)
        further = None if found.next is None else cursor_at(SORT, fingerprint, found.next, found.total).encode()
        return self.success(found.entries, totalCount=found.total, nextCursor=further)

    def _may_read(self, module: str) -> bool:
        return self.actor.is_unbounded or self.actor.may(module, "GET")


def _page_size(params: Mapping[str, Any]) -> int:
    known = (*PARAMETERS, "kind")
    unknown = next((name for name in params if name not in known), None)
    if unknown is not None:
        raise refuse(shorten(unknown, 60), f"is an unknown parameter; known: {', '.join(sorted(known))}")
    size = params.get("n", str(DEFAULT_SIZE)).strip()
    if not (size.isascii() and size.isdigit() and len(size) < 10 and int(size)):
        raise refuse("n", f"needs to be a whole number from 1 on, got {shorten(size, 40)!r}")
    if params.get("cursorPagination", "true").strip().lower() not in ("true", "false"):
        raise refuse("cursorPagination", "needs to be true or false")
    return min(int(size), MAX_SIZE)


def _kinds(text: str) -> tuple[str, ...]:
    asked = {part.strip() for part in text.split(",")} - {""}
    wrong = next((kind for kind in sorted(asked) if kind not in KINDS), None)
    if wrong is not None:
        raise refuse("kind", f"{shorten(wrong, 40)!r} is none of {', '.join(KINDS)}")
    return tuple(sorted(asked))
