"""Filter backends: search, filters, ids and order of lists (interface section 4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from django.db.models import Model, QuerySet
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request
from rest_framework.views import APIView

from core.api.fields import FIELDS, choose_fields
from core.lists import ListQuery
from core.lists.parameters import refuse_unknown
from core.lists.query import PARAMETERS, read_parameters

if TYPE_CHECKING:
    from core.api.viewsets import ResourceViewSet

Record = TypeVar("Record", bound=Model)
Row = TypeVar("Row")


class ListFilterBackend(BaseFilterBackend):
    """Parses the query string of a list into the view's `list_query`, and refuses what is malformed or unknown.

    It returns the queryset as it is. ListPagination applies the conditions, because their form depends on the page
    (core.lists.matching). Statements of pages are built and planned once (decision 0017).
    """

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Record, Row], view: APIView
    ) -> QuerySet[Record, Row]:
        view_set = cast("ResourceViewSet", view)
        listing = view_set.answering_listing
        params = request.query_params.copy()
        refuse_unknown(read_parameters(params), {*PARAMETERS, *listing.extra, FIELDS.name})
        names = params.pop(FIELDS.name, None)
        view_set.list_query = ListQuery.parse(params, listing.fields, extra=listing.extra)
        view_set.chosen_fields = None if names is None else choose_fields(names, listing.output)
        return queryset
