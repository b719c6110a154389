"""GET and DELETE /file, GET /file/:id, its download, the signed link and the recycle bin (contract 4.8)."""

from __future__ import annotations

from typing import Any

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from core.jobs import WORK
from crm.models import File, Import
from tests.kit.cast import Cast

CSV = b"name,email\nAnn,ann@example.org\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(300)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
MISSING = "0" * 24


def upload(cast: Cast, content: bytes = CSV, name: str = "people.csv") -> dict[str, Any]:
    answer = cast.key.upload("/upload", SimpleUploadedFile(name, content))
    assert answer.status == 201, answer.body
    return dict(answer.data)


def test_the_list_has_the_records_and_not_the_trashed_ones(cast: Cast) -> None:
    kept, trashed = upload(cast, name="a.csv"), upload(cast, name="b.csv")
    assert cast.key.delete("/file", {"ids": [trashed["_id"]]}).body["data"] is None
    answer = cast.session.get("/file", p="1", n="10")
    assert answer.body["totalCount"] == 1
    assert answer.data[0]["_id"] == kept["_id"]
    assert answer.data[0]["hashes"] == kept["hashes"]
    assert answer.data[0]["createdBy"]["email"] == cast.owner.email


def test_the_list_is_searched_filtered_and_sorted(cast: Cast) -> None:
    upload(cast, name="Customers.csv")
    upload(cast, PNG, "logo.png")
    assert [row["name"] for row in cast.key.get("/file", searchValue="custom").data] == ["Customers.csv"]
    assert [row["name"] for row in cast.key.get("/file", filters={"mime": "image/png"}).data] == ["logo.png"]
    assert [row["name"] for row in cast.key.get("/file", sortBy="size", sortOrder="asc").data] == [
        "Customers.csv",
        "logo.png",
    ]
    assert cast.key.get("/file", sortBy="path").status == 400


def test_the_list_takes_two_queries_however_many_files(cast: Cast, django_assert_max_num_queries: Any) -> None:
    for number in range(5):
        upload(cast, name=f"{number}.csv")
    cast.key.get("/file", p="1", n="3")
    with django_assert_max_num_queries(8):
        assert len(cast.key.get("/file", p="1", n="3").data) == 3


def test_the_download_is_the_content_and_runs_nothing(cast: Cast) -> None:
    page, picture = upload(cast, SVG, "drawing.svg"), upload(cast, PNG, "logo.png")
    answer = cast.key.get(f"/file/{page['_id']}/download")
    assert (answer.status, answer.body) == (200, SVG)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="drawing.svg"'
    assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Length"] == str(len(SVG))
    assert (
        cast.session.get(f"/file/{picture['_id']}/download").headers["Content-Disposition"]
        == 'inline; filename="logo.png"'
    )


def test_the_link_opens_the_content_without_login_for_a_week(cast: Cast, settings: Any) -> None:
    file = upload(cast, PNG, "Über uns.png")
    assert file["url"].startswith(f"{settings.BASE_URL}/files/{file['_id']}/")
    path = file["url"].removeprefix(settings.BASE_URL)
    browser = Client()
    response = browser.get(path)
    assert (response.status_code, b"".join(response.streaming_content)) == (200, PNG)
    assert response.headers["Content-Disposition"] == "inline; filename*=utf-8''%C3%9Cber%20uns.png"
    other = upload(cast, PNG, "b.png")
    assert browser.get(path.replace(file["_id"], other["_id"])).status_code == 404
    assert browser.get(f"/files/{file['_id']}/forged.signature/x").status_code == 404
    assert browser.post(path).status_code == 405
    with time_machine.travel(timezone.now() + timezone.timedelta(days=8)):
        assert browser.get(path).status_code == 404
    cast.key.delete("/file", {"ids": [file["_id"]]})
    assert browser.get(path).status_code == 404


def test_trashing_says_who_and_when_and_the_bin_lists_it(cast: Cast) -> None:
    file = upload(cast)
    cast.session.delete("/file", {"ids": [file["_id"]]})
    [row] = cast.key.get("/file/recycle-bin").data
    assert (row["_id"], row["trashedBy"], row["isDeleted"]) == (file["_id"], cast.owner.pk, False)
    assert row["trashedAt"] is not None
    assert cast.key.get(f"/file/{file['_id']}").data["trashedAt"] == row["trashedAt"]


