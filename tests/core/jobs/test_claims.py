"""Work: claims, leases, and what becomes of a dead worker's rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from time import monotonic
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from core import jobs
from core.jobs import (
    LeaseLost,
    claim,
    finish,
    has_due,
    release,
    run_job,
    runner,
    save_progress,
    sweep,
    sweeper,
    update_owned,
)
from core.tenancy import company_scope, unscoped
from crm.models import File, Import
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.processes import Forked, kill

HOLD = """
import sys, time, django
django.setup()
from core.jobs import claim
from crm.models import Import
print("held", len(claim(Import, limit=1)), flush=True)
time.sleep(60)
"""


@pytest.fixture
def committed(transactional_db: None) -> Cast:
    """A cast that other connections see too."""
    return make_cast()


def make_job(cast: Cast, **values: object) -> Import:
    with cast.scope():
        file = File.objects.create(name="a.csv", size=1, mime="text/csv", path=f"x/{timezone.now().timestamp()}")
        return Import.objects.create(file=file, **values)


def read(job: Import) -> Import:
    with company_scope(job.company_id):
        return Import.objects.get(pk=job.pk)


def test_a_claim_takes_each_row_once_under_a_fresh_lease(cast: Cast) -> None:
    jobs_made = {make_job(cast).pk for _ in range(3)}
    make_job(cast, due_at=timezone.now() + timedelta(hours=1))
    make_job(cast, status="paused")
    first, second = claim(Import, limit=2), claim(Import, limit=5)
    assert {job.pk for job in first} | {job.pk for job in second} == jobs_made
    assert (len(first), len(second)) == (2, 1)
    assert first[0].lease != second[0].lease
    assert {job.status for job in first} == {"running"}
    assert not has_due(Import)


def test_concurrent_claims_never_share_a_row(committed: Cast) -> None:
    made = {make_job(committed).pk for _ in range(20)}

    def work(_: int) -> list[str]:
        try:
            return [job.pk for _ in range(5) for job in claim(Import, limit=1)]
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        taken = [pk for part in pool.map(work, range(8)) for pk in part]
    assert len(taken) == len(set(taken))
    assert set(taken) <= made
    assert len(taken) + len(claim(Import, limit=50)) == 20


def test_a_lost_lease_refuses_every_write(cast: Cast) -> None:
    make_job(cast)
    [held] = claim(Import, limit=1)
    with cast.scope():
        Import.objects.filter(pk=held.pk).update(lease="0" * 24)
        for write in (
            lambda: update_owned(held, processed=5),
            lambda: save_progress(held, processed=5),
            lambda: finish(held, "completed"),
            lambda: release(held),
        ):
            with pytest.raises(LeaseLost):
                write()
    assert (read(held).processed, read(held).status) == (0, "running")


def test_pause_and_cancel_are_seen_at_the_checkpoint(cast: Cast) -> None:
    for flag, status in (("pause_requested", "paused"), ("cancel_requested", "cancelled")):
        make_job(cast)
        [held] = claim(Import, limit=1)
        with cast.scope():
            assert save_progress(held, processed=1)
            Import.objects.filter(pk=held.pk).update(**{flag: True})
            assert not save_progress(held, processed=2)
            release(held)
        assert (read(held).status, read(held).processed, getattr(read(held), flag)) == (status, 2, False)


def test_an_exception_puts_back_and_parks_in_the_end(cast: Cast) -> None:
    job = make_job(cast)

    def fail(_: Import, __: float) -> None:
        raise RuntimeError("no luck")

    for attempt in range(1, runner.MAX_ATTEMPTS + 1):
        with cast.scope():
            Import.objects.filter(pk=job.pk).update(due_at=timezone.now())
        [held] = claim(Import, limit=1)
        run_job(held, fail, monotonic() + 1)
        after = read(job)
        assert after.attempts == attempt
        assert after.status == ("queued" if attempt < runner.MAX_ATTEMPTS else "failed")
        assert after.error_detail == "RuntimeError: no luck"
    assert after.error == "It failed several times for an unexpected reason and was stopped."


@in_make_check
def test_the_rows_of_a_killed_worker_are_free_at_the_next_sweep(committed: Cast) -> None:
    job = make_job(committed)
    holder = Forked(HOLD)
    try:
        assert holder.stdout.readline() == "held 1\n"
        assert sweep() == 0
        assert read(job).status == "running"
    finally:
        kill(holder)
    deadline = monotonic() + 5
    while not sweep() and monotonic() < deadline:
        pass
    after = read(job)
    assert (after.status, after.lease, after.worker, after.deaths) == ("queued", None, None, 1)
    [again] = claim(Import, limit=1)
    assert again.pk == job.pk


def test_a_row_that_kills_its_workers_is_parked(cast: Cast) -> None:
    job = make_job(cast, status="running", worker=1, deaths=sweeper.MAX_DEATHS - 1)
    assert sweep() == 1
    assert (read(job).status, read(job).deaths) == ("failed", sweeper.MAX_DEATHS)
    assert read(job).error == "10 workers in a row died while they worked on it, so that it was stopped."


def test_workers_are_notified_after_the_commit_only(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr("core.jobs.notify._publish", lambda work, **_: sent.append(work.task))
    with transaction.atomic():
        jobs.notify_workers("import")
        assert sent == []
    assert sent == ["crm.run_import"]
    with pytest.raises(RuntimeError), transaction.atomic():  # noqa: PT012
        jobs.notify_workers("import")
        raise RuntimeError
    assert sent == ["crm.run_import"]


@pytest.fixture
def no_broker_at_all(settings: object) -> Iterator[None]:
    from celery import current_app

    kept = current_app.conf.broker_url
    current_app.conf.broker_url = "redis+socket:///nowhere/redis.sock"
    current_app._after_fork()  # forgets the pools of connections to the other broker
    yield
    current_app.conf.broker_url = kept
    current_app._after_fork()


@pytest.mark.broker
def test_without_a_broker_nothing_is_lost_but_the_notification(
    cast: Cast, no_broker_at_all: None, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    make_job(cast)
    with django_capture_on_commit_callbacks(execute=True):
        jobs.notify_workers("import")
    with unscoped(reason="test"):
        assert has_due(Import)
