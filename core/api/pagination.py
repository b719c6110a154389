"""Pagination classes: pages of lists by number or cursor, and whole lists as streams (interface section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.db.models import Model, QuerySet
from django.http import StreamingHttpResponse
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.envelope import envelope, respond
from core.lists import Page, Stream, list_page, stream_json
from core.tenancy import reopen
from core.types import Values

if TYPE_CHECKING:
    from core.api.viewsets import ResourceViewSet

Record = TypeVar("Record", bound=Model)


class ListPagination(BasePagination):
    """Reads the page that the view's `list_query` asks for, or the whole list as a stream if it asks for none.

    core.lists.paging selects the page's ids and then the columns of the list's output (docs/decisions/0017).
    """

    view: ResourceViewSet
    page: Page
    stream: Stream

    def paginate_queryset(
        self, queryset: QuerySet[Record, Any] | Sequence[Any], request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        """Return the page's rows, as the list's output renders them. None: the request does not paginate."""
        self.view = cast("ResourceViewSet", view)
        rows = cast("QuerySet[Any]", queryset)
        answer = list_page(rows, self.view.list_query, self.view.answering_listing.output, self.view.chosen_fields)
        if isinstance(answer, Stream):
            self.stream = answer
            return None
        self.page = answer
        return answer.rows

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
