"""Writers of a company get in between the batches of its bulk jobs, and beside an erasure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from core.jobs import claim
from crm.bulk_jobs import services
from crm.models import BulkJob, Contact
from crm.privacy import erasure
from tests.kit.cast import Answer, Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.factories import ContactFactory
from tests.kit.threads import at_once

PATIENCE = "3s"


def impatient(call: Callable[[], Answer]) -> int:
    """The status of a request on another connection, which gives up when something is locked."""

    def one(n: int) -> int:
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = '{PATIENCE}'")
        return call().status

    (status,) = at_once(1, None, one)
    return int(status)


def write_beside(cast: Cast, ids: list[str], number: int) -> None:
    """Create a contact, and change others."""
    form = {"name": "New", "email": f"new{number}@example.org", "countryCode": "+49", "number": f"151{number:08}"}
    assert impatient(lambda: cast.key.post("/contact", {"formData": form})) == 200
    for id in ids:
        assert impatient(lambda id=id: cast.key.put(f"/contact/{id}", {"formData": {"name": f"Ann {number}"}})) == 200  # type: ignore[misc]


def work_with_writers(cast: Cast, monkeypatch: pytest.MonkeyPatch, ids: list[str], job_id: str, begun: int) -> int:
    """Work on a job while others write after each batch. Returns the number of batches."""
    batches = 0

    def others_write(model: Any) -> bool:
        nonlocal batches
        batches += 1
        write_beside(cast, ids, begun + batches)
        return False

    monkeypatch.setattr(services, "has_due", others_write)
    (job,) = claim(BulkJob, limit=1)
    assert job.pk == job_id
    with cast.scope():
        services.run(job, deadline=0)
    assert cast.key.get(f"/bulk-job/{job_id}").data["status"] == "completed"
    return batches


@in_make_check
@pytest.mark.django_db(transaction=True)
def test_writers_get_in_between_batches(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    cast = make_cast()
    field = cast.key.post("/custom-field", {"name": "Score", "fieldType": "text", "uniqueFieldID": "score"}).data["_id"]
    with cast.scope():
        ids = sorted(ContactFactory(custom={"score": "5"}).pk for _ in range(6))
    settings.BULK_AT_ONCE, settings.BULK_BATCH_ROWS = 1, 2
    monkeypatch.setattr("crm.custom_fields.removal_jobs.INLINE_LIMIT", 1)
    done = cast.key.put("/contact", {"selectAll": True, "formData": {"score": "7"}}).body["bulkJob"]
    assert work_with_writers(cast, monkeypatch, ids, done, 100) == 3
    undoing = cast.key.post(f"/bulk-job/{done}/undo").data["_id"]
    assert work_with_writers(cast, monkeypatch, ids, undoing, 200) == 3
    assert cast.key.delete("/contact", {"selectAll": True}).status == 200
    with cast.scope():
        deleting = BulkJob.objects.get(action="delete").pk
    assert work_with_writers(cast, monkeypatch, [], deleting, 300) >= 6
    restoring = cast.key.post("/contact/restore", {"selectAll": True}).body["bulkJob"]
    assert work_with_writers(cast, monkeypatch, [], restoring, 400) >= 6
    assert cast.key.delete("/custom-field", {"ids": [field]}).status == 200
    with cast.scope():
        removal = BulkJob.objects.get(action="delete_field").pk
    assert work_with_writers(cast, monkeypatch, ids, removal, 500) == 3
    with cast.scope():
        assert not Contact.objects.exclude(custom={}).exists()


@pytest.mark.django_db(transaction=True)
def test_writers_of_others_do_not_wait_for_an_erasure(monkeypatch: pytest.MonkeyPatch) -> None:
    cast = make_cast()
    with cast.scope():
        person, other = ContactFactory(), ContactFactory()
    real = erasure.discard_exports

    def last() -> int:
        write_beside(cast, [other.pk], 1)
        return real()

    monkeypatch.setattr(erasure, "discard_exports", last)
    assert cast.key.post(f"/contact/{person.pk}/erase", {"confirm": person.pk}).status == 200


@pytest.mark.parametrize(("rate", "size"), [(None, 500), (1.0, 50), (1000.0, 300), (3000.0, 900), (50_000.0, 2000)])
def test_a_batch_takes_about_a_third_of_a_second(rate: float | None, size: int) -> None:
    assert services.batch_rows(BulkJob(rate=rate)) == size
