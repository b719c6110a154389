"""The unpaginated list: all of it, in pieces, in bounded memory, without holding on to anything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.lists import Stream, stream_json
from tests.core.lists.app.models import Person
from tests.core.lists.helpers import NOW, NUMBER_FIELD, PersonOutput, parse, person, stream

ENVELOPE = {"status": "success", "success": True, "message": "Fetched"}


def crowd(count: int) -> None:
    Person.objects.bulk_create(Person(name=f"p{i:05}", created_at=NOW, age=i if i % 2 else None) for i in range(count))


@pytest.mark.django_db
def test_the_answer_is_one_json_document() -> None:
    ann = person("Ann", age=3)
    person("Bob")
    body = json.loads(b"".join(stream_json(ENVELOPE, stream(sortBy="age"))))
    assert list(body) == ["status", "success", "message", "data", "totalCount", "nextCursor"]
    assert body["data"][0] == {"_id": ann.id, "name": "Ann", "age": 3, "createdAt": "2026-03-31T12:00:00.000Z"}
    assert [row["name"] for row in body["data"]] == ["Ann", "Bob"]
    assert (body["totalCount"], body["nextCursor"], body["message"]) == (2, None, "Fetched")


@pytest.mark.django_db
def test_an_empty_set() -> None:
    assert json.loads(b"".join(stream_json(ENVELOPE, stream()))) == {
        **ENVELOPE,
        "data": [],
        "totalCount": 0,
        "nextCursor": None,
    }
    assert json.loads(b"".join(stream_json({}, stream()))) == {"data": [], "totalCount": 0, "nextCursor": None}


@pytest.mark.django_db
def test_the_rows_may_stand_in_a_field_of_a_record() -> None:
    empty = {"data": {"_id": "1", "people": []}, "totalCount": 0, "nextCursor": None}
    assert json.loads(b"".join(stream_json({}, stream(), within=({"_id": "1"}, "people")))) == empty
    person("Ann")
    person("Bob")
    body = json.loads(
        b"".join(stream_json(ENVELOPE, stream(sortBy="name", sortOrder="asc"), within=({"_id": "1"}, "people")))
    )
    assert list(body) == ["status", "success", "message", "data", "totalCount", "nextCursor"]
    assert (body["data"]["_id"], [row["name"] for row in body["data"]["people"]], body["totalCount"]) == (
        "1",
        ["Ann", "Bob"],
        2,
    )


@pytest.mark.django_db
@pytest.mark.parametrize("sort", ["name", "age", NUMBER_FIELD])
def test_pieces_are_bounded(sort: str) -> None:
    crowd(4500)
    pieces = list(stream_json(ENVELOPE, stream(sortBy=sort, sortOrder="asc")))
    assert max(len(piece) for piece in pieces) < 400_000
    assert len(pieces) >= 4
    body = json.loads(b"".join(pieces))
    assert (body["totalCount"], len({row["_id"] for row in body["data"]})) == (4500, 4500)


@pytest.mark.django_db
def test_no_query_before_the_first_piece_is_wanted() -> None:
    with CaptureQueriesContext(connection) as captured:
        stream_json(ENVELOPE, stream())
    assert len(captured) == 0


@pytest.mark.django_db(transaction=True)
def test_all_statements_see_one_snapshot() -> None:
    """A record that gets its sort value while the stream is under way neither comes twice nor goes missing."""
    crowd(2500)
    rows = iter(stream(sortBy="age", sortOrder="asc"))
    first = next(rows)
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')")
        assert cursor.fetchone() == ("repeatable read", "on")
    rest = [row for chunk in rows for row in chunk]
    assert len({row["_id"] for row in first + rest}) == 2500
    assert connection.in_atomic_block is False


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.django_db(transaction=True)
def test_a_client_that_goes_away_ends_the_transaction() -> None:
    crowd(2500)
    pieces = stream_json(ENVELOPE, stream())
    assert next(pieces).startswith(b'{"status":"success"')
    assert connection.in_atomic_block is True
    pieces.close()
    assert connection.in_atomic_block is False
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_cursors")
        assert cursor.fetchone() == (0,)
    crowd(1)
    assert Person.objects.count() == 2501


@pytest.mark.django_db(transaction=True)
def test_a_failure_midway_ends_the_transaction() -> None:
    crowd(10)

    class Broken(PersonOutput):
        @staticmethod
        def render(row: Any) -> dict[str, Any]:
            raise ZeroDivisionError

    pieces = stream_json(ENVELOPE, Stream(Person.objects.all(), parse(), Broken))
    with pytest.raises(ZeroDivisionError):
        next(pieces)
    assert connection.in_atomic_block is False


@pytest.mark.django_db
def test_the_scope_is_open_inside_and_never_outside() -> None:
    crowd(4500)
    active: ContextVar[bool] = ContextVar("active", default=False)
    entered = []

    @contextmanager
    def scope() -> Iterator[None]:
        token = active.set(True)
        entered.append(True)
        try:
            yield
        finally:
            active.reset(token)

    class Watching(PersonOutput):
        @staticmethod
        def render(row: Any) -> dict[str, Any]:
            assert active.get() is True
            return PersonOutput.render(row)

    for _ in stream_json(ENVELOPE, Stream(Person.objects.all(), parse(), Watching), scope):
        assert active.get() is False
    assert len(entered) == 6, "three pieces of rows, the end, the stop and the closing"
