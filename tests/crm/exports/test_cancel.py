"""Exports that are cancelled or deleted, at work too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.jobs import WORK
from crm.exports import worker
from crm.files import leftovers
from crm.models import Export, File
from tests.crm.exports.helpers import make, stored, work
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory


def test_a_queued_export_is_cancelled_at_once_and_one_at_work_after_its_piece(
    scope: Cast, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crm.exports.sources.CHUNK", 1)
    ContactFactory.create_batch(3)
    first = make(scope.key)
    assert scope.key.put(f"/export/{first['_id']}", {"status": "cancelled"}).data["status"] == "cancelled"
    again = scope.key.put(f"/export/{first['_id']}", {"status": "cancelled"})
    assert (again.status, again.body["warning"]) == (400, "status: an export that is cancelled cannot be cancelled")
    second = make(scope.key)
    real = worker.save_progress

    def cancelling(job: Export, **progress: Any) -> bool:
        if job.processed == 1:
            assert scope.key.put(f"/export/{second['_id']}", {"status": "cancelled"}).data["status"] == "running"
        return real(job, **progress)

    monkeypatch.setattr(worker, "save_progress", cancelling)
    work()
    found = scope.key.get(f"/export/{second['_id']}").data
    assert (found["status"], found["processed"], found["total"], found["file"]) == ("cancelled", 2, 3, None)
    assert stored(media) == []
    assert not File.objects.filter(is_deleted=False).exists()
    assert WORK["files"].due()
    leftovers.remove_leftovers(float("inf"))
    assert not File.objects.exclude(path="").exists()


def test_deleting_puts_files_into_the_bin_and_stops_what_is_at_work(
    scope: Cast, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ContactFactory()
    done = make(scope.key)
    work()
    waiting, busy = make(scope.key), make(scope.key)
    assert scope.key.delete("/export", {"ids": [done["_id"], waiting["_id"]]}).data == {"deletedCount": 2}
    assert [row["trashedBy"] for row in scope.key.get("/file/recycle-bin").data] == [scope.owner.pk]
    real = worker.cells_of

    def deleting(*args: Any) -> Any:
        assert scope.key.delete("/export", {"ids": [busy["_id"]]}).data == {"deletedCount": 1}
        return real(*args)

    monkeypatch.setattr(worker, "cells_of", deleting)
    work()
    assert scope.key.get("/export").data == []
    assert len(stored(media)) == 1
    assert scope.key.delete("/export", {"ids": [done["_id"]]}).status == 404
    assert scope.key.delete("/export", {"selectAll": True}).data == {"deletedCount": 0}
