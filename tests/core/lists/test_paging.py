"""Pages by number and by cursor: every record once, in order, by a fixed number of queries, with nulls and equals."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from operator import itemgetter
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import NamedError
from core.lists.values import upper_text
from core.text.folding import sort_text
from tests.core.lists.app.models import Person, Team
from tests.core.lists.helpers import (
    COLUMNS,
    FLAG_FIELD,
    NOW,
    NUMBER_FIELD,
    TEXT_FIELD,
    TIME_FIELD,
    page,
    person,
    stream,
)
from tests.core.lists.test_tree import LETTERS, MOMENTS, record
from tests.kit.examples import thorough

pytestmark = pytest.mark.django_db


def by_cursor(n: int, **params: Any) -> Iterator[list[str]]:
    """Yield the ids of each page, in cursor mode."""
    found = page(n=n, cursorPagination="true", **params)
    total = found.total_count
    for _ in range(1000):
        yield [row["_id"] for row in found.rows]
        assert found.total_count == total
        if found.next_cursor is None:
            return
        assert len(found.rows) == n
        found = page(n=n, cursor=found.next_cursor, **params)
    raise AssertionError("the pages never end")


KEYS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "name": lambda row: sort_text(row["name"]),
    "email": lambda row: upper_text(row["email"]),
    "team.name": lambda row: sort_text(row["team.name"]),
    TEXT_FIELD: lambda row: sort_text(row[TEXT_FIELD]),
}
"""What a value is sorted by, where it is not the value itself."""


def in_order(people: list[Person], sort: list[tuple[str, str]]) -> list[str]:
    """Return the ids as the contract sorts them, in plain Python."""
    rows = [record(p) for p in people]
    for name, order in reversed([*sort, ("_id", sort[-1][1])]):
        # sorted() keeps the order of equals, also in reverse: that is what the passes for the later keys have set.
        value = KEYS.get(name, itemgetter(name))
        if name == "name" and [one for one, _ in sort] == ["createdAt", "name"]:
            value = itemgetter(name)  # an index has the default sort
        present = sorted((row for row in rows if row.get(name) is not None), key=value, reverse=order == "desc")
        rows = present + [row for row in rows if row.get(name) is None]
    return [row["_id"] for row in rows]


SORTS = st.lists(
    st.tuples(
        st.sampled_from(["name", "age", "email", "team.name", "createdAt", "active", "born", "doubled", "_id",
        *COLUMNS]),
        st.sampled_from(["asc", "desc"]),
    ),
    min_size=1, max_size=4, unique_by=lambda pair: pair[0],
)  # fmt: skip
TEAMS = ("Sales", "sales", "Sales", "Ärzte", "", "Press", "Press", "Legal", "Office", "Board", "Sales", "Zoo")
CROWDS = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["a", "b", "ß", "😀"]), "created_at": MOMENTS},
        optional={
            "email": LETTERS, "age": st.integers(0, 2), "active": st.booleans(), "born": MOMENTS,
            "team": st.integers(0, len(TEAMS) - 1),
            TEXT_FIELD: LETTERS, FLAG_FIELD: st.booleans(), NUMBER_FIELD: st.decimals(0, 1, places=1),
            TIME_FIELD: MOMENTS,
        },
    ),
    min_size=1, max_size=14,
)  # fmt: skip


@settings(
    max_examples=thorough(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    crowd=CROWDS, sort=SORTS | st.sampled_from([[("team.name", "asc")], [("team.name", "desc")]]), n=st.integers(1, 5)
)
def test_each_record_comes_once_and_in_order(crowd: list[dict[str, Any]], sort: list[tuple[str, str]], n: int) -> None:
    Person.objects.all().delete()
    Team.objects.all().delete()
    teams = [Team.objects.create(name=name) for name in TEAMS]
    for values in crowd:
        person(**{**values, "team": teams[values["team"]] if "team" in values else None})
    expected = in_order(list(Person.objects.all()), sort)
    params = {"sortBy": ",".join(name for name, _ in sort), "sortOrder": ",".join(order for _, order in sort)}
    assert [key for keys in by_cursor(n, **params) for key in keys] == expected
    pages = -(-len(expected) // n)
    assert [row["_id"] for p in range(pages) for row in page(p=p + 1, n=n, **params).rows] == expected
    assert page(p=pages + 1, n=n, **params).rows == []
    assert [row["_id"] for rows in stream(**params) for row in rows] == expected


@pytest.mark.parametrize(
    "sort", ["name", "age", NUMBER_FIELD, "age,name", f"{NUMBER_FIELD},age", "team.name", "team.name,age"]
)
@pytest.mark.parametrize("order", ["asc", "desc", "asc,desc"])
def test_inserts_between_pages_disturb_nothing(sort: str, order: str) -> None:
    order = order if "," in sort else order.split(",")[0]
    teams = [Team.objects.create(name=name) for name in TEAMS]
    for i in range(20):
        values = {} if i % 4 == 0 else {"age": i % 3, NUMBER_FIELD: Decimal(i % 5) / 2, "team": teams[i % 7]}
        person(f"p{i % 7}", **values)
    before = set(Person.objects.values_list("id", flat=True))
    seen: list[str] = []
    for i, keys in enumerate(by_cursor(3, sortBy=sort, sortOrder=order)):
        seen += keys
        person(f"p{i % 9}", age=i % 4, team=teams[i % len(teams)], **{NUMBER_FIELD: i % 3})
        person(f"p{i % 9}")
    assert sorted(key for key in seen if key in before) == sorted(before)
    assert len(set(seen)) == len(seen)


def test_values_in_a_cursor_are_exact() -> None:
    moment = datetime(2026, 1, 1, 0, 0, 0, 123456, tzinfo=UTC)
    people = [
        person(
            name=name,
            born=moment + timedelta(microseconds=i),
            score=Decimal("12345678901234567890.0123456789") + i,
            weight=0.1 + i / 3,
        )
        for i, name in enumerate(["\u2028 ,\"\\'", "日本語 😀", "ß%_", "\x7f", "e\u0301", "é"])
    ]
    for sort in ("name", "born", "score", "weight"):
        ids = [key for keys in by_cursor(1, sortBy=sort, sortOrder="asc") for key in keys]
        assert ids == in_order(people, [(sort, "asc")]) or sort in ("score", "weight")
        assert sorted(ids) == sorted(p.id for p in people)


def test_next_cursor_is_null_on_the_last_page_only() -> None:
    for i in range(4):
        person(f"p{i}")
    assert page(p=1, n=4).next_cursor is None
    assert page(p=2, n=2).next_cursor is None
    assert page(p=3, n=2).next_cursor is None
    first = page(p=1, n=2, sortBy="name", sortOrder="asc")
    assert isinstance(first.next_cursor, str)
    second = page(n=2, cursor=first.next_cursor, sortBy="name", sortOrder="asc")
    assert [row["name"] for row in second.rows] == ["p2", "p3"]
    assert (second.next_cursor, second.total_count) == (None, 4)


def test_the_cursor_brings_its_sort() -> None:
    for i in range(3):
        person(f"p{i}")
    first = page(cursorPagination="true", n=2, sortBy="name", sortOrder="asc")
    assert [row["name"] for row in page(n=2, cursor=first.next_cursor).rows] == ["p2"]


def test_queries_of_a_page() -> None:
    """One for the ids and one for what is shown of the records; and the count."""
    for i in range(5):
        person(f"p{i}", **({"age": i} if i < 4 else {}))

    def queries(**params: Any) -> int:
        with CaptureQueriesContext(connection) as captured:
            page(**params)
        return len(captured)

    cursor = page(cursorPagination="true", n=2).next_cursor
    assert queries(p=1, n=2) == 3
    assert queries(p=2, n=2) == 3
    assert queries(p=1, n=5) == 2, "a first page that holds everything needs no count"
    assert queries(cursorPagination="true", n=2) == 3
    assert queries(n=2, cursor=cursor) == 2
    by_age = page(cursorPagination="true", n=2, sortBy="age").next_cursor
    assert queries(cursorPagination="true", n=2, sortBy="age") == 3
    assert queries(n=1, cursor=by_age, sortBy="age") == 2
    assert queries(n=2, cursor=by_age, sortBy="age") == 3, "the page reaches into those without age"


def test_queries_of_a_page_sorted_by_a_relation() -> None:
    """One for the targets, one for a few of them at a time, one for the records that refer to none, one for what
    is shown; and the count."""
    teams = [Team.objects.create(name=f"Team {i:02}") for i in range(20)]
    for i in range(60):
        person(f"p{i}", team=teams[(1, 2, 19)[i % 3]])

    def queries(**params: Any) -> int:
        with CaptureQueriesContext(connection) as captured:
            page(sortBy="team.name", sortOrder="asc", **params)
        return len(captured)

    assert queries(p=1, n=10) == 4
    assert queries(p=1, n=30) == 5, "the page goes on into the next sixteen teams"
    assert queries(p=1, n=60) == 6, "all teams, the last one with them, and those of none"
    assert queries(p=6, n=10) == 8, "an offset counts what it passes, and a page that isn't full is the last one"
    cursor = page(cursorPagination="true", n=10, sortBy="team.name", sortOrder="asc").next_cursor
    assert queries(n=5, cursor=cursor) == 3


def test_rows_hold_just_what_the_output_declares() -> None:
    created = person("Ann", age=3)
    assert page(p=1, n=1, sortBy="age,name").rows == [{"_id": created.id, "name": "Ann", "age": 3, "createdAt": NOW}]


@pytest.fixture
def cursor() -> str:
    for i in range(3):
        person(f"p{i}", age=i)
    found = page(cursorPagination="true", n=1, sortBy="age").next_cursor
    assert found is not None
    return found


@pytest.mark.parametrize(
    "params",
    [
        {"sortBy": "name"},
        {"sortBy": "age", "sortOrder": "asc"},
        {"sortBy": "age", "filters": '{"name": "p1"}'},
        {"sortBy": "age", "searchValue": "p"},
        {"sortBy": "age", "nids": "a" * 24},
    ],
)
def test_a_cursor_of_another_query_is_refused(cursor: str, params: dict[str, Any]) -> None:
    with pytest.raises(NamedError) as error:
        page(n=1, cursor=cursor, **params)
    assert error.value.detail.startswith("cursor: belongs to another query")


def crafted(cursor: str, **changes: Any) -> str:
    content = json.loads(base64.urlsafe_b64decode(cursor + "=="))
    return base64.urlsafe_b64encode(json.dumps({**content, **changes}).encode()).decode()


@pytest.mark.parametrize(
    "changes",
    [
        {"after": []},
        {"after": ["1"]},
        {"after": ["1", "2", "3"]},
        {"after": [1, "a" * 24]},
        {"after": [{}, "a" * 24]},
        {"after": ["x", "a" * 24]},
        {"after": ["NaN", "a" * 24]},
        {"after": ["1e999999", "a" * 24]},
        {"after": ["1", None]},
        {"after": ["1", "\0"]},
        {"after": ["1", "\ud800"]},
        {"after": {"a": 1, "b": 2}},
        {"total": -1},
        {"total": 2**60},
        {"total": True},
        {"total": "3"},
        {"total": 4711},
        {"signature": "0" * 16},
        {"signature": None},
        {"query": 3},
        {"query": "0" * 16},
        {"sort": [["age", "up"]]},
        {"sort": [["age"]]},
        {"sort": ["ab"]},
        {"sort": [[["age"], "asc"]]},
        {"sort": None},
        {"more": 1},
    ],
)
def test_a_crafted_cursor_is_a_400(cursor: str, changes: dict[str, Any]) -> None:
    with pytest.raises(NamedError) as error:
        page(n=1, cursor=crafted(cursor, **changes), sortBy="age")
    assert error.value.name == "InvalidRequest_400"
    assert error.value.detail.startswith("cursor: ")


@pytest.mark.parametrize("token", ["x", "====", "e30", "bnVsbA", "W10", "é", "a\0", "WyJ" * 50_000, "W1tb" * 20_000])
def test_garbage_for_a_cursor_is_a_400(token: str) -> None:
    with pytest.raises(NamedError) as error:
        page(n=1, cursor=token)
    assert error.value.detail.startswith("cursor: is not a nextCursor of this list")


def test_a_place_that_exists_no_more_still_works(cursor: str) -> None:
    assert [row["name"] for row in page(n=5, cursor=crafted(cursor, after=["1.5", "a" * 24]), sortBy="age").rows] == [
        "p1",
        "p0",
    ]
    assert page(n=5, cursor=crafted(cursor, after=["-1e200", "a" * 24]), sortBy="age").rows == []
    assert page(n=5, cursor=crafted(cursor, after=[None, "a" * 24]), sortBy="age").rows == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(
    max_examples=thorough(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(value=JSON | st.decimals().map(str) | st.datetimes().map(str) | MOMENTS.map(str))
def test_no_crafted_value_is_an_error_of_ours(cursor: str, value: Any) -> None:
    for sort in ("age", "name", "createdAt", "active", NUMBER_FIELD, TIME_FIELD):
        first = page(cursorPagination="true", n=1, sortBy=sort).next_cursor
        assert first is not None
        with suppress(NamedError):
            assert len(page(n=5, cursor=crafted(first, after=[value, "a" * 24]), sortBy=sort).rows) <= 3
