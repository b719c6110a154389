"""The plans of deep pages on 20,000 records: an index gives the order and the position, nothing is sorted."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.ids import new_id
from core.tenancy import use_owner_role
from tests.core.lists.app.models import Person, PersonValue
from tests.core.lists.helpers import NOW, NUMBER_FIELD, TEXT_FIELD, page
from tests.kit.examples import in_make_check

pytestmark = [pytest.mark.django_db, in_make_check]
ROWS = 20_000
N = 50
TABLES = (("lists_test_person", "id"), ("lists_test_personvalue", "person_id"))


@pytest.fixture(scope="module", autouse=True)
def crowd(django_db_setup: None, django_db_blocker: Any) -> Any:
    """20,000 people: a tenth without age, half with a number of their own, a quarter with a text."""
    with django_db_blocker.unblock():
        people = [
            Person(id=new_id(), name=f"p{i:05}", created_at=NOW + timedelta(seconds=i // 3), age=i if i % 10 else None)
            for i in range(ROWS)
        ]
        Person.objects.bulk_create(people, batch_size=5000)
        values = [PersonValue(person=p, field_id=NUMBER_FIELD, number=i % 5000) for i, p in enumerate(people) if i % 2]
        values += [
            PersonValue(person=p, field_id=TEXT_FIELD, text=f"t{i % 3}") for i, p in enumerate(people) if i % 4 == 1
        ]
        PersonValue.objects.bulk_create(values, batch_size=5000)
        with use_owner_role(), connection.cursor() as cursor:
            # Its function comes with the migrations, after the tables of an app that has none.
            cursor.execute(
                "CREATE INDEX value_sort ON lists_test_personvalue (field_id, text_sort_key(text), person_id)"
                " INCLUDE (position, text)"
            )
            cursor.execute("ANALYZE lists_test_person, lists_test_personvalue")
            # As in production, a policy stands before every condition whose function could leak: none of ours may be
            # held up by it.
            for table, column in TABLES:
                cursor.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
                cursor.execute(
                    f"CREATE POLICY all_rows ON {table} USING ({column} > current_setting('app.company', true))"
                )
        yield
        with use_owner_role(), connection.cursor() as cursor:
            cursor.execute("DROP INDEX value_sort")
            for table, _ in TABLES:
                cursor.execute(f"DROP POLICY all_rows ON {table}")
                cursor.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY")
                cursor.execute(f"TRUNCATE {table} CASCADE")


def plans(**params: Any) -> list[dict[str, Any]]:
    """Return the nodes of the plans of a page's queries, with their measured rows."""
    with CaptureQueriesContext(connection) as captured:
        assert len(page(**params).rows) == N
    nodes: list[dict[str, Any]] = []
    for query in captured:
        if query["sql"].startswith("EXPLAIN"):
            continue
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query['sql']}")
            nodes += walk(
                json.loads(text)[0]["Plan"] if isinstance(text := cursor.fetchone()[0], str) else text[0]["Plan"]
            )
    return nodes


def walk(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", []) for node in walk(child))]


def rows_read(nodes: list[dict[str, Any]]) -> int:
    """Return the number of rows that the scans read, including those that a filter removed."""
    return sum(
        (n["Actual Rows"] + n.get("Rows Removed by Filter", 0)) * n["Actual Loops"]
        for n in nodes
        if "Scan" in n["Node Type"]
    )


def rows_sorted(nodes: list[dict[str, Any]]) -> int:
    """Return the number of rows in the plans' largest sort; an incremental sort, of equals, does not count."""
    return max((child["Actual Rows"] for n in nodes if n["Node Type"] == "Sort" for child in n["Plans"]), default=0)


def cursor_at(depth: int, **params: Any) -> str:
    found = page(cursorPagination="true", n=depth, **params).next_cursor
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("sort", "depth"),
    [
        ({"sortBy": "createdAt", "sortOrder": "desc"}, 15_000),
        ({"sortBy": "createdAt", "sortOrder": "asc"}, 15_000),
        ({}, 15_000),
        ({"sortBy": "age", "sortOrder": "desc"}, 15_000),
        ({"sortBy": "age", "sortOrder": "asc"}, 15_000),
        ({"sortBy": "age", "sortOrder": "desc"}, 19_000),
        ({"sortBy": "age", "sortOrder": "asc"}, 19_000),
        ({"sortBy": NUMBER_FIELD, "sortOrder": "desc"}, 8_000),
        ({"sortBy": NUMBER_FIELD, "sortOrder": "asc"}, 8_000),
        ({"sortBy": TEXT_FIELD, "sortOrder": "asc"}, 4_000),
        ({"sortBy": NUMBER_FIELD, "sortOrder": "desc"}, 15_000),
        ({"sortBy": f"{NUMBER_FIELD},createdAt", "sortOrder": "desc,asc"}, 8_000),
        ({"sortBy": "createdAt,age", "sortOrder": "desc,asc"}, 15_000),
    ],
)
def test_a_deep_page_walks_an_index(sort: dict[str, str], depth: int) -> None:
    nodes = plans(n=N, cursor=cursor_at(depth, **sort), **sort)
    kinds = {node["Node Type"] for node in nodes}
    assert "Seq Scan" not in kinds
    assert rows_sorted(nodes) <= N + 1, "the page's own rows, once they are found"
    assert rows_read(nodes) < 10 * N


def test_the_first_page_by_a_custom_field_walks_its_index() -> None:
    nodes = plans(n=N, p=1, sortBy=NUMBER_FIELD)
    assert "value_number" in {node.get("Index Name") for node in nodes}
    counted = [node for node in nodes if node["Node Type"] == "Aggregate"]
    assert len(counted) == 1, "the total is one count"
    assert rows_sorted(nodes) <= N + 1


def test_filtered_by_one_custom_field_and_sorted_by_another() -> None:
    """The ids with the one value are read once, and compared with before any record is read."""
    params = {"sortBy": NUMBER_FIELD, "filters": json.dumps({TEXT_FIELD: "t1"})}
    nodes = plans(n=N, cursor=cursor_at(500, **params), **params)
    assert "Seq Scan" not in {node["Node Type"] for node in nodes}
    assert {node["Join Type"] for node in nodes if "Join Type" in node} <= {"Inner", "Left"}
    assert [node["Actual Loops"] for node in nodes if node.get("Index Name") == "value_text"] == [1]
    fetched = sum(
        node["Actual Loops"] * node["Actual Rows"] for node in nodes if node.get("Relation Name") == "lists_test_person"
    )
    assert fetched <= page(**params, p=1, n=1).total_count + N + 1 == ROWS // 12 + 1 + N + 1, (
        "those that match, and those of the page"
    )
