"""One page of a list, or the whole of it as a stream."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, cast

from django.db import connections, transaction
from django.db.models import ExpressionWrapper, QuerySet

from core.lists.cursor import place, unpack_values
from core.lists.keyset import Section, sections
from core.lists.query import ListQuery
from core.lists.search import few_or_many
from core.text.json import dumps

CHUNK = 2000
MAX_NEAR = 5000
"""Up to so many rows down, a page sorted by a relation reads ahead of each target; further down sorting all records costs less."""
_RESERVED = "list_sort_"

Row = dict[str, Any]
Scope = Callable[[], AbstractContextManager[Any]]


class Projection(Protocol):
    """What goes out of each record (core.api.output.Output is one)."""

    def project(self, queryset: QuerySet) -> QuerySet:
        """The queryset as `.values(...)`."""

    def render(self, row: Mapping[str, Any]) -> Row:
        """A projected row as it goes out."""

    def complete(self, rows: list[Row]) -> list[Row]:
        """Rendered rows with what is read for all rows of a page, or of a piece of a stream, at once."""


@dataclass(frozen=True)
class Page:
    """The rows of one page; `total_count` is that of the whole set."""

    rows: list[Row]
    total_count: int
    next_cursor: str | None


@dataclass(frozen=True)
class Stream:
    """The whole set, in lists of at most 2,000 rows; iterating runs the query."""

    queryset: QuerySet
    query: ListQuery
    output: Projection

    def __iter__(self) -> Iterator[list[Row]]:
        # One snapshot for all statements, so that no record is missed or comes twice when it changes its section meanwhile.
        with _snapshot(self.queryset.db):
            for section in sections(self.queryset, self.query.sort):
                found = cast(
                    Generator[Row, None, None], self.output.project(section.queryset).iterator(chunk_size=CHUNK)
                )
                # Closed before the transaction is, since the cursor ends with it.
                with closing(found) as rows:
                    while chunk := [self.output.render(row) for row in islice(rows, CHUNK)]:
                        yield self.output.complete(chunk)


def list_page(queryset: QuerySet, query: ListQuery, output: Projection) -> Page | Stream:
    """What the query asks of the queryset: a page when it paginates, else the whole set as a stream.

    A page costs one query, and one more for the total where that is neither in the cursor nor plain from the page itself;
    a page that reaches into the rows without sort value costs one more, and so does a first one that looks a text up by its grams.
    """
    if query.size is None:
        return Stream(queryset.filter(query.where), query, output)
    matching, counted = few_or_many(queryset, query)
    if query.cursor is None:
        skip = ((query.page or 1) - 1) * query.size
        parts = sections(matching, query.sort, shown=queryset, by_target=skip + query.size <= MAX_NEAR)
        found = _take(parts, output, query.size + 1, skip)
        # A first page that is not full is the whole set.
        total = len(found) if not skip and len(found) <= query.size else counted
        if total is None:
            total = queryset.filter(query.where).order_by().count()
    else:
        kinds, nullable = zip(*((key.field.stored, key.field.nullable) for key in query.sort), strict=True)
        after = unpack_values(query.cursor, kinds, nullable)
        parts = sections(matching, query.sort, after, shown=queryset, by_target=query.size <= MAX_NEAR)
        found = _take(parts, output, query.size + 1)
        total = query.cursor.total
    page = found[: query.size]
    more = len(found) > query.size
    next_cursor = place(query.sort_names, query.fingerprint, _sort_values(*page[-1]), total).encode() if more else None
    return Page(output.complete([output.render(row) for _, row in page]), total, next_cursor)


def _take(parts: Iterator[Section], output: Projection, count: int, skip: int = 0) -> list[tuple[Section, Row]]:
    """The first `count` rows after `skip`, each with the section that it comes from."""
    taken: list[tuple[Section, Row]] = []
    for section in parts:
        names: dict[str, ExpressionWrapper] = {
            _name(i): value for i, value in enumerate(section.expressions) if value is not None
        }
        rows = list(output.project(section.rows(skip, count - len(taken))).annotate(**names))
        taken += [(section, row) for row in rows]
        if len(taken) == count:
            break
        # Only an offset that lies beyond this whole section needs to know its length.
        skip = max(0, skip - section.queryset.order_by().count()) if skip and not rows else 0
    return taken


def _sort_values(section: Section, row: Row) -> list[Any]:
    return [None if value is None else row[_name(i)] for i, value in enumerate(section.expressions)]


def _name(position: int) -> str:
    return f"{_RESERVED}{position}"


class _snapshot:
    """A read-only transaction in which all statements see the same state; inside of another transaction it is just a savepoint."""

    def __init__(self, alias: str) -> None:
        self.connection = connections[alias]
        self.atomic = transaction.atomic(using=alias)

    def __enter__(self) -> None:
        outermost = not self.connection.in_atomic_block
        if outermost:
            # Whatever a session needs before its first statement is sent now, since SET TRANSACTION must be the transaction's first.
            with self.connection.cursor():
                pass
        self.atomic.__enter__()
        if outermost:
            with self.connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    def __exit__(self, *error: Any) -> None:
        self.atomic.__exit__(*error)


def stream_json(
    envelope: Mapping[str, Any],
    rows: Stream,
    scope: Scope = nullcontext,
    within: tuple[Mapping[str, Any], str] | None = None,
) -> Iterator[bytes]:
    """The list response of the whole set as JSON, in pieces and bounded memory.

    `within` is the record that the rows belong to and its field that they stand in; data is that record then.
    `scope` is entered for each piece and left before it is handed on, so that the caller's context never leaks into the code that sends it.
    totalCount stands after data and is the number of rows that were sent. Closing the iterator early ends its transaction.
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
        with scope():
            pieces.close()


def _json_pieces(
    envelope: Mapping[str, Any], rows: Stream, within: tuple[Mapping[str, Any], str] | None = None
) -> Generator[bytes, None, None]:
    prefix, end = _open(envelope) + b'"data":[', b"]"
    if within is not None:
        record, name = within
        prefix, end = _open(envelope) + b'"data":' + _open(record) + dumps(name) + b":[", b"]}"
    total = 0
    for chunk in rows:
        yield prefix + dumps(chunk)[1:-1]
        prefix = b","
        total += len(chunk)
    yield (b"" if total else prefix) + end + b',"totalCount":' + str(total).encode() + b',"nextCursor":null}'


def _open(record: Mapping[str, Any]) -> bytes:
    """The object's JSON, to be gone on with."""
    return dumps(dict(record))[:-1] + (b"," if record else b"")
