"""The file of an export belongs to those who may read the list that it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import SimpleUploadedFile

from crm.files import storage as file_storage
from crm.models import File
from tests.crm.exports.helpers import make, with_role, work
from tests.kit.cast import Caller, Cast
from tests.kit.factories import ContactFactory

ALL = {"GET": True, "POST": True, "PUT": True, "DELETE": True}


@pytest.fixture(autouse=True)
def _media(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_storage, "default_storage", FileSystemStorage(location=tmp_path))


@pytest.fixture
def exported(cast: Cast) -> str:
    """The id of the file of an export of contacts."""
    with cast.scope():
        ContactFactory(email="ann@example.org")
    made = make(cast.session)
    work()
    file: dict[str, Any] = cast.session.get(f"/export/{made['_id']}").data["file"]
    return str(file["_id"])


def listed(caller: Caller, place: str = "/file") -> list[str]:
    return [row["_id"] for row in caller.get(place, p=1, n=100).data]


def test_without_the_right_to_read_the_list_it_is_not_there(cast: Cast, exported: str) -> None:
    clerk = with_role(cast, {"file": ALL, "lead": ALL, "contact": {"POST": True}})
    own = clerk.upload("/upload", SimpleUploadedFile("a.csv", b"name\nBob\n")).data["_id"]
    missing = "0" * 24
    assert listed(clerk) == [own]
    for path in ("/file/{}", "/file/{}/download"):
        assert clerk.get(path.format(exported)).status == 404
        assert clerk.get(path.format(exported)).body == clerk.get(path.format(missing)).body
    answer = clerk.post("/contact/import", {"importType": "contact", "fileId": exported})
    assert (answer.status, answer.body["message"]) == (400, clerk.post(
        "/contact/import", {"importType": "contact", "fileId": missing}
    ).body["message"])  # fmt: skip
    assert clerk.delete("/file", {"ids": [exported]}).status == 400
    assert clerk.delete("/file", {"selectAll": True}).status == 200
    assert (exported in listed(cast.session), own in listed(cast.session)) == (True, False)


def test_in_the_recycle_bin_it_is_not_there_either(cast: Cast, exported: str) -> None:
    clerk = with_role(cast, {"file": ALL})
    assert cast.session.delete("/export", {"selectAll": True}).status == 200
    assert listed(clerk, "/file/recycle-bin") == []
    assert clerk.get(f"/file/{exported}/download").status == 404
    assert clerk.delete("/file/recycle-bin", {"ids": [exported]}).status == 400
    assert clerk.delete("/file/recycle-bin").status == 200
    assert listed(cast.session, "/file/recycle-bin") == [exported]


def test_who_may_read_the_list_reads_the_file(cast: Cast, exported: str) -> None:
    reader = with_role(cast, {"file": {"GET": True}, "contact": {"GET": True}})
    for caller in (reader, cast.session, cast.key):
        assert listed(caller) == [exported]
        assert b"ann@example.org" in caller.get(f"/file/{exported}/download").body
    with cast.scope():
        assert File.objects.get(pk=exported).read_module == "contact"