def test_clearing_the_bin_deletes_records_and_contents(cast: Cast) -> None:
    first, second, kept = (upload(cast, name=f"{name}.csv") for name in "abc")
    cast.key.delete("/file", {"ids": [first["_id"], second["_id"]]})
    assert cast.key.delete("/file/recycle-bin", {"ids": [first["_id"], kept["_id"]]}).status == 200
    assert [row["_id"] for row in cast.key.get("/file/recycle-bin").data] == [second["_id"]]
    assert cast.key.get(f"/file/{first['_id']}").status == 404
    assert cast.key.delete("/file/recycle-bin", {"ids": []}).status == 400
    assert cast.key.delete("/file/recycle-bin").body["data"] is None
    assert cast.key.get("/file/recycle-bin").body["totalCount"] == 0
    WORK["files"].drain(float("inf"))
    assert [default_storage.exists(f"{cast.company.pk}/{file['_id']}") for file in (first, second, kept)] == [
        False,
        False,
        True,
    ]
    assert cast.key.get("/file").body["totalCount"] == 1


def test_select_all_takes_the_filters_of_the_query(cast: Cast) -> None:
    upload(cast, name="a.csv")
    upload(cast, PNG, "b.png")
    assert cast.key.delete("/file", {"selectAll": True}, filters={"mime": "image/png"}).status == 200
    assert [row["name"] for row in cast.key.get("/file").data] == ["a.csv"]


def test_a_file_of_an_unfinished_import_stays(cast: Cast) -> None:
    file = upload(cast)
    with cast.scope():
        job = Import.objects.create(file_id=file["_id"], status=Import.Status.PAUSED)
    cast.key.delete("/file", {"ids": [file["_id"]]})
    refused = cast.key.delete("/file/recycle-bin")
    assert refused.status == 400
    assert job.pk in refused.body["warning"]
    with cast.scope():
        Import.objects.filter(pk=job.pk).update(status=Import.Status.CANCELLED)
    assert cast.key.delete("/file/recycle-bin").status == 200


def test_bad_selections_are_refused(cast: Cast) -> None:
    for body, word in (
        ({}, "ids"),
        ({"ids": ["x"]}, "ids"),
        ({"ids": [MISSING], "all": True}, "all"),
        ({"selectAll": "yes"}, "selectAll"),
    ):
        answer = cast.key.delete("/file", body)
        assert answer.status == 400
        assert word in answer.body["message"] + answer.body["warning"]
    assert cast.key.delete("/file", {"ids": [MISSING]}).body["message"] == "File not found."


@pytest.mark.parametrize("path", ["/file/{}", "/file/{}/download"])
def test_another_companys_file_looks_missing(cast: Cast, outsiders: Cast, path: str) -> None:
    file = upload(outsiders)
    foreign, missing = cast.key.get(path.format(file["_id"])), cast.key.get(path.format(MISSING))
    assert (foreign.status, foreign.body) == (404, missing.body)
    assert cast.key.get(path.format("nonsense")).body["message"] == "Invalid format for field _id: nonsense"


def test_another_companys_files_cannot_be_listed_trashed_or_cleared(cast: Cast, outsiders: Cast) -> None:
    file = upload(outsiders)
    assert cast.key.get("/file").body["totalCount"] == 0
    assert cast.key.delete("/file", {"ids": [file["_id"]]}).status == 400
    assert cast.key.delete("/file", {"selectAll": True}).status == 200
    outsiders.key.delete("/file", {"ids": [file["_id"]]})
    assert cast.key.get("/file/recycle-bin").body["totalCount"] == 0
    assert cast.key.delete("/file/recycle-bin").status == 200
    with outsiders.scope():
        assert File.objects.get(pk=file["_id"]).is_deleted is False


def test_the_role_decides_on_the_session_path(cast: Cast) -> None:
    for method, path in (
        ("GET", "/file"),
        ("DELETE", "/file"),
        ("GET", "/file/recycle-bin"),
        ("DELETE", "/file/recycle-bin"),
    ):
        assert cast.narrow_session.call(method, path, {}).status == 403


def test_content_that_is_gone_is_a_404(cast: Cast) -> None:
    file = upload(cast)
    default_storage.delete(f"{cast.company.pk}/{file['_id']}")
    answer = cast.key.get(f"/file/{file['_id']}/download")
    assert (answer.status, answer.body["message"]) == (404, "File not found.")


def test_a_file_is_renamed_and_keeps_its_ending(cast: Cast, outsiders: Cast) -> None:
    file = cast.key.upload("/upload", SimpleUploadedFile("people.csv", b"Name\nAnn\n")).data["_id"]
    answer = cast.key.put(f"/file/{file}", {"name": "../Fair 2026"})
    assert (answer.status, answer.data["name"], answer.data["mime"]) == (200, "Fair 2026.csv", "text/csv")
    assert cast.key.put(f"/file/{file}", {"name": "list.txt"}).data["name"] == "list.txt"
    assert cast.key.get(f"/file/{file}/download").body == b"Name\nAnn\n"
    assert cast.key.put(f"/file/{file}", {"name": ""}).status == 400
    assert outsiders.key.put(f"/file/{file}", {"name": "x"}).status == 404
    cast.key.delete("/file", {"ids": [file]})
    assert cast.key.put(f"/file/{file}", {"name": "x"}).status == 404
