"""The lists of the API that can be exported, by their own declarations."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import F, QuerySet

from core.access import Actor
from core.api.listing import Listing, ListRequest
from core.lists import ListQuery, Stream
from core.lists.values import refuse
from core.types import JsonObject, Values

PAGING = ("p", "n", "cursorPagination", "cursor")
CHUNK = 2000
_ID_BYTES = 12
_PK = "exported_pk"


@dataclass(frozen=True)
class Source:
    """A list that can be exported. `resource` is its path; `panel` is the panel of its records' custom fields."""

    resource: str
    listing: Listing
    module: str
    """The permission module that opens the list."""
    panel: str = ""

    @property
    def modules(self) -> tuple[str, ...]:
        """The permission modules that it takes to read all of the list."""
        return (self.module, *self.listing.whole)


SOURCES: dict[str, Source] = {}
"""Resource -> source; domains register theirs (crm.exports.lists)."""


def parse(listing: Listing, params: Values) -> ListQuery:
    """Return the query of an export. Raises the errors of the query."""
    paging = next((name for name in PAGING if name in params), None)
    if paging is not None:
        raise refuse(paging, "an export is of all that matches; leave it out")
    return ListQuery.parse(params, listing.fields, extra=listing.extra)


class Records:
    """The records of a list that a query selects, in its order, read again chunk by chunk.

    Memory holds 12 bytes for each record. The ids are read at once; each chunk is read in a short transaction of its
    own, so that hours of writing block no vacuum. A record that has been deleted since is left out.
    """

    def __init__(
        self,
        listing: Listing,
        params: Values,
        *,
        caller: Actor | None = None,
        most: int | None = None,
        ids: bytes | None = None,
    ) -> None:
        """Find the records that the caller may read, or all of them without one, or take the `ids` of an earlier
        search.

        `most` stops the search above that number. Raises the errors of the query.
        """
        self.output = listing.output
        self.rows = listing.rows(ListRequest(params, caller=caller))
        self._ids = bytearray(ids or b"")
        if ids is not None:
            return
        query = parse(listing, params)
        for chunk in Stream(self.rows.filter(query.where), query, _Ids()):
            self._ids += bytes.fromhex("".join(chunk))  # type: ignore[arg-type]
            if most is not None and len(self) > most:
                return

    def __len__(self) -> int:
        return len(self._ids) // _ID_BYTES

    def __iter__(self) -> Iterator[list[JsonObject]]:
        """Yield the records as their list shows them, at most 2,000 at a time."""
        return (chunk for _, chunk in self.chunks_after(0))

    @property
    def ids(self) -> bytes:
        """The ids of the records, 12 bytes each."""
        return bytes(self._ids)

    def chunks_after(self, done: int) -> Iterator[tuple[int, list[JsonObject]]]:
        """Yield the records after the first `done`, at most 2,000 at a time, each time with the new number of
        records done."""
        output, size = self.output, chunk_rows()
        for start in range(done, len(self), size):
            end = min(start + size, len(self))
            places = range(start * _ID_BYTES, end * _ID_BYTES, _ID_BYTES)
            chunk = [self._ids[place : place + _ID_BYTES].hex() for place in places]
            records = output.project(self.rows.order_by().filter(pk__in=chunk)).annotate(**{_PK: F("pk")})
            rows = {row[_PK]: output.render(row) for row in records}
            yield end, output.complete([rows[pk] for pk in chunk if pk in rows])


def chunk_rows() -> int:
    """Return the number of records in a chunk; chaos tests lower it to interrupt an export at more points."""
    return int(getattr(settings, "EXPORT_CHUNK_ROWS", CHUNK))


class _Ids:
    """A projection of the ids alone."""

    def project(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.values("pk")

    def render(self, row: Values) -> Any:
        return row["pk"]

    def complete(self, rows: list[Any]) -> list[Any]:
        return rows

    def chosen(self, rows: list[Any], names: Collection[str]) -> list[Any]:
        return rows
