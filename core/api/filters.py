"""Filter backends of lists: search, filters, ids and order (interface section 4.1)."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, TypeVar, cast

from django.db.models import Model, QuerySet
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request
from rest_framework.views import APIView

from core.api.fields import FIELDS, choose_fields
from core.lists import ListQuery
from core.lists.keyset import sort_sections
from core.lists.parameters import refuse_unknown
from core.lists.query import PARAMETERS, read_parameters

if TYPE_CHECKING:
    from core.api.listing import Listing
    from core.api.viewsets import ResourceViewSet

Record = TypeVar("Record", bound=Model)
Row = TypeVar("Row")


def read_query(request: Request, listing: Listing) -> tuple[ListQuery, Collection[str] | None]:
    """Parse the query string of a list into its query and the fields that records have (None: all of them).

    Raises a 400 for a parameter that is malformed or unknown.
    """
    params = request.query_params.copy()
    refuse_unknown(read_parameters(params), {*PARAMETERS, *listing.extra, FIELDS.name})
    names = params.pop(FIELDS.name, None)
    query = ListQuery.parse(params, listing.fields, extra=listing.extra)
    return query, None if names is None else choose_fields(names, listing.output)


class ListFilterBackend(BaseFilterBackend):
    """Base of the classes. The view has parsed its `list_query`, since all parts of it are checked together."""

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Record, Row], view: APIView
    ) -> QuerySet[Record, Row]:
        return self.apply(queryset, cast("ResourceViewSet", view).list_query)

    def apply(self, queryset: QuerySet[Record, Row], query: ListQuery) -> QuerySet[Record, Row]:
        """Return the queryset with the part of the query that the class applies."""
        raise NotImplementedError


class SearchFilter(ListFilterBackend):
    """Keeps the records that a search finds: `searchBy` and `searchValue`."""

    def apply(self, queryset: QuerySet[Record, Row], query: ListQuery) -> QuerySet[Record, Row]:
        search = query.conditions.search
        return queryset.filter(search) if search else queryset


class FieldFilter(ListFilterBackend):
    """Keeps the records whose fields meet `filters` and `advancedFilters`."""

    def apply(self, queryset: QuerySet[Record, Row], query: ListQuery) -> QuerySet[Record, Row]:
        filters = query.conditions.filters
        return queryset.filter(filters) if filters else queryset


class IdFilter(ListFilterBackend):
    """Keeps the records of `ids` and leaves out those of `nids`."""

    def apply(self, queryset: QuerySet[Record, Row], query: ListQuery) -> QuerySet[Record, Row]:
        ids = query.conditions.ids
        return queryset.filter(ids) if ids else queryset


class OrderingFilter(ListFilterBackend):
    """Orders the records by `sortBy` and `sortOrder`, and by their ids where these are equal."""

    def apply(self, queryset: QuerySet[Record, Row], query: ListQuery) -> QuerySet[Record, Row]:
        return sort_sections(queryset, query.sort)
