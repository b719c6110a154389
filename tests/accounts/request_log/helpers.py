"""Entries of the server log for tests, and what has been written of them."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import ServerLog
from accounts.request_log.entry import Entry
from benchmarks.data.population import Tenant
from core.ids import new_id
from core.tenancy import unscoped
from tests.guards.test_query_plans import Node, plan
from tests.kit.cast import KEY, Cast

Log = list[Entry]


def entry(**values: Any) -> Entry:
    """An entry of a request by nobody, unless told otherwise."""
    now = timezone.now()
    given: dict[str, Any] = {
        "id": new_id(),
        "created_at": now,
        "updated_at": now,
        "company_id": None,
        "member_id": None,
        "user_id": None,
        "api_key_id": None,
        "door": "key",
        "method": "GET",
        "route": "/contact",
        "path": f"{KEY}/contact",
        "status": 200,
        "duration_ms": 1.5,
        "request_bytes": 0,
        "response_bytes": 10,
        "ip": "192.0.2.1",
        "user_agent": "test",
    }
    return Entry(**{**given, **values})


def rows() -> list[dict[str, Any]]:
    with unscoped(reason="test: the rows of all companies and of nobody"):
        return list(ServerLog.objects.order_by("created_at", "id").values())


def page_plan(cast: Cast, path: str, table: str, **query: str) -> Node:
    """The plan of the statement by which a list reads its page of 50."""
    with CaptureQueriesContext(connection) as captured:
        assert len(cast.key.get(path, **query).data) == 50
    page = next(
        one["sql"] for one in captured.captured_queries if f'FROM "{table}"' in one["sql"] and "LIMIT 5" in one["sql"]
    )
    return plan(Tenant(cast.company.pk, cast.owner.pk, "", 0), page)
