"""What a request's first statements cost, and how times are read (core.tenancy.postgresql)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connections, transaction
from django.test.utils import CaptureQueriesContext

from core.tenancy import company_scope, unscoped, use_owner_role
from core.tenancy.postgresql import cursors
from core.tenancy.postgresql.cursors import ScopedCursor
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory

connection = connections["default"]
DJANGO_ONLY = ("cursor_factory", "context", "prepare_threshold", "row_factory")


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


@pytest.mark.django_db(transaction=True)
def test_a_fresh_connection_that_the_server_ends_is_seen_without_a_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    with company_scope("a" * 24):
        ended = read("SELECT pg_backend_pid()")
        own = {name: value for name, value in connection.get_connection_params().items() if name not in DJANGO_ONLY}
        with psycopg.connect(**own, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [ended])
        begin_request(monkeypatch)
        assert read("SELECT pg_backend_pid()") != ended
        assert read("SELECT current_setting('app.company')") == "a" * 24


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """One item for each time that the session, which knows its roles already, waits for the server."""
    with unscoped(reason="test"):
        read("SELECT 1")
    waited: list[None] = []
    wait = psycopg.Connection.wait

    def counted(self: Any, *arguments: Any, **options: Any) -> Any:
        waited.append(None)
        return wait(self, *arguments, **options)

    monkeypatch.setattr(psycopg.Connection, "wait", counted)
    return waited


@pytest.mark.django_db
def test_a_changed_scope_costs_no_turn(turns: list[None]) -> None:
    for company in ("a" * 24, "b" * 24):
        with company_scope(company):
            turns.clear()
            assert read("SELECT current_setting('app.company')") == company
            assert read("\nWITH own AS (SELECT current_user) SELECT * FROM own") == "leadwright_app"
            assert len(turns) == 2
    turns.clear()
    with unscoped(reason="test"):
        assert read("SELECT current_user") == "leadwright_system"
    assert len(turns) == 1


@pytest.mark.django_db
@pytest.mark.parametrize("company", ["it's", "100%s", "%", "back\\slash", '"'])
def test_the_company_of_a_scope_is_quoted(company: str) -> None:
    for parameters in (None, ["x"]):
        with company_scope(company), connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('app.company')" + (", %s" if parameters else ""), parameters)
            assert cursor.fetchone()[0] == company
        with unscoped(reason="test"):
            assert read("SELECT current_setting('app.company')") == ""


@pytest.mark.django_db
def test_a_statement_that_fails_leaves_no_scope_behind() -> None:
    with company_scope("a" * 24):
        read("SELECT 1")
    with company_scope("b" * 24), pytest.raises(DatabaseError), transaction.atomic():
        read("SELECT 1/0")
    with company_scope("a" * 24):
        assert read("SELECT current_setting('app.company')") == "a" * 24


@pytest.mark.django_db(transaction=True)
def test_outside_of_a_transaction_too() -> None:
    with company_scope("a" * 24):
        read("SELECT 1")
    with company_scope("b" * 24), pytest.raises(DatabaseError):
        read("SELECT 1/0")
    with company_scope("a" * 24):
        assert read("SELECT current_setting('app.company')") == "a" * 24


@pytest.mark.django_db
def test_an_interruption_leaves_no_scope_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server may have done the statement: then the session's company is the new one, and nobody was told."""
    with company_scope("a" * 24):
        read("SELECT 1")

    def interrupted(self: Any) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, company_scope("b" * 24):
        patched.setattr(ScopedCursor, "nextset", interrupted)
        with pytest.raises(KeyboardInterrupt):
            read("SELECT 1")
    with company_scope("a" * 24):
        assert read("SELECT current_setting('app.company')") == "a" * 24


@pytest.mark.django_db
def test_the_log_of_statements_shows_them_without_what_they_took_along(cast: Cast) -> None:
    with CaptureQueriesContext(connection) as captured, cast.scope():
        read("SELECT 1")
    assert [query["sql"] for query in captured] == ["SELECT 1"]


