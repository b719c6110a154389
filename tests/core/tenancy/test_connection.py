"""What a request's first statements cost, and how times are read (core.tenancy.postgresql)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connections

from core.tenancy import company_scope, unscoped
from tests.kit.cast import Cast

connection = connections["default"]


def read(sql: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


def begin_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Django does between two requests."""
    monkeypatch.setattr(connection, "health_check_enabled", True)
    connection.health_check_done = False


@pytest.mark.django_db(transaction=True)
def test_the_scope_of_a_request_checks_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    with company_scope("a" * 24):
        assert read("SELECT current_setting('app.company')") == "a" * 24
    begin_request(monkeypatch)
    monkeypatch.setattr(type(connection), "is_usable", lambda self: pytest.fail("a statement of its own"))
    with unscoped(reason="test"):
        assert read("SELECT current_user") == "leadwright_system"
    assert connection.health_check_done


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("company", ["a" * 24, "b" * 24])
def test_a_connection_that_the_server_has_closed_is_opened_anew(monkeypatch: pytest.MonkeyPatch, company: str) -> None:
    with company_scope("a" * 24):
        ended = read("SELECT pg_backend_pid()")
        connection.connection.pgconn.finish()
    begin_request(monkeypatch)
    with company_scope(company):
        assert read("SELECT pg_backend_pid()") != ended
        assert read("SELECT current_setting('app.company')") == company


@pytest.mark.django_db
def test_times_are_read_to_the_microsecond_and_refused_beyond_the_calendar() -> None:
    for text in ("2026-01-31 09:00:00.123456", "2026-01-31 09:00:00", "0001-01-01 00:00:00.5", "9999-12-31 23:59:59.1"):
        assert read(f"SELECT timestamptz '{text}+00'") == datetime.fromisoformat(text).replace(tzinfo=UTC)
    with pytest.raises(Exception, match="too"):
        read("SELECT timestamptz '10000-01-01 00:00:00+00'")


@pytest.mark.django_db
def test_times_of_another_zone_are_read(cast: Cast) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL TIME ZONE 'Asia/Kathmandu'")
        cursor.execute("SELECT timestamptz '2026-01-31 09:00:00+00'")
        assert cursor.fetchone()[0] == datetime(2026, 1, 31, 9, tzinfo=UTC)
