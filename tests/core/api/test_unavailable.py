"""Answers without a database: 503 with the time to wait, on every path. What the statement did wrong stays a 500."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import InternalError, OperationalError, close_old_connections, connection
from django.test import Client

from accounts.models import User
from core.database import database_is_away
from core.tenancy import unscoped
from core.tenancy.postgresql.base import DatabaseWrapper
from crm.files.services import open_link
from tests.kit.cast import Cast
from tests.kit.processes import database_url


def trouble(cause: psycopg.Error) -> OperationalError | InternalError:
    error = (InternalError if isinstance(cause, psycopg.InternalError) else OperationalError)(str(cause))
    error.__cause__ = cause
    return error


@pytest.fixture
def away(db: None) -> Iterator[Any]:
    """A switch that takes the database away, or gives statements another end, until the test ends."""
    cause: list[psycopg.Error] = []

    def refuse(*_: Any) -> None:
        raise trouble(cause[-1])

    def switch(why: psycopg.Error | None = None) -> None:
        cause.append(why or psycopg.OperationalError("connection refused"))
        for way in ("_cursor", "planned_cursor"):
            patch.setattr(DatabaseWrapper, way, refuse)

    with pytest.MonkeyPatch.context() as patch:
        yield switch


def test_the_api_answers_503_and_says_when_to_try_again(cast: Cast, away: Any) -> None:
    away()
    for answer in (
        cast.key.get("/contact", p=1, n=1),
        cast.session.post("/tag", {"name": "x"}),
        cast.key.get("/contact/no-id"),
    ):
        assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
        assert answer.body["message"] == "The service is not available right now"
        assert answer.body["warning"] == "the database does not answer; try again in 5 seconds"
    away(psycopg.errors.QueryCanceled())
    answer = cast.key.get("/contact", p=1, n=1)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    assert answer.body["warning"] == "the database was told to stop; try again in 5 seconds"
    for cause in (psycopg.errors.DiskFull(), psycopg.errors.ReadOnlySqlTransaction()):
        away(cause)
        answer = cast.key.post("/tag", {"name": "x"})
        assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
        assert "can save nothing at the moment, such as on a full disk" in answer.body["warning"]


def test_health_answers_503(away: Any) -> None:
    away()
    answer = Client().get("/api/public/health")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")


def test_pages_answer_503_with_a_page(away: Any, settings: Any) -> None:
    staff = Client(raise_request_exception=False)
    staff.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    paths = ("/admin/", "/admin/accounts/company/", open_link("0" * 24, "x.csv").removeprefix(settings.BASE_URL))
    for path, cause in [*((path, None) for path in paths), ("/admin/", psycopg.errors.QueryCanceled())]:
        away(cause)
        answer = staff.get(path)
        assert (path, answer.status_code) == (path, 503)
        assert answer.headers["Retry-After"] == "5"
        assert "Try again in a few seconds" in answer.content.decode()


@pytest.mark.parametrize(
    ("cause", "is_away"),
    [
        (psycopg.OperationalError("the connection is lost"), True),
        (psycopg.errors.AdminShutdown(), True),
        (psycopg.errors.CannotConnectNow(), True),
        (psycopg.errors.TooManyConnections(), True),
        (psycopg.errors.ConnectionFailure(), True),
        (psycopg.errors.DeadlockDetected(), False),
        (psycopg.errors.QueryCanceled(), False),
        (psycopg.errors.DiskFull(), False),
    ],
)
def test_only_a_missing_connection_counts(cause: psycopg.Error, is_away: bool) -> None:
    assert database_is_away(trouble(cause)) is is_away


def test_a_connection_that_the_server_closed_is_replaced_before_the_scope_changes(
    transactional_db: None,
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [pid] = cursor.fetchone()
    with psycopg.connect(database_url()) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    close_old_connections()  # what each request and each task begins with
    with unscoped(reason="test: another scope than that of the connection"), connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid() <> %s", [pid])
        assert cursor.fetchone() == (True,)