@pytest.mark.django_db(transaction=True)
def test_a_plan_is_made_anew_when_a_column_has_changed() -> None:
    with use_owner_role():
        read_nothing("CREATE TABLE changing (word varchar(10))")
        try:
            for width in (20, 30):
                for _ in range(2):
                    with connection.planned_cursor() as cursor:
                        cursor.execute("SELECT word FROM changing WHERE word = %s", ["x"])
                        assert cursor.fetchall() == []
                read_nothing(f"ALTER TABLE changing ALTER word TYPE varchar({width})")
        finally:
            read_nothing("DROP TABLE changing")


@pytest.mark.django_db(transaction=True)
def test_a_plan_that_fails_in_a_transaction_is_made_anew_in_the_next() -> None:
    def planned() -> Any:
        with connection.planned_cursor() as cursor:
            cursor.execute("SELECT word FROM changing")
            return cursor.fetchall()

    def kept() -> Any:
        return read("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%FROM changing'")

    with use_owner_role():
        read_nothing("CREATE TABLE changing (word varchar(10))")
        try:
            planned()
            read_nothing("ALTER TABLE changing ALTER word TYPE varchar(20)")
            # By statements, since transaction.atomic() takes another connection beside a browser's event loop.
            read_nothing("BEGIN")
            with pytest.raises(DatabaseError, match="cached plan"):
                planned()
            read_nothing("ROLLBACK")
            read_nothing("BEGIN")
            assert (planned(), kept()) == ([], 2)
            read_nothing("COMMIT")
            assert (planned(), kept()) == ([], 1)
        finally:
            read_nothing("DROP TABLE changing")


@pytest.mark.django_db
def test_a_statement_that_is_planned_once_takes_its_scope_along(turns: list[None]) -> None:
    def planned() -> Any:
        with connection.planned_cursor() as cursor:
            cursor.execute(
                "SELECT current_setting('app.company'), %(word)s::text || '%%', %(other)s::int[], %(word)s::text",
                {"word": "50%s", "other": [1, 2]},
            )
            return cursor.fetchone()

    connection.planned.clear()  # A session that keeps its most drops one first, which is a statement more.
    for company in ("a" * 24, "b" * 24, "c" * 24):
        turns.clear()
        with company_scope(company):
            assert planned() == (company, "50%s%", [1, 2], "50%s")
        assert len(turns) == (1 if company != "a" * 24 else 2)
    assert read("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%app.company%::int[]%'") == 1


@pytest.mark.django_db
def test_a_session_keeps_the_statements_that_were_used_last(monkeypatch: pytest.MonkeyPatch) -> None:
    def planned(number: int) -> Any:
        with connection.planned_cursor() as cursor:
            cursor.execute(f"SELECT {number} AS kept_for_long")
            return cursor.fetchone()[0]

    read_nothing("DEALLOCATE ALL")
    connection.planned.clear()
    monkeypatch.setattr(cursors, "MAX_PREPARED", 2)
    assert [planned(number) for number in (1, 2, 1, 3, 1)] == [1, 2, 1, 3, 1]
    kept = read("SELECT array_agg(statement) FROM pg_prepared_statements")
    # Unordered: names are numbered, and s10 sorts before s9.
    assert set(kept) == {f"PREPARE {name} AS {sql}" for sql, name in connection.planned.items()}
    assert connection.planned.keys() == {f"SELECT {number} AS kept_for_long" for number in (1, 3)}


@pytest.mark.django_db(transaction=True)
def test_a_session_that_was_cleared_plans_its_statements_anew() -> None:
    for _ in range(2):
        with connection.planned_cursor() as cursor:
            cursor.execute("SELECT %s::int + %s::int", [1, 2])
            assert cursor.fetchone() == (3,)
        read_nothing("DEALLOCATE ALL")


def read_nothing(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


@pytest.mark.django_db
def test_a_page_by_key_takes_three_turns(cast: Cast, turns: list[None]) -> None:
    """The key with the subscription, the ids, and what is shown of the records; a first page counts them too."""
    with cast.scope():
        ContactFactory.create_batch(4)
    first = cast.key.get("/contact", cursorPagination="true", n="2")
    assert (first.body["totalCount"], len(first.data)) == (4, 2)
    for expected, query in ((3, {"n": "1", "cursor": first.body["nextCursor"]}), (4, {"p": "1", "n": "2"})):
        cast.key.get("/contact", **query)  # its statements are planned with their first use
        turns.clear()
        assert cast.key.get("/contact", **query).status == 200
        assert len(turns) == expected


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
