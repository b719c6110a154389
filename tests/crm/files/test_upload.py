"""POST /upload."""

from __future__ import annotations

import gc
import hashlib
import os
import resource
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import RequestDataTooBig
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory
from django.utils import timezone

from core.jobs import WORK
from crm.files import leftovers
from crm.files import storage as file_storage
from crm.files.services import clean_name
from crm.models import File
from tests.kit.cast import KEY, Cast
from tests.kit.factories import SubscriptionFactory

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
CSV = b"name,email\nAnn,ann@example.org\nBob,bob@example.org\n"


def part(content: bytes, name: str = "people.csv", mime: str = "text/csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, content_type=mime)


def test_one_file_becomes_a_record_with_its_hashes(cast: Cast) -> None:
    answer = cast.key.upload("/upload", part(CSV))
    assert answer.status == 201
    data = answer.data
    assert (data["name"], data["size"], data["mime"], data["bucket"]) == ("people.csv", len(CSV), "text/csv", None)
    assert data["hashes"] == {name: hashlib.new(name, CSV).hexdigest() for name in ("md5", "sha1", "sha256", "sha512")}
    assert (data["company"], data["isDeleted"], data["trashedAt"]) == (cast.company.pk, False, None)
    assert data["createdBy"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    with default_storage.open(f"{cast.company.pk}/{data['_id']}") as stored:
        assert stored.read() == CSV


def test_several_files_become_an_array_in_their_order(cast: Cast) -> None:
    answer = cast.session.upload("/upload", [part(CSV, "b.csv"), part(PNG, "a.png", "image/png")])
    assert answer.status == 201
    assert [(row["name"], row["mime"]) for row in answer.data] == [("b.csv", "text/csv"), ("a.png", "image/png")]


def test_the_content_decides_and_not_the_name_or_header(cast: Cast) -> None:
    assert cast.key.upload("/upload", part(PNG, "people.csv")).data["mime"] == "image/png"
    refused = cast.key.upload("/upload", part(b"\x7fELF" + bytes(500), "photo.png", "image/png"))
    assert refused.status == 400
    assert "photo.png" in refused.body["warning"]


def test_one_bad_file_refuses_all_and_leaves_nothing(cast: Cast) -> None:
    answer = cast.key.upload("/upload", [part(CSV), part(b"MZ\x90\x00" + bytes(999), "tool.exe")])
    assert (answer.status, answer.body["message"]) == (400, "Files of this type are not supported.")
    with cast.scope():
        assert File.objects.count() == 0


def test_empty_and_missing_files_are_named(cast: Cast) -> None:
    empty = cast.key.upload("/upload", part(b"", "void.csv"))
    assert (empty.status, empty.body["message"]) == (400, "This file is empty. Choose another file.")
    assert "void.csv" in empty.body["warning"]
    for answer in (cast.key.upload("/upload", []), cast.key.post("/upload", {"file": "people.csv"})):
        assert (answer.status, answer.body["message"]) == (400, "Choose a file.")


def test_other_parts_are_refused(cast: Cast) -> None:
    answer = cast.key.upload("/upload", part(CSV), folder="x")
    assert answer.status == 400
    assert "folder" in answer.body["message"]
    client = Client(raise_request_exception=False)
    response = client.post(f"{KEY}/upload", {"document": BytesIO(CSV)}, headers=cast.key.headers)
    assert response.status_code == 400
    assert "document" in response.json()["message"]


@pytest.mark.parametrize("limit", [len(CSV) - 1, -2_000_000])
def test_too_large_is_refused_with_the_limit(cast: Cast, settings: Any, limit: int) -> None:
    # A negative limit is below what any announced length stays under, so that the refusal comes before the body is
    # read.
    settings.MAX_UPLOAD_BYTES = limit
    answer = cast.key.upload("/upload", part(CSV))
    assert answer.status == 400
    assert str(limit) in answer.body["message"]
    settings.MAX_UPLOAD_BYTES = len(CSV)
    assert cast.key.upload("/upload", part(CSV)).status == 201


def test_a_body_that_was_cut_off_is_not_stored(cast: Cast) -> None:
    body = b'--B\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n' + CSV + b"\r\n--B--\r\n"
    client = Client(raise_request_exception=False)
    for cut in (len(body) - 30, 20):
        response = client.generic(
            "POST",
            f"{KEY}/upload",
            body,
            content_type="multipart/form-data; boundary=B",
            headers=cast.key.headers,
            **{"wsgi.input": BytesIO(body[:cut])},
        )
        assert response.status_code == 400, response.content
    with cast.scope():
        assert File.objects.count() == 0
    whole = client.generic(
        "POST", f"{KEY}/upload", body, content_type="multipart/form-data; boundary=B", headers=cast.key.headers
    )
    assert whole.status_code == 201


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ann\\list.csv", "list.csv"),
        ("in\u202evsc.exe", "invsc.exe"),
        ("a\x00b\nc.csv", "abc.csv"),
        ("..", "file"),
        ("", "file"),
        ("x" * 400 + ".csv", "x" * 235 + ".csv"),
        ("Müller – Liste.csv", "Müller – Liste.csv"),
    ],
)
def test_names_are_cleaned(sent: str, kept: str) -> None:
    assert clean_name(sent) == kept
    assert len(clean_name(sent)) <= 255


