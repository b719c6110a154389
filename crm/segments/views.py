"""Endpoints of segments (contract 4.4)."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.pagination import ListPagination
from core.api.viewsets import ResourceViewSet
from core.errors import InvalidFormat, PermissionLacking
from core.ids import is_id
from core.lists import LIST_PARAMETERS, ListQuery
from core.lists.values import refuse
from core.types import JsonObject
from crm.records.types import RECORD_TYPES, kind_of
from crm.segments.counts import keep_count
from crm.segments.filters import SEGMENT_FIELDS
from crm.segments.models import Segment
from crm.segments.serializers import (
    SegmentCreate,
    SegmentDelete,
    SegmentExecuted,
    SegmentOut,
    SegmentUpdate,
    selection_of,
)
from crm.segments.services import (
    create_segment,
    delete_segments,
    get_segment,
    not_found,
    segment_members,
    update_segment,
)

CHANGE_ERRORS = (
    "SegmentNameAlreadyExists_400",
    "InvalidInput_400",
    "InvalidRequest_400",
    "ContactNotFound_400",
    "LeadNotFound_400",
    "PipelineNotFound_404",
    "StageNotFound_404",
)
EXECUTE = (
    "The members of a stored segment (`id`), or the contacts or leads (`panel`) that meet the filters; with"
    " `id` these narrow\n"
    "the segment. Without p and n only the count is told. Members are told to those who may read contacts, or"
    " leads."
)
EXECUTE_PARAMETERS = (
    OpenApiParameter("id", str, description="_id of a segment"),
    OpenApiParameter("panel", str, enum=Segment.Panel.values, description="what to filter when no segment is named"),
    *LIST_PARAMETERS,
)


class SegmentViewSet(ResourceViewSet):
    module = "segment"
    listing = Listing("List segments", Segment.objects.all, SEGMENT_FIELDS, SegmentOut)

    @endpoint(
        "Create a segment",
        input=SegmentCreate,
        output=SegmentOut,
        quota_module="segment",
        success="SegmentCreated_201",
        errors=(*CHANGE_ERRORS, "PlanLimitExceeded_403"),
    )
    def create(self, request: Request, data: JsonObject) -> object:
        selection = selection_of(data)
        segment = create_segment(actor_id=self.actor.member_id, values=data, **selection)
        return SegmentOut.one(Segment.objects.filter(pk=segment.pk))

    @endpoint(
        "Delete segments",
        input=SegmentDelete,
        output=Deleted,
        bulk=True,
        success="SegmentsDeleted_200",
        errors=("SegmentNotFound_400",),
        description="Their contacts and leads stay.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": delete_segments(selection=self.selection())}

    @action(detail=False)
    @endpoint(
        "Execute a segment",
        output=SegmentExecuted,
        parameters=EXECUTE_PARAMETERS,
        errors=("SegmentNotFound_400", "InvalidRequest_400"),
        description=EXECUTE,
    )
    def execute(self, request: Request) -> object:
        segment, panel, records = self._requested_records(request)
        id = segment.pk if segment else None
        query = ListQuery.parse(request.query_params, RECORD_TYPES[panel].fields, extra=("id", "panel"))
        matches = records.filter(query.where)
        answer: JsonObject = {"segment": id, "panel": panel}
        if not query.paginated:
            number = matches.count()
            if segment and not query.where:
                keep_count(segment, number)
            return {**answer, "count": number, "records": None}
        if not (self.actor.is_unbounded or self.actor.may(panel, "GET")):
            raise PermissionLacking(f"{panel}.GET", "; without p and n the count is told")
        page = ListPagination().read_page(records, matches, query, RECORD_TYPES[panel].output)
        # Only what counted the whole segment may take the place of its stored number.
        if segment and not query.where and not page.is_capped:
            keep_count(segment, page.total_count)
        answer |= {"count": page.total_count, "records": page.rows}
        return self.success(answer, **page.members)

    def _requested_records(self, request: Request) -> tuple[Segment | None, str, QuerySet[Any]]:
        """Return the segment, its panel and its records; or no segment, the requested panel and all of its records."""
        id, panel = request.query_params.get("id"), request.query_params.get("panel")
        if panel is not None and panel not in Segment.Panel.values:
            raise refuse("panel", f"one of {', '.join(Segment.Panel.values)}")
        if id is None:
            if panel is None:
                raise refuse("id", "name a segment, or the panel that the filters are for")
            return None, panel, kind_of(panel).live()
        if not is_id(id):
            raise InvalidFormat("_id", id, "an id is 24 hex characters", field="id")
        segment = get_segment(id)
        if panel not in (None, segment.panel):
            raise refuse("panel", f"the segment is of {segment.panel}")
        return segment, segment.panel, segment_members(segment)

    @endpoint("Read a segment", output=SegmentOut, errors=("SegmentNotFound_400",))
    def retrieve(self, request: Request, id: str) -> object:
        return self._segment_data(id)

    @endpoint(
        "Update a segment",
        input=SegmentUpdate,
        output=SegmentOut,
        success="SegmentUpdated_200",
        errors=("SegmentNotFound_400", *CHANGE_ERRORS),
        description="What is not given stays. filters and advancedFilters together replace the tree of a dynamic"
        " segment, ids the records of a static one.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        selection = selection_of(data)
        update_segment(id=id, actor_id=self.actor.member_id, values=data, **selection)
        return self._segment_data(id)

    def _segment_data(self, id: str) -> JsonObject:
        segment = SegmentOut.one(Segment.objects.filter(pk=id))
        if segment is None:
            raise not_found()
        return segment
