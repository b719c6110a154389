"""Bulk workers killed by kill -9 while they change and undo: each record once, its journal and its event too.

CHAOS_BULK_ROWS and CHAOS_BULK_KILLS set the size; `make chaos` runs the long form.
"""

from __future__ import annotations

import os
import random
import time
from typing import Any

import pytest
from django.conf import settings
from django.db.models import Count

from core.models import Event
from crm.models import BulkJob, Contact, CustomFieldValue, Journal
from tests.crm.bulk_jobs.test_journal import everything
from tests.crm.contacts.helpers import add_field
from tests.flows.import_workers import SECONDS, Workers, running
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check

pytestmark = [pytest.mark.long, in_make_check]

BATCH = 50


def populate(cast: Cast, rows: int) -> None:
    with cast.scope():
        add_field("city")
        Contact.objects.bulk_create(
            [
                Contact(name=f"Ann {n}", email=f"ann{n}@example.org", email_key=f"ann{n}@example.org")
                for n in range(rows)
            ],
            batch_size=1000,
        )


def progress(cast: Cast, job: str) -> tuple[str, int]:
    with cast.scope():
        return BulkJob.objects.values_list("status", "processed").get(pk=job)


def finish_under_fire(workers: Workers, cast: Cast, job: str, rows: int, kills: int) -> dict[str, Any]:
    """Kill workers at random moments until the job is done."""
    end, chance = time.monotonic() + SECONDS, random.Random(7)
    for number in range(kills):
        goal = rows * (number + chance.random()) / (kills + 1)
        while (seen := progress(cast, job))[1] < goal and seen[0] in ("queued", "running"):
            assert time.monotonic() < end, seen
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.05))
        workers.kill_all()
        workers.spawn()
    while progress(cast, job)[0] in ("queued", "running"):
        assert time.monotonic() < end, progress(cast, job)
        time.sleep(0.02)
    return dict(cast.key.get(f"/bulk-job/{job}").data)


def chaos(rows: int, kills: int) -> None:
    cast = make_cast()
    populate(cast, rows)
    with cast.scope():
        was = everything()
    settings.BULK_AT_ONCE = 1
    try:
        job = cast.key.put("/contact", {"selectAll": True, "formData": {"city": "Ulm"}}).body["bulkJob"]
    finally:
        del settings.BULK_AT_ONCE
    with running("bulk-job", BULK_BATCH_ROWS=BATCH) as workers:
        found = finish_under_fire(workers, cast, job, rows, kills)
        assert (found["status"], found["total"], found["processed"], found["changed"]) == (
            "completed",
            rows,
            rows,
            rows,
        )
        with cast.scope():
            assert Contact.objects.filter(custom={"city": "Ulm"}).count() == rows
            assert CustomFieldValue.objects.filter(text="Ulm").count() == rows
            assert (
                Journal.objects.filter(
                    bulk_job_id=job, before__row__custom={}, after__row__custom={"city": "Ulm"}
                ).count()
                == rows
            )
            told = Event.objects.filter(kind="contact.updated").values("object_id").annotate(times=Count("pk"))
            assert (told.count(), set(told.values_list("times", flat=True))) == (rows, {1})
        undoing = cast.key.post(f"/bulk-job/{job}/undo").data["_id"]
        found = finish_under_fire(workers, cast, undoing, rows, kills)
    assert (found["status"], found["processed"], found["changed"], found["failed"]) == ("completed", rows, rows, 0)
    assert found["report"]["keptCount"] == 0
    with cast.scope():
        assert everything() == was
        told = Event.objects.filter(kind="contact.updated").values("object_id").annotate(times=Count("pk"))
        assert set(told.values_list("times", flat=True)) == {2}


@pytest.mark.django_db(transaction=True)
def test_chaos_of_a_bulk_job_short() -> None:
    chaos(800, 3)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_chaos_of_a_bulk_job_long() -> None:
    chaos(int(os.environ.get("CHAOS_BULK_ROWS", "20000")), int(os.environ.get("CHAOS_BULK_KILLS", "100")))