def test_upload_and_list_work_without_subscription(cast: Cast) -> None:
    from billing.models import Subscription

    with cast.scope():
        Subscription.objects.all().delete()
    assert cast.key.upload("/upload", part(CSV)).status == 201
    assert cast.session.upload("/upload", part(CSV)).status == 201
    assert cast.key.get("/file").body["totalCount"] == 2
    assert cast.key.get("/file/recycle-bin").status == 500
    with cast.scope():
        SubscriptionFactory()
    assert cast.key.get("/file/recycle-bin").status == 200


def test_the_role_decides_on_the_session_path(cast: Cast) -> None:
    assert cast.narrow_session.upload("/upload", part(CSV)).status == 403
    assert Client().post(f"{KEY}/upload", {"file": part(CSV)}).status_code == 401


def test_a_storage_that_fails_leaves_nothing_visible(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    real = default_storage.save
    saved: list[str] = []

    def fail_on_second(name: str, content: Any) -> str:
        if saved:
            raise OSError("disk full")
        saved.append(name)
        return real(name, content)

    monkeypatch.setattr(default_storage, "save", fail_on_second)
    answer = cast.key.upload("/upload", [part(CSV, "a.csv"), part(CSV, "b.csv")])
    assert (answer.status, answer.body["message"]) == (400, "The file could not be uploaded. Try again.")
    assert cast.key.get("/file").body["totalCount"] == 0
    assert WORK["files"].due()
    assert default_storage.exists(saved[0])
    WORK["files"].drain(float("inf"))
    assert not default_storage.exists(saved[0])
    assert not WORK["files"].due()


def test_what_a_dead_server_left_is_removed_after_a_day(scope: Cast) -> None:
    key = f"{scope.company.pk}/{'a' * 24}"
    default_storage.save(key, BytesIO(CSV))
    file = File.objects.create(id="a" * 24, name="half.csv", size=1, mime="text/csv", path=key, is_deleted=True)
    assert not WORK["files"].due()
    File.objects.filter(pk=file.pk).update(created_at=timezone.now() - file_storage.ABANDONED * 2)
    assert leftovers.remove_leftovers(float("inf")) == 1
    assert not default_storage.exists(key)
    file.refresh_from_db()
    assert file.path == ""


def test_no_temporary_file_stays_behind(cast: Cast, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made: list[Path] = []

    def folder() -> Path:
        made.append(tmp_path)
        return tmp_path

    monkeypatch.setattr(file_storage, "incoming_folder", folder)
    cast.key.upload("/upload", part(CSV))
    cast.key.upload("/upload", part(b"MZ" + bytes(99), "x.exe"))
    assert made
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_is_free_again_at_once(cast: Cast, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The system refuses writes beyond a size; no garbage collector comes by."""
    monkeypatch.setattr(file_storage, "incoming_folder", lambda: tmp_path)
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    gc.disable()
    resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, hard))
    try:
        answer = cast.key.upload("/upload", [part(CSV), part(b"a,b\n" * (1 << 20), "large.csv")])
        left = list(tmp_path.iterdir())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        gc.enable()
    assert (answer.status, answer.body["message"]) == (400, "The file could not be uploaded. Try again.")
    assert "disk is full" in answer.body["warning"]
    assert left == []


def test_an_upload_that_was_cut_off_leaves_nothing_at_once(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(file_storage, "incoming_folder", lambda: tmp_path)
    body = b'--B\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n' + CSV + b"\r\n--B--\r\n"
    gc.disable()
    try:
        response = Client(raise_request_exception=False).generic(
            "POST",
            f"{KEY}/upload",
            body,
            content_type="multipart/form-data; boundary=B",
            headers=cast.key.headers,
            **{"wsgi.input": BytesIO(body[:-30])},
        )
        left = list(tmp_path.iterdir())
    finally:
        gc.enable()
    assert response.status_code == 400
    assert left == []


def test_what_dead_processes_left_is_removed_and_what_living_ones_write_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(file_storage, "incoming_folder", lambda: tmp_path)
    living, young, copy = file_storage.open_incoming(), tmp_path / "young.upload", tmp_path / "copy"
    dead = tmp_path / "dead.upload"
    minutes_ago, days_ago = (time.time() - seconds for seconds in (120, 200_000))
    for path, moment in ((dead, minutes_ago), (young, time.time()), (copy, minutes_ago), (tmp_path / "old", days_ago)):
        path.write_bytes(b"x")
        os.utime(path, (moment, moment))
    os.utime(living.name, (minutes_ago, minutes_ago))
    assert file_storage.remove_old_incoming() is False
    assert {path.name for path in tmp_path.iterdir()} == {Path(living.name).name, "young.upload", "copy"}
    living.close()
    assert not Path(living.name).exists()


def test_files_of_a_form_have_a_limit_together(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any) -> None:
    monkeypatch.setattr(file_storage, "incoming_folder", lambda: tmp_path)
    settings.MAX_UPLOAD_BYTES = 3 << 20
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 1000
    files = [SimpleUploadedFile(f"{number}.bin", bytes(2 << 20)) for number in range(2)]
    request = RequestFactory().post("/", {"file": files})
    with pytest.raises(RequestDataTooBig, match="more than 3145728 bytes"):
        _ = request.FILES
    gc.collect()  # the first file goes with the frames of the exception
    assert list(tmp_path.iterdir()) == []
    settings.MAX_UPLOAD_BYTES = 4 << 20
    files = [SimpleUploadedFile(f"{number}.bin", bytes(2 << 20)) for number in range(2)]
    request = RequestFactory().post("/", {"file": files})
    assert [file.size for file in request.FILES.getlist("file")] == [2 << 20] * 2
    request.close()
