"""POST /export: a job under the list's own right, which ends in exactly one file."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.utils import timezone

from crm.models import Export, File
from tests.crm.exports.helpers import content_of, make, stored, with_role, work
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory


def test_a_job_ends_in_a_file(scope: Cast, media: Path) -> None:
    ContactFactory.create_batch(3)
    made = make(
        scope.session,
        query={"sortBy": "email", "sortOrder": "asc", "filters": {"unsubscribed": False}},
        columns=["email", "name"],
    )
    assert (made["status"], made["total"], made["processed"], made["file"], made["url"]) == (
        "queued",
        None,
        0,
        None,
        None,
    )
    assert made["query"] == {"sortBy": "email", "sortOrder": "asc", "filters": {"unsubscribed": False}}
    assert scope.key.get("/file").data == []
    work()
    done = scope.key.get(f"/export/{made['_id']}").data
    assert (done["status"], done["total"], done["processed"], done["percent"], done["error"]) == (
        "completed",
        3,
        3,
        100.0,
        "",
    )
    assert done["createdBy"]["_id"] == scope.owner.pk
    assert done["file"]["name"] == f"contact-{timezone.now():%Y-%m-%d}.csv"
    assert done["url"].startswith(f"{settings.BASE_URL}/files/{done['file']['_id']}/")
    expected = scope.key.get("/contact/export", columns="email,name", sortBy="email", sortOrder="asc").body
    assert content_of(scope.key, done) == expected
    (file,) = scope.key.get("/file").data
    assert (file["_id"], file["size"], file["mime"]) == (done["file"]["_id"], len(expected), "text/csv")
    assert len(file["hashes"]["sha256"]) == 64
    assert len(stored(media)) == 1


def test_a_workbook_job(scope: Cast) -> None:
    ContactFactory()
    made = make(scope.key, format="xlsx")
    work()
    done = scope.key.get(f"/export/{made['_id']}").data
    assert done["file"]["name"].endswith(".xlsx")
    assert content_of(scope.key, done).startswith(b"PK")


def test_bad_bodies_are_refused_and_leave_nothing(scope: Cast) -> None:
    for body, warning in (
        ({"resource": "nothing"}, "resource: one of "),
        ({"resource": "contact", "query": {"filters": {"nothing": 1}}}, "filters: "),
        ({"resource": "contact", "query": {"n": "5"}}, "n: an export is of all that matches"),
        ({"resource": "contact", "query": {"sortBy": 5}}, "sortBy: "),
        ({"resource": "contact", "columns": ["nothing"]}, "columns: there is no column"),
        ({"resource": "contact", "format": "pdf"}, "format: "),
        ({"resource": "contact", "more": 1}, "more: "),
        ({}, "resource: "),
    ):
        answer = scope.key.post("/export", body)
        assert answer.status == 400, (body, answer.body)
        assert answer.body["warning"].startswith(warning), (body, answer.body)
    assert (Export.objects.count(), File.objects.count()) == (0, 0)


def test_who_may_not_read_the_list_may_not_export_it_nor_see_its_exports(scope: Cast) -> None:
    made = make(scope.session, "lead")
    everything = dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)
    limited = with_role(scope, {"file": everything, "contact": {"GET": True}})
    refused = limited.post("/export", {"resource": "lead"})
    assert (refused.status, refused.body["warning"]) == (403, "your role lacks the permission lead.GET")
    own = make(limited, "contact")
    assert [row["_id"] for row in limited.get("/export").data] == [own["_id"]]
    assert limited.get(f"/export/{made['_id']}").status == 404
    assert limited.put(f"/export/{made['_id']}", {"status": "cancelled"}).status == 404
    assert limited.delete("/export", {"ids": [made["_id"]]}).status == 404
    assert {row["_id"] for row in scope.session.get("/export").data} == {own["_id"], made["_id"]}
