"""Workers killed by kill -9 while they convert and remove a field's values: each value is converted once, and none is
left."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from crm.models import BulkJob, Contact, ConvertedValue, CustomField, CustomFieldValue
from tests.crm.contacts.helpers import form
from tests.flows.import_workers import SECONDS, Workers, running
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check

pytestmark = [pytest.mark.long, in_make_check]

ROWS, KILLS = 1200, 3


def progress(cast: Cast, job_id: str) -> tuple[str, int]:
    """Return the job's status, and how many values it has staged or removed, and written into their records."""
    with cast.scope(), transaction.atomic():
        written = 0
        if CustomField.objects.filter(job=job_id, pending=True).exists():
            written = ROWS - ConvertedValue.objects.filter(job=job_id).count()
        status, processed = BulkJob.objects.values_list("status", "processed").get(pk=job_id)
        return status, processed + written


def kill_over(
    workers: Workers, cast: Cast, job_id: str, steps: int = ROWS, kills: int = KILLS, between: Callable[[], None] = bool
) -> None:
    """Kill at moments spread over the job, then wait for its end. `between` is called while no worker lives."""
    end = time.monotonic() + SECONDS
    for number in range(kills):
        goal = steps * (number + random.random()) / (kills + 1)
        while (seen := progress(cast, job_id))[1] < goal and seen[0] in ("queued", "running"):
            assert time.monotonic() < end, seen
            time.sleep(0.002)
        workers.hang_and_kill_all()
        between()
        workers.spawn()
    while progress(cast, job_id)[0] in ("queued", "running"):
        assert time.monotonic() < end, progress(cast, job_id)
        time.sleep(0.05)
    assert progress(cast, job_id) == ("completed", ROWS)


class People:
    """Those who read and write while the field is converted: they see values of one type, and none is lost."""

    def __init__(self, cast: Cast, field_id: str) -> None:
        self.cast, self.field_id = cast, field_id
        self.expected = {f"ann{n}@example.com": n for n in range(ROWS)}
        self.seen: list[str] = []

    def __call__(self) -> None:
        with self.cast.scope():
            found = dict(Contact.objects.values_list("email", "custom"))
            field = CustomField.objects.get(pk=self.field_id)
            typed = CustomFieldValue.objects.filter(field=field.values_id).values_list("text", "number")
            assert len(typed) == ROWS
        one = str if field.value_type == "string" else int
        assert {email: custom["score"] for email, custom in found.items()} == {
            email: one(number) for email, number in self.expected.items()
        }
        assert sorted(int(text if number is None else number) for text, number in typed) == sorted(
            self.expected.values()
        )
        assert {number is None for _, number in typed} == {one is str}
        self.seen.append(f"{field.value_type}{' pending' if field.pending else ''}")
        self.write(one)

    def write(self, one: Callable[[int], Any]) -> None:
        """Change a few of the contacts."""
        with self.cast.scope():
            ids = dict(Contact.objects.values_list("email", "pk"))
        for email in random.sample(sorted(self.expected), 5):
            self.expected[email] += ROWS
            body = {"formData": {"score": one(self.expected[email])}}
            assert self.cast.key.put(f"/contact/{ids[email]}", body).status == 200


@pytest.mark.django_db(transaction=True)
def test_chaos_of_a_conversion_and_of_a_removal() -> None:
    cast = make_cast()
    id = cast.key.post("/custom-field", {"name": "Score", "fieldType": "text", "uniqueFieldID": "score"}).data["_id"]
    for start in range(0, ROWS, 400):
        items = [form(n, score=str(n)) for n in range(start, start + 400)]
        assert len(cast.key.post("/contact/bulk", {"formData": items}).data["created"]) == 400
    with running("bulk-job", BULK_BATCH_ROWS=40) as workers:
        job = cast.key.put(f"/custom-field/{id}", {"fieldType": "number"}).data["job"]
        people = People(cast, id)
        kill_over(workers, cast, job["_id"], steps=2 * ROWS, kills=2 * KILLS, between=people)
        people()
        assert set(people.seen) == {"string", "number pending", "number"}
        with cast.scope():
            assert CustomFieldValue.objects.count() == ROWS
            assert not ConvertedValue.objects.exists()
        assert cast.key.delete("/custom-field", {"ids": [id]}).status == 200
        with cast.scope():
            removal = BulkJob.objects.get(action="delete_field").pk
        kill_over(workers, cast, removal)
    with cast.scope():
        assert not Contact.objects.exclude(custom={}).exists()
        assert not CustomFieldValue.objects.exists()
        assert not CustomField.every.filter(pk=id).exists()
