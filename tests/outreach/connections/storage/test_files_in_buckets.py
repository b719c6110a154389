"""Files of a company in its bucket: uploads, downloads, imports, deletion, and what a crash leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from time import monotonic
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from core import s3
from core.jobs import WORK
from crm.files import stores
from crm.files.stores import Target
from crm.models import Bucket, File
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import in_make_check
from tests.kit.processes import Forked, kill
from tests.kit.s3_server import ACCESS, SECRET, Buckets

CSV = b"name,email\nAnn,ann@example.org\nBob,bob@example.org\n"


def upload(cast: Cast, name: str = "people.csv", content: bytes = CSV) -> dict[str, Any]:
    answer = cast.key.upload("/upload", SimpleUploadedFile(name, content))
    assert answer.status == 201, answer.body
    return dict(answer.data)


def content(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def remove_for_good(cast: Cast, *ids: str) -> None:
    assert cast.key.delete("/file", {"ids": list(ids)}).status == 200
    assert cast.key.delete("/file/recycle-bin", {"ids": list(ids)}).status == 200
    WORK["files"].drain(monotonic() + 60)


def test_new_files_go_to_the_bucket_and_those_from_before_stay(
    cast: Cast, outsiders: Cast, buckets: Buckets, box: str
) -> None:
    before = upload(cast, "before.csv")
    assert (before["storage"], before["bucket"], before["bucketName"]) == ("local", None, None)
    made = cast.key.post("/apps/bucket", {**buckets.body(box), "subpath": "crm"}).data
    file = upload(cast)
    assert (file["storage"], file["bucket"], file["bucketName"]) == ("bucket", made["_id"], box)
    key = f"crm/{cast.company.pk}/{file['_id']}"
    assert buckets.objects(box) == {key: CSV}
    assert not default_storage.exists(f"{cast.company.pk}/{file['_id']}")
    theirs = upload(outsiders)
    assert theirs["storage"] == "local"
    assert outsiders.key.get(f"/file/{file['_id']}/download").status == 404

    # Another folder for new files leaves those that are there where they are; another bucket is another record.
    assert cast.key.put(f"/apps/bucket/{made['_id']}", {"subpath": "else"}).status == 200
    moved = cast.key.put(f"/apps/bucket/{made['_id']}", {**buckets.make(f"{box}-b")})
    assert (moved.status, moved.body["warning"][:28]) == (400, "name: files are in this buck")
    for one in (file, before):
        assert cast.key.get(f"/file/{one['_id']}/download").body == CSV
        assert content(Client().get(urlsplit(one["url"]).path)) == CSV
    mapped = cast.key.post("/contact/import", {"importType": "contact", "fileId": file["_id"]})
    assert (mapped.status, mapped.data["import"]["headers"]) == (201, ["name", "email"]), (
        "an import reads from the bucket"
    )

    assert cast.key.delete("/apps/bucket", {"ids": [made["_id"]]}).data["deactivatedCount"] == 1
    gone = cast.key.get(f"/file/{file['_id']}/download")
    assert (gone.status, gone.body["message"]) == (404, "File not found.")
    assert f"the bucket {box} that it is in is switched off" in gone.body["warning"]
    assert Client().get(urlsplit(file["url"]).path).status_code == 404
    assert cast.key.get(f"/file/{before['_id']}/download").body == CSV
    assert upload(cast, "after.csv")["storage"] == "local"


def test_browsers_get_an_address_of_the_bucket_where_they_reach_it(
    cast: Cast, bucket: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "is_public", lambda host: True)
    file = upload(cast, 'a"; filename=x\r\nSet-Cookie: y=<svg>.csv')
    for headers in (
        cast.key.get(f"/file/{file['_id']}/download").headers,
        Client().get(urlsplit(file["url"]).path).headers,
    ):
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "X-Amz-Expires=300" in headers["Location"]
        assert SECRET not in headers["Location"]
        with urlopen(headers["Location"]) as found:
            assert found.read() == CSV
            assert found.headers["Content-Disposition"].startswith("attachment; filename")
            assert found.headers["Set-Cookie"] is None
    head = Client().head(urlsplit(file["url"]).path)
    assert (head.status_code, "X-Amz-Signature" in head["Location"]) == (302, True)


def test_a_bucket_that_changed_a_content_gives_none(cast: Cast, buckets: Buckets, bucket: dict[str, Any]) -> None:
    file = upload(cast)
    box, (key,) = bucket["name"], buckets.objects(bucket["name"])
    for other in (CSV + b"x", CSV[:-1]):
        s3.client(buckets.place(box)).put_object(Bucket=box, Key=key, Body=other)
        assert cast.key.get(f"/file/{file['_id']}/download").status == 404
    s3.client(buckets.place(box)).delete_object(Bucket=box, Key=key)
    assert cast.key.get(f"/file/{file['_id']}/download").status == 404
    remove_for_good(cast, file["_id"])
    assert not WORK["files"].due(), "what is gone already counts as removed"


def test_what_is_deleted_is_removed_when_the_bucket_lets_it(
    cast: Cast, buckets: Buckets, bucket: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [upload(cast, f"{name}.csv") for name in "abc"]
    asked: list[str] = []

    def refuse(place: Any, key: str) -> None:
        asked.append(key)
        raise s3.S3Failed("AccessDenied", "The storage refuses these keys (AccessDenied).")

    with monkeypatch.context() as patched:
        patched.setattr(s3, "delete", refuse)
        remove_for_good(cast, *(one["_id"] for one in files[:2]))
        WORK["files"].drain(monotonic() + 60)
    assert len(asked) == 1, "the others of the bucket wait with it, and so does the next attempt"
    assert "refuses these keys" in cast.key.get(f"/apps/bucket/{bucket['_id']}").data["lastError"]
    assert (len(buckets.objects(bucket["name"])), WORK["files"].due()) == (3, False)
    cast.key.delete("/apps/bucket", {"ids": [bucket["_id"]]})  # what has been deleted goes all the same
    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        assert WORK["files"].due()
        WORK["files"].drain(monotonic() + 60)
    assert list(buckets.objects(bucket["name"])) == [f"crm/files/{cast.company.pk}/{files[2]['_id']}"]


def sweep_of_tomorrow(cast: Cast) -> None:
    with cast.scope():
        File.objects.filter(is_deleted=True).update(created_at=timezone.now() - timedelta(hours=25))
    WORK["files"].drain(monotonic() + 60)


class Killed(BaseException):
    """The process ends here."""


def _killed_before(owner: Any, name: str) -> Callable[[pytest.MonkeyPatch], None]:
    def dead(*_: Any, **__: Any) -> None:
        raise Killed

    return lambda patched: patched.setattr(owner, name, dead)


def _killed_after_the_object(patched: pytest.MonkeyPatch) -> None:
    real = s3.put

    def put(*arguments: Any, **options: Any) -> None:
        real(*arguments, **options)
        raise Killed

    patched.setattr(s3, "put", put)


@pytest.mark.parametrize(
    ("kill", "objects"),
    [
        (_killed_before(Target, "lock_bucket"), 0),
        (_killed_before(s3, "put"), 0),
        (_killed_after_the_object, 1),
    ],
    ids=("before the record", "before the object", "before the end"),
)
def test_an_upload_that_is_killed_leaves_nothing_for_ever(
    cast: Cast,
    buckets: Buckets,
    bucket: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    kill: Callable[[pytest.MonkeyPatch], None],
    objects: int,
) -> None:
    kept = upload(cast, "kept.csv")
    with monkeypatch.context() as patched:
        kill(patched)
        with pytest.raises(Killed):
            cast.key.upload("/upload", SimpleUploadedFile("half.csv", CSV))
    assert [one["_id"] for one in cast.key.get("/file").data] == [kept["_id"]]
    assert len(buckets.objects(bucket["name"])) == 1 + objects
    sweep_of_tomorrow(cast)
    assert list(buckets.objects(bucket["name"])) == [f"crm/files/{cast.company.pk}/{kept['_id']}"]
    assert cast.key.get(f"/file/{kept['_id']}/download").body == CSV
    with cast.scope():
        assert not File.objects.exclude(path="").exclude(pk=kept["_id"]).exists()


def test_a_bucket_that_does_not_answer_takes_nothing(
    cast: Cast, buckets: Buckets, bucket: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have written all the same: what it wrote is removed some minutes later."""
    real = s3.put

    def slow(*arguments: Any, **options: Any) -> None:
        real(*arguments, **options)
        raise s3.S3Failed("slow", "It did not answer in time.")

    with monkeypatch.context() as patched:
        patched.setattr(s3, "put", slow)
        answer = cast.key.upload("/upload", SimpleUploadedFile("a.csv", CSV))
    assert (answer.status, answer.body["message"]) == (400, "The file could not be uploaded. Try again.")
    assert "did not answer in time" in answer.body["warning"]
    assert (cast.key.get("/file").data, WORK["files"].due()) == ([], False)
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        WORK["files"].drain(monotonic() + 60)
    assert buckets.objects(bucket["name"]) == {}
    with cast.scope():  # a bucket that changes while an upload begins takes none of it
        target = stores.next_target()
        Bucket.objects.update(updated_at=timezone.now())
        with pytest.raises(Exception, match="has just been changed"):
            target.lock_bucket()


