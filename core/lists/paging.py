"""The rows of a page of a list, and the whole list as a stream. core.api.pagination decides which."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, cast

from django.db import connections, transaction
from django.db.models import QuerySet

from core.lists.keyset import Place, Section, section_querysets
from core.lists.prepared import places_of
from core.lists.query import ListQuery
from core.text.json import dumps
from core.types import JsonObject, Values

# As many rows as are in memory at a time while a whole list is sent.
CHUNK = 2000

Row = JsonObject
Scope = Callable[[], AbstractContextManager[Any]]


class Projection(Protocol):
    """The output of each record (core.api.output.Output implements it)."""

    def project(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Select the columns of the output with `.values(...)`."""

    def render(self, row: Values) -> Row:
        """Convert a projected row to its output."""

    def complete(self, rows: list[Row]) -> list[Row]:
        """Add values that are read for all rows of a page, or of a chunk of a stream, at once."""

    def chosen(self, rows: list[Row], names: Collection[str]) -> list[Row]:
        """Complete the rows as far as these fields need it, and keep no others."""


@dataclass(frozen=True)
class Page:
    """The rows of one page. `total_count` counts the whole set, or is the least number that it has if it is capped."""

    rows: list[Row]
    total_count: int
    next_cursor: str | None
    is_capped: bool = False

    @property
    def members(self) -> JsonObject:
        """Return the list response's metadata."""
        capped = {"totalCountIsCapped": True} if self.is_capped else {}
        return {"totalCount": self.total_count, "nextCursor": self.next_cursor, **capped}


@dataclass(frozen=True)
class Stream:
    """The records of the queryset in lists of at most 2,000 rows, in the query's order. Iterating runs the query."""

    queryset: QuerySet[Any]
    query: ListQuery
    output: Projection
    names: Collection[str] | None = None

    def __iter__(self) -> Iterator[list[Row]]:
        # One snapshot for all statements: a record that changes its section is neither missed nor repeated.
        with _snapshot(self.queryset.db):
            for section in section_querysets(self.queryset, self.query.sort):
                projected = cast(
                    Generator[Row, None, None], self.output.project(section.queryset).iterator(chunk_size=CHUNK)
                )
                # Closed before the transaction, with which the cursor ends.
                with closing(projected) as rows:
                    while chunk := [self.output.render(row) for row in islice(rows, CHUNK)]:
                        yield complete_rows(self.output, chunk, self.names)


def complete_rows(output: Projection, rows: list[Row], names: Collection[str] | None) -> list[Row]:
    """Return the rows with the values that are read in one batch: the fields in `names`, or all without it."""
    return output.complete(rows) if names is None else output.chosen(rows, names)


def first_places(parts: Iterator[Section], count: int, skip: int = 0) -> list[Place]:
    """Return the places of the first `count` records after `skip`."""
    collected: list[Place] = []
    for section in parts:
        places = places_of(section, skip, count - len(collected))
        collected += places
        if len(collected) == count:
            break
        # Only an offset beyond this section needs the section's length.
        skip = max(0, skip - section.queryset.order_by().count()) if skip and not places else 0
    return collected


class _snapshot:
    """A read-only transaction whose statements all see the same snapshot; inside another transaction, a savepoint."""

    def __init__(self, alias: str) -> None:
        self.connection: Any = connections[alias]
        self.atomic = transaction.atomic(using=alias)

    def __enter__(self) -> None:
        outermost = not self.connection.in_atomic_block
        if outermost:
            # The session's settings are sent now, since SET TRANSACTION must be the transaction's first statement.
            with self.connection.cursor():
                self.connection.apply_scope()
        self.atomic.__enter__()
        if outermost:
            with self.connection.cursor() as cursor:
                # The whole stream reads one snapshot, and a write by mistake fails.
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    def __exit__(self, *error: Any) -> None:
        self.atomic.__exit__(*error)


def stream_json(
    envelope: Values,
    rows: Stream,
    scope: Scope = nullcontext,
    within: tuple[Values, str] | None = None,
) -> Iterator[bytes]:
    """Yield the list response of the whole set as JSON, in pieces and bounded memory.

    With `within` (a record, and the name of a field) data is that record, and the rows are the value of the field.
    `scope` is entered for each piece and left before the piece is yielded, so that it never leaks into the code that
    sends it.

    totalCount follows data and is the number of rows sent. Closing the iterator early ends its transaction.
    """
    pieces = _json_pieces(envelope, rows, within)
    try:
        while True:
            with scope():
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece
    finally:
        # Closing rolls back, which is a statement too and needs the company's scope.
        with scope():
            pieces.close()


def _json_pieces(
    envelope: Values, rows: Stream, within: tuple[Values, str] | None = None
) -> Generator[bytes, None, None]:
    prefix, end = _open(envelope) + b'"data":[', b"]"
    if within is not None:
        record, name = within
        prefix, end = _open(envelope) + b'"data":' + _open(record) + dumps(name) + b":[", b"]}"
    total = 0
    for chunk in rows:
        # Without its brackets, as the chunks together are one array.
        yield prefix + dumps(chunk)[1:-1]
        prefix = b","
        total += len(chunk)
    yield (b"" if total else prefix) + end + b',"totalCount":' + str(total).encode() + b',"nextCursor":null}'


def _open(record: Values) -> bytes:
    """Return the object's JSON without its closing brace, for more members."""
    return dumps(dict(record))[:-1] + (b"," if record else b"")
