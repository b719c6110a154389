"""GET /logs/login (contract 4.6; the rows are written by accounts.login_log.services)."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts.models import LoginLog, Member
from core.tenancy import company_scope, use_owner_role
from tests.accounts.request_log.helpers import page_plan
from tests.guards.test_query_plans import indexes, put_in_order
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import MemberFactory

LOGIN = "/api/public/login"


def log_in(email: str, password: str, **headers: str) -> int:
    return (
        Client()
        .post(LOGIN, {"email": email, "password": password}, content_type="application/json", headers=headers)
        .status_code
    )


@pytest.fixture
def attempts(cast: Cast, outsiders: Cast) -> Cast:
    """Three logins of the company's people, the last one good; others' and a stranger's beside them."""
    assert log_in(cast.narrow.email, "wrong") == 400
    assert log_in(cast.owner.email, "wrong") == 400
    assert log_in(outsiders.owner.email, "correct horse battery") == 200
    assert log_in("stranger@example.com", "wrong") == 400
    assert log_in(cast.owner.email, "correct horse battery", **{"user-agent": "browser/9"}) == 200
    return cast


def shown(answer: Any) -> list[tuple[str, str]]:
    assert answer.status == 200, answer.body
    return [(row["email"], row["status"]) for row in answer.data]


def test_the_list_shows_the_companys_logins_newest_first(attempts: Cast) -> None:
    owner, narrow = attempts.owner, attempts.narrow
    answer = attempts.key.get("/logs/login")
    assert shown(answer) == [(owner.email, "success"), (owner.email, "failed"), (narrow.email, "failed")]
    assert (answer.body["totalCount"], answer.body["nextCursor"]) == (3, None)
    first = answer.data[0]
    assert first["user"] == {"_id": owner.user_id, "name": owner.user.name, "email": owner.user.email}
    assert (first["ip"], first["userAgent"], first["reason"]) == ("127.0.0.1", "browser/9", "")
    assert answer.data[1]["reason"] == "wrong password"
    assert set(first) == {"_id", "user", "email", "status", "reason", "ip", "userAgent", "createdAt", "updatedAt"}


def test_filters_sorts_and_searches(attempts: Cast) -> None:
    owner, narrow = attempts.owner, attempts.narrow
    good, bad, other = (owner.email, "success"), (owner.email, "failed"), (narrow.email, "failed")
    told: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
        ({"filters": {"status": "failed"}}, [bad, other]),
        ({"filters": {"user": narrow.user_id}}, [other]),
        ({"filters": {"user.email": owner.email, "status": "success"}}, [good]),
        ({"filters": {"email": narrow.email.upper()}}, [other]),
        ({"filters": {"ip": "127.0.0.1"}}, [good, bad, other]),
        ({"filters": {"ip": "::1"}}, []),
        ({"searchValue": narrow.email.partition("@")[0]}, [other]),
        ({"searchBy": "userAgent", "searchValue": "BROWSER"}, [good]),
        ({"sortBy": "createdAt", "sortOrder": "asc"}, [other, bad, good]),
        ({"sortBy": "status,createdAt"}, [good, bad, other]),
    ]
    for query, expected in told:
        assert shown(attempts.key.get("/logs/login", **query)) == expected, query
        assert shown(attempts.session.get("/logs/login", p="1", n="9", **query)) == expected, query


def test_other_companies_do_not_see_them(attempts: Cast, outsiders: Cast) -> None:
    assert shown(outsiders.key.get("/logs/login")) == [(outsiders.owner.email, "success")]


def test_a_person_of_two_companies_is_seen_by_both(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        MemberFactory(user=cast.owner.user, email=cast.owner.email, status=Member.Status.BLOCKED)
    assert log_in(cast.owner.email, "wrong") == 400
    assert (
        shown(cast.key.get("/logs/login")) == shown(outsiders.key.get("/logs/login")) == [(cast.owner.email, "failed")]
    )


def test_the_role_decides_and_malformed_is_a_400(cast: Cast) -> None:
    assert cast.narrow_session.get("/logs/login").status == 403
    assert make_cast({"logs": {"GET": True}}).narrow_session.get("/logs/login").status == 200
    for query in ({"sortBy": "password"}, {"filters": {"user": "x"}}, {"filters": {"status": 1}}, {"colour": "1"}):
        assert cast.key.get("/logs/login", **query).status == 400, query
    assert cast.key.post("/logs/login", {}).status == 404


def test_pages_come_from_the_index_of_the_company(cast: Cast, outsiders: Cast) -> None:
    for made, count in ((cast, 500), (outsiders, 2_000)):
        with company_scope(made.company.pk):
            LoginLog.objects.bulk_create(
                LoginLog(user=made.owner.user, email=made.owner.email, status="success") for _ in range(count)
            )
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ANALYZE")
    found = page_plan(cast, "/logs/login", "accounts_loginlog", cursorPagination="true", n="50")
    assert "loginlog_newest" in indexes(found)
    assert put_in_order(found) <= 51, "the page's own rows at most"