def test_the_service_s_bucket_takes_what_companies_without_one_upload(
    cast: Cast, outsiders: Cast, buckets: Buckets, box: str, settings: Any
) -> None:
    keys = {"access_key": ACCESS, "secret_key": SECRET}
    settings.FILES_S3 = {"endpoint": buckets.url, "region": "eu-central-1", "bucket": box, **keys}
    mine, theirs = upload(cast), upload(outsiders)
    assert (mine["storage"], mine["bucket"]) == ("service", None)
    assert set(buckets.objects(box)) == {f"{one['company']}/{one['_id']}" for one in (mine, theirs)}
    assert cast.key.get(f"/file/{mine['_id']}/download").body == CSV
    remove_for_good(cast, mine["_id"])
    assert list(buckets.objects(box)) == [f"{outsiders.company.pk}/{theirs['_id']}"]
    settings.FILES_S3 = {**settings.FILES_S3, "bucket": ""}
    assert outsiders.key.get(f"/file/{theirs['_id']}/download").status == 404


KILLED = """
import sys, time, django
django.setup()
from pathlib import Path
from core import s3
from core.tenancy import company_scope
from crm.files.services import store_uploads
from crm.files.storage import Received
real = s3.put

def put(*arguments, **options):
    real(*arguments, **options)
    print("ready", flush=True)
    time.sleep(60)

s3.put = put
with company_scope(sys.argv[1]):
    upload = Received("half.csv")
    upload.append(b"name,email\\n")
    upload.complete()
    store_uploads(uploads=[upload], member_id=sys.argv[2])
"""


@in_make_check
@pytest.mark.django_db(transaction=True)
def test_a_process_that_is_killed_over_an_upload_leaves_nothing_for_ever(buckets: Buckets, box: str) -> None:
    cast = make_cast()
    made = cast.key.post("/apps/bucket", buckets.body(box))
    assert made.status == 201, made.body
    process = Forked(KILLED, cast.company.pk, cast.owner.pk)
    assert process.stdout.readline() == "ready\n"
    kill(process)
    assert (len(buckets.objects(box)), cast.key.get("/file").data) == (1, [])
    sweep_of_tomorrow(cast)
    assert (buckets.objects(box), cast.key.get("/file").data) == ({}, [])
