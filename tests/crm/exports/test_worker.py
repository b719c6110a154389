"""Exports whose worker dies or loses its lease, and the end of old exports."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from core.ids import new_id
from core.jobs import sweep
from crm.exports import services as exports
from crm.exports import worker
from crm.files import leftovers
from crm.files import storage as file_storage
from crm.models import CustomField, Export, File
from tests.crm.exports.helpers import content_of, make, stored, table, work
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory


def test_a_dead_workers_export_goes_on_and_ends_in_one_file(
    scope: Cast, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Death at each of the moments that matter: while it writes, and between the storing of the content and the end of
    the job."""
    monkeypatch.setattr("crm.exports.sources.CHUNK", 1)
    ContactFactory.create_batch(2)

    class Killed(BaseException):
        """An exception that nothing catches, in place of kill -9."""

    def die(*args: Any, **values: Any) -> bool:
        raise Killed

    made = make(scope.key)
    for name in ("save_progress", "_complete"):
        with monkeypatch.context() as dying:
            dying.setattr(worker, name, die)
            dying.setattr(
                file_storage.shutil, "rmtree", lambda *args, **values: None
            )  # a killed process tidies nothing
            with pytest.raises(Killed):
                work()
        assert Export.objects.get().status == "running"
        Export.objects.update(worker=None)
        assert sweep() == 1
    work()
    done = scope.key.get(f"/export/{made['_id']}").data
    assert (done["status"], done["processed"]) == ("completed", 2)
    assert len(table(content_of(scope.key, done))) == 3
    file = File.objects.get()
    assert stored(media) == [file.path]


def test_a_worker_that_lost_its_lease_leaves_no_content(
    scope: Cast, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ContactFactory()
    made = make(scope.key)
    real = worker._complete

    def overtaken(job: Export, received: Any, formats: Any) -> None:
        Export.objects.update(status="queued", lease=new_id())
        monkeypatch.setattr(worker, "_complete", real)
        work()
        real(job, received, formats)

    monkeypatch.setattr(worker, "_complete", overtaken)
    work()
    done = scope.key.get(f"/export/{made['_id']}").data
    assert done["status"] == "completed"
    assert stored(media) == [File.objects.get().path]
    assert len(table(content_of(scope.key, done))) == 2


def test_a_query_that_no_longer_holds_fails_with_its_reason(scope: Cast) -> None:
    field = CustomField.objects.create(name="City", unique_field_id="city", field_type="text", value_type="string")
    made = make(scope.key, query={"filters": {"city": "Rome"}})
    field.delete()
    work()
    failed = scope.key.get(f"/export/{made['_id']}").data
    assert failed["status"] == "failed"
    assert "the field 'city' is unknown" in failed["error"]
    assert failed["file"] is None
    assert not File.objects.filter(trashed_at=None).exists()


def test_old_exports_go_with_their_files(scope: Cast, media: Path) -> None:
    for _ in range(2):
        make(scope.key)
    work()
    kept, old = Export.objects.order_by("pk")
    Export.objects.filter(pk=old.pk).update(
        finished_at=timezone.now() - timedelta(days=settings.EXPORT_DAYS, minutes=1)
    )
    assert exports.purge_exports() is False
    assert list(Export.objects.values_list("pk", flat=True)) == [kept.pk]
    leftovers.remove_leftovers(float("inf"))
    assert stored(media) == [File.objects.get(pk=kept.file_id).path]
