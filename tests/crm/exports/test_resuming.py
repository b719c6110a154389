"""An export goes on behind what it has read: after its turn, its task's time limit, or the death of its worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from django.core.files.storage import FileSystemStorage
from django.utils import timezone

from core.jobs import WORK, claim
from crm.exports import worker
from crm.exports.sources import Records
from crm.files import storage as file_storage
from crm.models import Contact, CustomField, Export, ExportPart
from tests.crm.exports.helpers import content_of, make, table, work
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory


@pytest.fixture(autouse=True)
def media(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Path:
    """A storage of the test's own, and parts of two records."""
    monkeypatch.setattr(file_storage, "default_storage", FileSystemStorage(location=tmp_path))
    settings.EXPORT_CHUNK_ROWS = 2
    return tmp_path


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many records had been read when each part was."""
    seen: list[int] = []
    real = Records.chunks_after

    def after(self: Records, done: int) -> Iterator[Any]:
        for until, chunk in real(self, done):
            seen.append(until)
            yield until, chunk

    monkeypatch.setattr(Records, "chunks_after", after)
    return seen


def one_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn that is over after its first part."""
    with monkeypatch.context() as short:
        short.setattr(worker, "MAX_SLICE_SECONDS", 0.0)
        (job,) = claim(Export, limit=1)
        WORK["export"].run(job, 0.0)


def emails(scope: Cast, made: dict[str, Any]) -> list[str]:
    done = scope.key.get(f"/export/{made['_id']}").data
    assert done["status"] == "completed", done
    return [row[0] for row in table(content_of(scope.key, done))[1:]]


@pytest.mark.parametrize("format", ["csv", "xlsx"])
def test_turns_go_on_where_the_last_one_stopped(
    scope: Cast, monkeypatch: pytest.MonkeyPatch, read: list[int], format: str
) -> None:
    ContactFactory.create_batch(5)
    made = make(scope.key, format=format)
    for turn, seen in enumerate(([2], [2, 4], [2, 4, 5]), 1):
        one_turn(monkeypatch)
        assert read == seen
        found = Export.objects.get()
        assert (found.status, found.processed, found.total) == ("queued", seen[-1], 5)
        assert ExportPart.objects.count() == 1 + turn
    one_turn(monkeypatch)
    work()
    assert read == [2, 4, 5]
    done = scope.key.get(f"/export/{made['_id']}").data
    assert (done["status"], done["processed"], done["total"]) == ("completed", 5, 5)
    assert not ExportPart.objects.exists()


def test_what_comes_and_goes_between_turns_neither_doubles_nor_hides_a_record(
    scope: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    contacts = [ContactFactory(email=f"{n}@example.org") for n in range(1, 7)]
    made = make(scope.key, query={"sortBy": "email", "sortOrder": "asc"}, columns=["email"])
    one_turn(monkeypatch)
    ContactFactory(email="0@example.org")
    Contact.objects.filter(pk=contacts[0].pk).update(is_deleted=True)
    Contact.objects.filter(pk=contacts[3].pk).update(is_deleted=True)
    Contact.objects.filter(pk=contacts[5].pk).update(email="00@example.org")
    work()
    assert emails(scope, made) == [f"{n}@example.org" for n in ("1", "2", "3", "5", "00")]
    assert Export.objects.get().processed == 5


def test_the_time_limit_of_the_task_costs_one_part(
    scope: Cast, monkeypatch: pytest.MonkeyPatch, read: list[int]
) -> None:
    created = timezone.now().replace(microsecond=5)
    CustomField.objects.create(name="Size", unique_field_id="size", field_type="number", value_type="number")
    for n in range(5):
        ContactFactory(email=f"{n}@example.org", custom={"size": n + 0.5})
    Contact.objects.update(created_at=created)
    made = make(scope.key, query={"sortBy": "email", "sortOrder": "asc"})
    real = worker.save_progress

    def stopped(job: Export, **progress: Any) -> bool:
        if job.processed == 2:
            raise SoftTimeLimitExceeded
        return real(job, **progress)

    with monkeypatch.context() as limited:
        limited.setattr(worker, "save_progress", stopped)
        work()
    found = Export.objects.get()
    assert (found.status, found.processed, read) == ("queued", 2, [2, 4])
    Export.objects.update(due_at=timezone.now())
    work()
    assert read == [2, 4, 4, 5]
    done = scope.key.get(f"/export/{made['_id']}").data
    at_once = scope.key.get("/contact/export", sortBy="email", sortOrder="asc").body
    assert content_of(scope.key, done) == at_once, "the parts keep the types of all cells"


def test_an_export_whose_columns_changed_begins_anew(scope: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    ContactFactory.create_batch(3)
    made = make(scope.key)
    one_turn(monkeypatch)
    CustomField.objects.create(name="City", unique_field_id="city", field_type="text", value_type="string")
    work()
    header, *rows = table(content_of(scope.key, scope.key.get(f"/export/{made['_id']}").data))
    assert "City" in header
    assert [len(row) for row in rows] == [len(header)] * 3


def test_cancelling_deleting_and_erasing_leave_no_parts(scope: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    person, *_ = ContactFactory.create_batch(3, email=None, email_key=None)
    for end in (
        lambda id: scope.key.put(f"/export/{id}", {"status": "cancelled"}),
        lambda id: scope.key.delete("/export", {"ids": [id]}),
    ):
        made = make(scope.key)
        one_turn(monkeypatch)
        assert ExportPart.objects.count() == 2
        assert end(made["_id"]).status == 200
        assert not ExportPart.objects.exists()
    made = make(scope.key)
    one_turn(monkeypatch)
    assert scope.key.post(f"/contact/{person.pk}/erase", {"confirm": person.pk}).status == 200
    assert not ExportPart.objects.exists()
    work()
    done = scope.key.get(f"/export/{made['_id']}").data
    assert (done["processed"], done["total"]) == (2, 2)
