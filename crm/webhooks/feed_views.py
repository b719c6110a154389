"""The endpoint of the feed of events."""

from __future__ import annotations

from collections.abc import Mapping

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from core.access import Actor, may_read
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.errors import shorten
from core.events import feed
from core.events.kinds import EVENT_KINDS, kinds_matching, module_of
from core.ids import is_id
from core.lists.parameters import page_size, refuse_unknown
from core.lists.values import refuse
from crm.webhooks.feed_serializers import EventOut

DEFAULT_SIZE, MAX_SIZE = 100, 1000
PARAMETERS = (
    OpenApiParameter("after", str, description="nextCursor of the answer before; the oldest events without it"),
    OpenApiParameter("cursor", str, description="the same as after, as lists call it; send one of them"),
    OpenApiParameter(
        "kinds",
        str,
        description="comma-separated kinds such as contact.created, or contact.*; all of them unless given",
    ),
    OpenApiParameter("object", str, description="_id of the record whose events are wanted"),
    OpenApiParameter(
        "n",
        int,
        description=f"events of a page: {DEFAULT_SIZE} unless given, {MAX_SIZE} at most, which more counts as",
    ),
)
DESCRIPTION = (
    "All that happened, oldest first, for programs that follow it. nextCursor is never null: it is where to go on,"
    " at once while hasMore is true, otherwise a while later. Who goes on from each nextCursor gets each event once and"
    " misses none; events of transactions that still run come when these have ended. Of one record, objectSequence"
    " tells the order: of two transactions, the one that began first may have changed it last. A page may have fewer"
    f" than n events, or none, before the end. Events are kept for {feed.EVENT_LIFE.days} days; an older cursor is"
    " refused, with the oldest one in `warning`. Kinds of records that the caller may not read are left out."
)


class EventFeedViewSet(ResourceViewSet):
    module = "api"

    @endpoint(
        "Follow the events",
        output=EventOut,
        many=True,
        list_parameters=(),
        counted=False,
        parameters=PARAMETERS,
        envelope_fields={"hasMore": {"type": "boolean", "description": "whether to go on at once"}},
        errors=("InvalidRequest_400",),
        description=DESCRIPTION,
    )
    def list(self, request: Request) -> object:
        params = request.query_params
        refuse_unknown(params, [parameter.name for parameter in PARAMETERS])
        size = page_size(params, DEFAULT_SIZE, MAX_SIZE)
        object_id = params.get("object") or None
        if object_id is not None and not is_id(object_id):
            raise refuse("object", f"enter an id of 24 characters, not {shorten(object_id, 40)!r}")
        after = _position(params)
        kinds = readable_kinds(self.actor, params.get("kinds", ""))
        page = feed.read(after=after, size=size, kinds=None if kinds == EVENT_KINDS else kinds, object_id=object_id)
        return self.success(
            [EventOut.from_event(event) for event in page.events],
            totalCount=None,
            nextCursor=page.next.encode(feed.cursor_epoch()),
            hasMore=page.has_more,
        )


def _position(params: Mapping[str, str]) -> feed.Position | None:
    """Return the position of `after` or `cursor`; None without them. Raises InvalidRequest_400."""
    tokens = {name: params[name] for name in ("after", "cursor") if params.get(name)}
    if len({*tokens.values()}) > 1:
        raise refuse("cursor", "differs from after; send one of them")
    return next((feed.position_of(token, name=name) for name, token in tokens.items()), None)


def readable_kinds(actor: Actor, text: str) -> set[str]:
    """Return the kinds that a parameter names and that the actor may read. Raises InvalidRequest_400."""
    try:
        kinds = kinds_matching(part.strip() for part in (text or "*").split(",") if part.strip())
    except ValueError as error:
        raise refuse("kinds", f"choose one of the events; {shorten(str(error), 60)!r} is unknown") from None
    modules = {module_of(kind) for kind in kinds}
    readable = {module for module in modules if may_read(actor, module)}
    return {kind for kind in kinds if module_of(kind) in readable}
