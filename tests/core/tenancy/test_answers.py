"""A PostgreSQL that does not answer: a web process gives up, and its next statement has a new connection."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import psycopg
import pytest
from django.db import OperationalError, connection, transaction

from tests.kit.stops import stopped


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> Iterator[None]:
    """The connection is one of a web process that waits for half a second."""
    monkeypatch.setenv("DATABASE_ANSWER_SECONDS", "0.5")
    connection.close()
    yield
    connection.close()


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


@pytest.mark.usefixtures("limited")
def test_a_statement_without_an_answer_fails_and_the_next_one_has_a_new_connection() -> None:
    first = backend()
    began = time.monotonic()
    with stopped(first), pytest.raises(OperationalError, match="PostgreSQL has not answered for"):
        backend()
    assert 0.4 < time.monotonic() - began < 10
    connection.close_if_unusable_or_obsolete()  # as Django does after each request
    assert backend() != first


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("moment", ["statement", "commit"])
def test_a_transaction_without_an_answer_is_left(moment: str) -> None:
    first = backend()

    def hang() -> None:
        with transaction.atomic():
            pid = backend()
            if moment == "statement":
                os.kill(pid, 19)
                backend()
            transaction.on_commit(lambda: None)
            os.kill(pid, 19)

    try:
        with pytest.raises(OperationalError, match="PostgreSQL has not answered for"):
            hang()
    finally:
        os.kill(first, 18)
    connection.close_if_unusable_or_obsolete()
    assert backend() != first


@pytest.mark.usefixtures("transactional_db")
def test_workers_and_commands_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_ANSWER_SECONDS", raising=False)
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(0.7)")
    assert type(connection.connection).wait is psycopg.Connection.wait
    assert "wait" not in vars(connection.connection)
    connection.close()


@pytest.mark.usefixtures("limited")
def test_an_answer_in_time_and_copy_work() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(0.1), 7")
        assert cursor.fetchone()[1] == 7
        with cursor.copy("COPY (SELECT generate_series(1, 3)) TO STDOUT") as copy:
            assert [row[0] for row in copy.rows()] == ["1", "2", "3"]
