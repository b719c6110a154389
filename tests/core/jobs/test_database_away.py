"""Jobs while the database is away or its disk is full: they wait, and lose none of their attempts."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from django.db import InternalError, OperationalError
from django.utils import timezone

from core import database, jobs
from core.database import may_succeed_later
from core.jobs import celery_tasks, claim, run_job, runner
from core.jobs.flights import Flights
from crm.models import Import
from tests.core.jobs.test_claims import make_job, read
from tests.kit.cast import Cast

DISK_FULL = psycopg.errors.DiskFull("could not extend file: No space left on device")
READ_ONLY = psycopg.errors.ReadOnlySqlTransaction("cannot execute UPDATE in a read-only transaction")
LOST = psycopg.OperationalError("the connection is lost")


def raised(cause: psycopg.Error) -> Exception:
    """Return the error that Django raises for one of psycopg."""
    error = (InternalError if isinstance(cause, psycopg.InternalError) else OperationalError)(str(cause))
    error.__cause__ = cause
    return error


def failing(cause: psycopg.Error) -> Any:
    def run(job: Any, deadline: float) -> None:
        raise raised(cause)

    return run


@pytest.mark.parametrize(
    "cause", [DISK_FULL, READ_ONLY, LOST, psycopg.errors.OutOfMemory(), psycopg.errors.AdminShutdown()]
)
def test_a_database_that_writes_nothing_costs_a_job_no_attempt(cast: Cast, cause: psycopg.Error) -> None:
    assert may_succeed_later(raised(cause))
    job = make_job(cast)
    for _ in range(runner.MAX_ATTEMPTS + 2):
        run_job(claim(Import, limit=1)[0], failing(cause), 0)
        waits = read(job)
        assert (waits.status, waits.attempts, waits.worker) == ("queued", 0, None)
        assert timedelta(0) < waits.due_at - timezone.now() <= runner.DATABASE_PAUSE
        with cast.scope():
            Import.objects.update(due_at=timezone.now())


@pytest.mark.parametrize("cause", [psycopg.errors.DeadlockDetected(), psycopg.errors.QueryCanceled()])
def test_what_may_be_the_statement_s_fault_counts(cast: Cast, cause: psycopg.Error) -> None:
    assert not may_succeed_later(raised(cause))
    job = make_job(cast)
    run_job(claim(Import, limit=1)[0], failing(cause), 0)
    assert (read(job).status, read(job).attempts) == ("queued", 1)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The disk is full for the first three statements that give a job back. Holds the pauses."""
    pauses: list[float] = []
    update = runner.update_owned

    def update_owned(*arguments: Any, **values: Any) -> None:
        if len(pauses) < 3:
            raise raised(DISK_FULL)
        update(*arguments, **values)

    monkeypatch.setattr(runner, "update_owned", update_owned)
    monkeypatch.setattr(database.connection, "close", lambda: None)
    monkeypatch.setattr(database, "sleep", pauses.append)
    return pauses


def test_a_job_is_given_back_as_soon_as_the_database_takes_it(cast: Cast, full_disk: list[float]) -> None:
    job = make_job(cast)
    run_job(claim(Import, limit=1)[0], failing(DISK_FULL), 0)
    assert full_disk == [1, 2, 4]
    assert (read(job).status, read(job).attempts) == ("queued", 0)


def test_a_worker_whose_time_is_over_leaves_its_job_to_the_sweeper(
    cast: Cast, full_disk: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    released: list[bool] = []

    def sleep(seconds: float) -> None:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(database, "sleep", sleep)
    monkeypatch.setattr(runner, "release_lock", lambda: released.append(True))
    job = make_job(cast)
    with pytest.raises(SoftTimeLimitExceeded):
        run_job(claim(Import, limit=1)[0], failing(DISK_FULL), 0)
    assert (read(job).status, released) == ("running", [True])


def test_the_result_of_a_call_is_recorded_as_soon_as_the_database_takes_it(
    monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    pauses: list[float] = []
    recorded: list[tuple[str, str]] = []

    def record(call: str, result: str) -> None:
        if len(pauses) < 2:
            raise raised(LOST)
        recorded.append((call, result))

    monkeypatch.setattr(database.connection, "close", lambda: None)
    monkeypatch.setattr(database, "sleep", pauses.append)
    flights = Flights("test", str.upper, record)
    flights.begin("call")
    flights.land(10)
    assert (recorded, len(flights)) == ([("call", "CALL")], 0)


def test_a_job_whose_error_has_a_null_byte_is_given_back(cast: Cast) -> None:
    def run(job: Any, deadline: float) -> None:
        raise ValueError("odd\0text")

    job = make_job(cast)
    run_job(claim(Import, limit=1)[0], run, 0)
    assert (read(job).status, read(job).error_detail) == ("queued", "ValueError: oddtext")


@pytest.mark.parametrize(
    ("process", "frees_claims", "released"),
    [("ForkPoolWorker-1", False, [True]), ("ForkPoolWorker-1", True, []), ("MainProcess", False, [])],
)
def test_a_process_gives_up_what_a_failed_statement_left_claimed(
    monkeypatch: pytest.MonkeyPatch, db: None, process: str, frees_claims: bool, released: list[bool]
) -> None:
    def run(deadline: float) -> None:
        raise raised(DISK_FULL)

    found: list[bool] = []
    work = jobs.QueueWork(
        "mails", run, due_rows=lambda now: [], queue="send", task="test.mails", frees_claims=frees_claims
    )
    monkeypatch.setattr(celery_tasks, "close_old_connections", lambda: None)  # it would close the one of the test
    monkeypatch.setattr(celery_tasks, "release_lock", lambda: found.append(True))
    monkeypatch.setattr(celery_tasks, "current_process", lambda: SimpleNamespace(name=process))
    with pytest.raises(OperationalError, match="No space left on device"):
        celery_tasks.drain_slice(work)
    assert found == released
