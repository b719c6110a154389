"""Workers killed by kill -9 while they convert and remove a field's values: each value is converted once, and none is
left."""

from __future__ import annotations

import random
import time

import pytest

from crm.models import BulkJob, Contact, ConvertedValue, CustomField, CustomFieldValue
from tests.crm.contacts.helpers import form
from tests.flows.import_workers import SECONDS, Workers, running
from tests.kit.cast import Cast, make_cast

pytestmark = pytest.mark.long

ROWS, KILLS = 1200, 5


def progress(cast: Cast, job_id: str) -> tuple[str, int]:
    with cast.scope():
        return BulkJob.objects.values_list("status", "processed").get(pk=job_id)


def kill_over(workers: Workers, cast: Cast, job_id: str) -> None:
    """Kill at moments spread over the job, then wait for its end."""
    end = time.monotonic() + SECONDS
    for number in range(KILLS):
        goal = ROWS * (number + random.random()) / (KILLS + 1)
        while (seen := progress(cast, job_id))[1] < goal and seen[0] in ("queued", "running"):
            assert time.monotonic() < end, seen
            time.sleep(0.002)
        workers.kill_all()
        workers.spawn()
    while progress(cast, job_id)[0] in ("queued", "running"):
        assert time.monotonic() < end, progress(cast, job_id)
        time.sleep(0.05)
    assert progress(cast, job_id) == ("completed", ROWS)


@pytest.mark.django_db(transaction=True)
def test_chaos_of_a_conversion_and_of_a_removal() -> None:
    cast = make_cast()
    id = cast.key.post("/custom-field", {"name": "Score", "fieldType": "text", "uniqueFieldID": "score"}).data["_id"]
    for start in range(0, ROWS, 400):
        items = [form(n, score=str(n)) for n in range(start, start + 400)]
        assert len(cast.key.post("/contact/bulk", {"formData": items}).data["created"]) == 400
    with running("bulk-job", BULK_BATCH_ROWS=40) as workers:
        job = cast.key.put(f"/custom-field/{id}", {"fieldType": "number"}).data["job"]
        kill_over(workers, cast, job["_id"])
        with cast.scope():
            found = {email: custom["score"] for email, custom in Contact.objects.values_list("email", "custom")}
            assert found == {f"ann{n}@example.com": n for n in range(ROWS)}
            assert sorted(map(int, CustomFieldValue.objects.values_list("number", flat=True))) == list(range(ROWS))
            assert not ConvertedValue.objects.exists()
        assert cast.key.delete("/custom-field", {"ids": [id]}).status == 200
        with cast.scope():
            removal = BulkJob.objects.get(action="delete_field").pk
        kill_over(workers, cast, removal)
    with cast.scope():
        assert not Contact.objects.exclude(custom={}).exists()
        assert not CustomFieldValue.objects.exists()
        assert not CustomField.every.filter(pk=id).exists()
