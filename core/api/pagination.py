"""Pagination classes: pages of lists by number or cursor, and whole lists as streams (interface section 4.1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.db.models import Model, QuerySet
from django.http import StreamingHttpResponse
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.envelope import envelope, respond
from core.lists import ListQuery, Page, Stream, stream_json
from core.lists.cursor import Cursor, cursor_at, unpack_values
from core.lists.keyset import Place, section_querysets
from core.lists.matching import MAX_COUNTED, Matching, matching
from core.lists.paging import Projection, complete_rows, first_places
from core.lists.prepared import rows_of, sort_values
from core.tenancy import reopen
from core.types import Values

if TYPE_CHECKING:
    from core.api.viewsets import ResourceViewSet

Record = TypeVar("Record", bound=Model)

MAX_NEAR = 5000
"""The deepest row that a page sorted by a relation finds target by target; further down, sorting all is cheaper."""


@dataclass(frozen=True)
class PagePlaces:
    """The places of a page's records and of one more, if there is one, and the size of the whole list.

    `skipped` records come before these. If the list is `capped`, it has more records than `total`.
    """

    places: list[Place]
    total: int
    capped: bool
    skipped: int = 0


class ListPagination(BasePagination):
    """Cuts a page by number (`p`, `n`) or by cursor, or leaves the whole list as a stream if the request has no size.

    A page costs two queries: one for the ids and one for the records' values (docs/decisions/0017). A further one
    counts the total, unless the cursor or the page itself gives it. Another one is needed if the page reaches the
    records without a sort value. The choice of a form (core.lists.matching) may cost a first page up to two more.
    """

    view: ResourceViewSet
    page: Page
    stream: Stream

    def paginate_queryset(
        self, queryset: QuerySet[Record, Any] | Sequence[Any], request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        """Return the page's rows, as the list's output renders them. None: the request does not paginate."""
        self.view = cast("ResourceViewSet", view)
        matches = cast("QuerySet[Any]", queryset)
        query = self.view.list_query
        output = self.view.answering_listing.output
        names = self.view.chosen_fields
        if query.size is None:
            self.stream = Stream(matches, query, output, names)
            return None
        self.page = self.read_page(self.view.listed, matches, query, output, names)
        return self.page.rows

    def read_page(
        self,
        listed: QuerySet[Any],
        matches: QuerySet[Any],
        query: ListQuery,
        output: Projection,
        names: Collection[str] | None = None,
    ) -> Page:
        """Return the page of `matches`, which are those of `listed` that meet the query's conditions.

        `names` are the fields of the output that the rows have; None: all.
        """
        if query.size is None:
            raise ValueError("a page needs a size")
        # A search or a custom value is looked up first or compared last, by how many records match. So the page
        # takes its conditions from the query, and the records from before the filter backends.
        form = matching(listed, matches, query)
        found = self._page_after(query.cursor, form, query) if query.cursor else self._page_by_number(form, query)
        page = found.places[: query.size]
        next_cursor = None
        if len(found.places) > query.size:
            last = sort_values(page[-1], query.sort)
            next_cursor = cursor_at(query.sort_names, query.fingerprint, last, found.total).encode()
        total = max(MAX_COUNTED, found.skipped + len(page)) if found.capped else found.total
        # Read after the places: only the shown records cost their joins.
        rows = rows_of(listed, [place[-1] for place in page], output)
        rendered = complete_rows(output, [output.render(row) for row in rows], names)
        return Page(rendered, total, next_cursor, found.capped)

    def _page_by_number(self, form: Matching, query: ListQuery) -> PagePlaces:
        """Find the page with the number that the query names, the first one by default."""
        size = query.size or 0
        skip = ((query.page or 1) - 1) * size
        parts = section_querysets(form.rows, query.sort, by_target=skip + size <= MAX_NEAR, within=form.within)
        # Fetch one extra row to detect a next page, without counting.
        places = first_places(parts, size + 1, skip)
        # A page that isn't full is the end of the list.
        if len(places) <= size and (places or not skip):
            return PagePlaces(places, skip + len(places), capped=False, skipped=skip)
        total = form.count()
        return PagePlaces(places, total, form.is_beyond(total), skip)

    def _page_after(self, cursor: Cursor, form: Matching, query: ListQuery) -> PagePlaces:
        """Find the page after the cursor."""
        size = query.size or 0
        kinds, nullable = zip(*((key.field.stored, key.field.may_lack_key) for key in query.sort), strict=True)
        after = unpack_values(cursor, kinds, nullable)
        parts = section_querysets(form.rows, query.sort, after, by_target=size <= MAX_NEAR, within=form.within)
        # Counted once: later pages repeat the total, so a walk through a large list costs no count for each page.
        return PagePlaces(first_places(parts, size + 1), cursor.total, form.is_beyond(cursor.total))

    def get_paginated_response(self, data: Any) -> Response:
        """Return the page's response, with its metadata next to data."""
        return respond(self.view.declared.success, data, **self.page.members)

    def get_streamed_response(self, within: tuple[Values, str] | None) -> StreamingHttpResponse:
        """Return the whole list. It is read later, in the scope that is active now.

        `within` is the record that contains the list, and the name of its field.
        """
        status, head = envelope(self.view.declared.success)
        content = stream_json(head, self.stream, reopen(), within)
        return StreamingHttpResponse(content, status=status, content_type="application/json")
