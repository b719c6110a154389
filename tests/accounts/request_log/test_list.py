"""GET /logs (contract 4.6)."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.request_log.entry import Entry
from accounts.request_log.recorder import store
from core.ids import new_id
from core.tenancy import use_owner_role
from tests.accounts.request_log.helpers import Log, entry, page_plan, rows
from tests.guards.test_query_plans import indexes, put_in_order
from tests.kit.cast import KEY, SESSION, Cast, make_cast


@pytest.fixture
def told(cast: Cast, outsiders: Cast) -> list[Entry]:
    """Four requests of the company, the newest first; one of another company and one of nobody."""
    now = timezone.now()
    mine = {"company_id": cast.company.pk, "user_id": cast.owner.user_id, "member_id": cast.owner.pk}
    entries = [
        entry(**mine, created_at=now, duration_ms=5.0, api_key_id=cast.api_key.pk),
        entry(
            **mine,
            created_at=now - timedelta(minutes=1),
            duration_ms=80.25,
            status=404,
            method="PUT",
            route="/tag/{id}",
        ),
        entry(
            **mine,
            created_at=now - timedelta(hours=2),
            duration_ms=7.0,
            status=500,
            door="session",
            path=f"{SESSION}/lead",
        ),
        entry(company_id=cast.company.pk, user_id=new_id(), created_at=now - timedelta(hours=3), ip=None),
    ]
    store([*entries, entry(company_id=outsiders.company.pk), entry()])
    return entries


def ids(answer: Any) -> list[str]:
    assert answer.status == 200, answer.body
    return [row["_id"] for row in answer.data]


def test_the_list_shows_the_companys_requests_newest_first(cast: Cast, told: Log) -> None:
    answer = cast.key.get("/logs")
    assert ids(answer) == [one.id for one in told]
    assert answer.body["totalCount"] == 4
    first = answer.data[0]
    assert first["member"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert first["user"] == {"_id": cast.owner.user_id, "name": cast.owner.user.name, "email": cast.owner.user.email}
    assert (first["door"], first["method"], first["route"], first["path"], first["status"]) == (
        "key",
        "GET",
        "/contact",
        f"{KEY}/contact",
        200,
    )
    assert (first["durationMs"], first["requestBytes"], first["responseBytes"]) == (5.0, 0, 10)
    assert (first["apiKey"], first["ip"], first["userAgent"]) == (cast.api_key.pk, "192.0.2.1", "test")
    gone = answer.data[3]
    assert (gone["user"], gone["member"], gone["ip"]) == (
        {"_id": told[3].user_id, "name": None, "email": None},
        None,
        None,
    )
    assert set(first) == set(gone)
    assert len(first) == 16


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"filters": {"status": [404, 500]}}, [1, 2]),
        ({"filters": {"method": "PUT"}}, [1]),
        ({"filters": {"door": "session"}}, [2]),
        ({"filters": {"route": "/tag/{id}"}}, [1]),
        ({"filters": {"apiKey": None}}, [1, 2, 3]),
        ({"filters": {"ip": "192.0.2.1"}}, [0, 1, 2]),
        ({"filters": {"ip": "no address"}}, []),
        ({"filters": {"ip": None}}, [3]),
        ({"filters": {"member": None}}, [3]),
        (
            {
                "advancedFilters": {
                    "operator": "and",
                    "conditions": [{"field": "durationMs", "operator": "greaterThan", "value": 6}],
                }
            },
            [1, 2],
        ),
        (
            {
                "advancedFilters": {
                    "operator": "and",
                    "conditions": [
                        {"field": "createdAt", "operator": "withinLast", "value": {"amount": 1, "unit": "hours"}}
                    ],
                }
            },
            [0, 1],
        ),
        ({"sortBy": "durationMs", "sortOrder": "asc", "filters": {"apiKey": None}}, [3, 2, 1]),
        ({"sortBy": "status,createdAt", "sortOrder": "desc,asc"}, [2, 1, 3, 0]),
        ({"sortBy": "user.email,createdAt"}, [0, 1, 2, 3]),
        ({"searchValue": "lead"}, [2]),
        ({"searchBy": "route", "searchValue": "TAG"}, [1]),
    ],
)
def test_filters_sorts_and_searches(cast: Cast, told: Log, query: dict[str, Any], expected: list[int]) -> None:
    assert ids(cast.key.get("/logs", **query)) == [told[n].id for n in expected]
    assert ids(cast.session.get("/logs", p="1", n="10", **query)) == [told[n].id for n in expected]


def test_by_user(cast: Cast, told: Log) -> None:
    mine = [one.id for one in told[:3]]
    assert ids(cast.key.get("/logs", filters={"user": cast.owner.user_id})) == mine
    assert ids(cast.key.get("/logs", filters={"user.email": cast.owner.user.email})) == mine
    assert ids(cast.key.get("/logs", searchValue=cast.owner.user.email.upper())) == mine
    assert ids(cast.key.get("/logs", searchBy="member.name", searchValue=cast.owner.name)) == mine


def test_pages_by_cursor(cast: Cast, told: Log) -> None:
    page = cast.key.get("/logs", cursorPagination="true", n="3")
    assert ids(page) == [one.id for one in told[:3]]
    store([entry(company_id=cast.company.pk)])
    rest = cast.key.get("/logs", cursor=page.body["nextCursor"], n="3")
    assert (ids(rest), rest.body["nextCursor"]) == ([told[3].id], None)


def test_what_is_malformed_is_a_400(cast: Cast) -> None:
    for query in (
        {"sortBy": "userId"},
        {"filters": {"status": "bad"}},
        {"filters": {"user": "x"}},
        {"searchBy": "status"},
        {"colour": "1"},
    ):
        assert cast.key.get("/logs", **query).status == 400, query
    assert cast.key.post("/logs", {}).status == 404


def test_other_companies_and_nobodys_requests_are_hidden(cast: Cast, outsiders: Cast, told: Log) -> None:
    assert cast.key.get("/logs", ids=",".join(row["id"] for row in rows())).body["totalCount"] == len(told)
    assert outsiders.key.get("/logs").body["totalCount"] == 1


def test_the_role_decides(db: None) -> None:
    allowed = make_cast({"logs": {"GET": True}})
    assert allowed.narrow_session.get("/logs").status == 200
    assert make_cast().narrow_session.get("/logs").status == 403


def test_as_many_queries_for_many_rows_as_for_few(cast: Cast, told: Log) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert cast.key.get("/logs", p="1", n="100").status == 200
        return len(queries)

    count()  # notes the key's use
    few = count()
    store([entry(company_id=cast.company.pk, member_id=cast.owner.pk, user_id=cast.owner.user_id) for _ in range(50)])
    assert count() == few


@pytest.fixture
def many(cast: Cast, outsiders: Cast) -> Cast:
    """A company with 2,000 requests beside one with 8,000."""
    start = timezone.now() - timedelta(days=10)
    for company, count in ((cast.company.pk, 2_000), (outsiders.company.pk, 8_000)):
        moments = (start + timedelta(seconds=60 * n) for n in range(count))
        store([entry(company_id=company, created_at=moment, user_id=cast.owner.user_id) for moment in moments])
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ANALYZE")
    return cast


def test_pages_come_from_the_index_of_the_company(many: Cast) -> None:
    first = {"n": "50", "cursorPagination": "true"}
    token = many.key.get("/logs", **first).body["nextCursor"]
    for query in (first, {"n": "50", "cursor": token}, {"p": "3", "n": "50"}):
        found = page_plan(many, "/logs", "accounts_serverlog", **query)
        assert "serverlog_newest" in indexes(found), found
        assert put_in_order(found) <= 51, "the page's own rows at most"


@pytest.mark.django_db(transaction=True)
def test_the_whole_list_is_one_state_however_much_is_written_meanwhile() -> None:
    cast = make_cast()
    start = timezone.now() - timedelta(hours=2)
    store([entry(company_id=cast.company.pk, created_at=start + timedelta(milliseconds=n)) for n in range(4_100)])
    response = cast.key.client.get(f"{KEY}/logs", headers=cast.key.headers)
    pieces = iter(response.streaming_content)
    sent = [next(pieces)]

    def write() -> None:
        try:
            store(
                [
                    entry(company_id=cast.company.pk, created_at=moment)
                    for moment in (start, start + timedelta(seconds=2), timezone.now())
                ]
            )
        finally:
            connection.close()

    for piece in pieces:
        thread = threading.Thread(target=write)
        thread.start()
        thread.join(10)
        sent.append(piece)
    assert [piece.count(b'"door":') for piece in sent] == [2000, 2000, 100, 0]
    assert b'"totalCount":4100,' in sent[-1]
    assert cast.key.get("/logs", p="1", n="1").body["totalCount"] == 4_100 + 3 * 3
