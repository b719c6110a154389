"""POST /contact/import/:id/check and /lead/import/:id/check"""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from core.models import Event
from crm.imports import check
from crm.models import Contact, Import, ImportRowError, Journal, Lead, Tag
from tests.crm.imports.helpers import HEADER, MAPPING, counts, csv_of, make, people, run, upload, work
from tests.kit.cast import Cast
from tests.kit.factories import TagFactory

LINES = [
    *people(3),
    *people(1),  # the first row again
    "Bad,nobody,+49,15112345679",
    "Kim,known@example.org,+49,15100000009",
]
KNOWN = "Known,known@example.org,+49,15100000009"


def tried(cast: Cast, job: dict[str, Any], kind: str = "contact") -> Any:
    return cast.session.post(f"/{kind}/import/{job['_id']}/check")


def told(data: dict[str, Any]) -> tuple[int, ...]:
    return tuple(data[name] for name in ("rows", "created", "updated", "skipped", "failed"))


def stored() -> tuple[int, ...]:
    models = (Contact, Lead, Tag, Event, Journal, ImportRowError)
    return tuple(model.objects.count() for model in models)


@pytest.mark.parametrize(("existing", "expected"), [("skip", (6, 3, 0, 2, 1)), ("update", (6, 3, 2, 0, 1))])
def test_it_tells_what_the_import_then_does(
    cast: Cast, existing: str, expected: tuple[int, ...], django_capture_on_commit_callbacks: Any
) -> None:
    run(cast, csv_of([KNOWN]))
    with cast.scope():
        known = Contact.objects.get().pk
        before = stored()
    lines = [f"{line},New tag" for line in LINES]
    mapping = {**MAPPING, "Tags": "tags"}
    job = make(cast, csv_of(lines, HEADER + ",Tags"), columnMapping=mapping, options={"existing": existing})
    with django_capture_on_commit_callbacks() as callbacks:
        answer = tried(cast, job)
    assert (answer.status, told(answer.data)) == (200, expected)
    assert callbacks == []
    problems = {(one["row"], one["code"]): one for one in answer.data["rowErrors"]}
    assert next(iter(problems)) == (6, "InvalidSystemField_400")
    assert problems[6, "InvalidSystemField_400"]["values"][:2] == ["Bad", "nobody"]
    if existing == "skip":
        assert problems[5, "ContactAlreadyExists_400"]["existingId"] is None
        assert problems[7, "ContactAlreadyExists_400"]["existingId"] == known
    with cast.scope():
        assert stored() == before
        assert Import.objects.get(pk=job["_id"]).processed == 0
    assert cast.session.put(f"/contact/import/{job['_id']}", {"status": "running"}).status == 200
    work()
    done = cast.session.get(f"/contact/import/{job['_id']}").data
    assert counts(done) == ("completed", *expected)


def test_it_looks_at_no_more_rows_than_it_says(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "MAX_ROWS", 2)
    job = make(cast, csv_of(people(5)), columnMapping=MAPPING, options={"rowFrom": 3})
    assert told(tried(cast, job).data) == (2, 2, 0, 0, 0)


def test_leads_are_checked_with_their_contacts(cast: Cast) -> None:
    file = upload(cast, csv_of([f"{line},5" for line in people(2)], HEADER + ",Value"))
    body = {"importType": "lead", "fileId": file, "columnMapping": {**MAPPING, "Value": "value"}}
    job = cast.key.post("/lead/import", body).data["import"]
    with cast.scope():
        before = stored()
    assert told(tried(cast, job, "lead").data) == (2, 2, 0, 0, 0)
    with cast.scope():
        assert stored() == before


def test_what_cannot_be_checked_is_refused(cast: Cast, outsiders: Cast) -> None:
    job = make(cast, csv_of(people(1)), columnMapping={"Name": "name"})
    answer = tried(cast, job)
    assert (answer.status, answer.body["message"]) == (400, "The columns or fields are not matched correctly.")
    done = run(cast, csv_of(people(1, start=9)))
    assert tried(cast, done).body["message"] == "The import's status does not allow this."
    assert outsiders.session.post(f"/contact/import/{job['_id']}/check").body["message"] == "Import not found."
    assert cast.narrow_session.post(f"/contact/import/{job['_id']}/check").status == 403


def test_tags_of_the_import_count_and_stay(cast: Cast) -> None:
    with cast.scope():
        tag = TagFactory(name="Fair")
    job = make(cast, csv_of(people(1)), columnMapping=MAPPING, tags=[tag.pk])
    assert told(tried(cast, job).data) == (1, 1, 0, 0, 0)
    with cast.scope(), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM crm_contacttag")
        assert cursor.fetchone()[0] == 0
