"""POST /contact/import/:id/mend and /lead/import/:id/mend"""

from __future__ import annotations

from typing import Any

import pytest

from crm.contacts.rights import ContactRights
from crm.imports.rows import corrections
from crm.imports.rows.row_errors import MAX_ROW_CHARS
from crm.models import BulkJob, Contact, Import, ImportRowError, Lead
from tests.crm.bulk_jobs.helpers import done
from tests.crm.imports.helpers import HEADER, MAPPING, counts, csv_of, make, people, run, upload, work
from tests.kit.cast import SESSION, Answer, Caller, Cast, make_cast, session_headers
from tests.kit.factories import MemberFactory, RoleFactory
from tests.kit.threads import at_once

BAD = ["Ann,nobody,+49,15112345678", "Bob,bob@example.org,+49,x", ",,,15112345680"]
LINES = [*people(1), *BAD, *people(1)]  # rows 2 to 6; the last one exists by then


def mend(caller: Caller, job: dict[str, Any], rows: dict[int, dict[str, str | None]], kind: str = "contact") -> Answer:
    body = {"rows": [{"row": row, "values": values} for row, values in rows.items()]}
    return caller.post(f"/{kind}/import/{job['_id']}/mend", body)


def told(answer: Answer) -> tuple[int, ...]:
    assert answer.status == 200, answer.body
    return tuple(answer.data[name] for name in ("rows", "created", "updated", "skipped", "failed"))


def again(cast: Cast, job: dict[str, Any], kind: str = "contact") -> dict[str, Any]:
    return dict(cast.key.get(f"/{kind}/import/{job['_id']}").data)


def test_rows_are_mended_once_and_undone_with_the_import(cast: Cast) -> None:
    job = run(cast, csv_of(LINES))
    assert counts(job) == ("completed", 5, 1, 0, 1, 3)
    flags = {one["row"]: (one["failed"], one["skipped"]) for one in job["rowErrors"]}
    assert flags == {3: (True, False), 4: (True, False), 5: (True, False), 6: (False, True)}
    first = mend(cast.session, job, {3: {"Email": "ann@example.org"}, 4: {"Phone": "still wrong"}})
    assert told(first) == (2, 1, 0, 0, 1)
    assert {(one["row"], one["column"], *one["values"]) for one in first.data["rowErrors"]} == {
        (4, "Phone", "Bob", "bob@example.org", "+49", "still wrong")
    }
    assert counts(again(cast, job)) == ("completed", 5, 2, 0, 1, 2)
    repeated = mend(cast.session, job, {3: {"Email": "ann@example.org"}, 2: {}, 999: {}})
    assert (told(repeated), repeated.data["left"]) == ((0, 0, 0, 0, 0), [2, 3, 999])
    # One finds an address that is taken, the skipped one gets an address of its own.
    rest = mend(
        cast.key,
        job,
        {
            4: {"Phone": "15112345679", "Email": "ann@example.org"},
            5: {"Name": "Cleo", "Email": "cleo@example.org", "Country code": "+49"},
            6: {"Email": "new@example.org", "Phone": "15112345681"},
        },
    )
    assert told(rest) == (3, 2, 0, 1, 0)
    found = again(cast, job)
    assert counts(found) == ("completed", 5, 4, 0, 1, 0)
    assert [(one["row"], one["skipped"], one["failed"]) for one in found["rowErrors"]] == [(4, True, False)]
    with cast.scope():
        made = Contact.objects.filter(import_job_id=job["_id"])
        assert sorted(made.values_list("email", flat=True)) == [
            *("ann@example.org", "cleo@example.org", "new@example.org", "person1@example.org")
        ]
    undone = done(cast, cast.key.post(f"/contact/import/{job['_id']}/undo").data["_id"])
    assert (undone["changed"], undone["failed"]) == (4, 0)
    late = mend(cast.key, job, {4: {"Email": "bob@example.org"}})
    assert (late.status, "has undone it" in late.body["warning"]) == (400, True)
    with cast.scope():
        assert not Contact.objects.filter(is_deleted=False).exists()


def test_a_death_between_writes_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    job = run(cast, csv_of(LINES))
    rows = [{"row": 3, "values": {"Email": "ann@example.org"}}]
    whole = {"id": job["_id"], "import_type": "contact", "actor_id": cast.owner.pk, "rights": ContactRights()}
    with cast.scope(), monkeypatch.context() as patched:
        patched.setattr(corrections, "_count", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            corrections.mend_rows(rows=rows, **whole)
    assert again(cast, job) == job
    assert told(mend(cast.key, job, {3: {"Email": "ann@example.org"}})) == (1, 1, 0, 0, 0)


@pytest.mark.django_db(transaction=True)
def test_the_same_request_many_times_at_once_writes_it_once() -> None:
    cast = make_cast()
    job = run(cast, csv_of([",,+49,15112345680"]))
    values: dict[str, str | None] = {"Name": "Ann", "Email": "ann@example.org"}
    found = at_once(4, None, lambda _: told(mend(cast.key, job, {2: values})))
    assert sorted(found) == [*[(0, 0, 0, 0, 0)] * 3, (1, 1, 0, 0, 0)]
    with cast.scope():
        assert Contact.objects.count() == Import.objects.get().created == 1


def test_what_cannot_be_mended_says_why(cast: Cast, outsiders: Cast) -> None:
    waiting = make(cast, csv_of(LINES), pauseImport=False, columnMapping=MAPPING)
    assert mend(cast.key, waiting, {3: {}}).body["message"] == "The import's status does not allow this."
    work()
    unknown = mend(cast.key, waiting, {3: {"Mail": "x"}})
    assert (unknown.status, unknown.body["message"]) == (
        400,
        "Validation error: rows.0.values: the file has no column 'Mail'",
    )
    assert mend(outsiders.key, waiting, {3: {}}).body["message"] == "Import not found."
    assert cast.key.post(f"/contact/import/{waiting['_id']}/mend", {"rows": []}).status == 400
    with cast.scope():
        reader = MemberFactory(status="accepted", role=RoleFactory(permission={"contact": {"GET": True, "PUT": True}}))
    assert mend(Caller(SESSION, session_headers(reader)), waiting, {3: {}}).status == 403
    long = run(cast, csv_of([f"Ann,nobody,+49,15112345678,{'x' * MAX_ROW_CHARS}"], HEADER + ",Bio"))
    cut = mend(cast.key, long, {2: {"Email": "ann@example.org"}})
    assert told(cut) == (1, 1, 0, 0, 0), "Bio is not mapped"


def test_cut_values_and_rows_without_cells_are_not_written_as_they_are(cast: Cast) -> None:
    job = run(cast, csv_of([f"{'x' * MAX_ROW_CHARS},nobody,+49,15112345678", "a,b,c,d,e,f"]))
    assert told(mend(cast.key, job, {2: {"Email": "ann@example.org"}, 3: {}})) == (2, 0, 0, 0, 2)
    errors = {one["row"]: one for one in again(cast, job)["rowErrors"]}
    assert (errors[2]["column"], errors[2]["message"]) == ("Name", corrections.CUT)
    assert errors[3]["values"] == ["a", "b", "c", "d", "e", "f"]
    assert told(mend(cast.key, job, {2: {"Name": "Ann"}})) == (1, 1, 0, 0, 0)
    with cast.scope():
        assert Contact.objects.get().email == "ann@example.org"


def test_rows_of_leads_are_mended_within_the_members_rights(cast: Cast) -> None:
    body = {"importType": "lead", "fileId": upload(cast, csv_of(["Ann,ann@example.org,+49,x,many"], HEADER + ",Value"))}
    mapping = {**MAPPING, "Value": "value"}
    made = cast.key.post("/lead/import", {**body, "columnMapping": mapping, "pauseImport": False})
    work()
    job = made.data["import"]
    with cast.scope():
        member = MemberFactory(status="accepted", role=RoleFactory(permission={"lead": {"POST": True}}))
    values: dict[str, str | None] = {"Value": "5", "Phone": "15112345678"}
    alone = mend(Caller(SESSION, session_headers(member)), job, {2: values}, "lead")
    assert told(alone) == (1, 0, 0, 0, 1), "may not make the contact"
    assert told(mend(cast.session, job, {2: {}}, "lead")) == (1, 1, 0, 0, 0)
    with cast.scope():
        lead = Lead.objects.get()
        assert (lead.value, lead.contact.email, lead.created_by_id) == (5, "ann@example.org", cast.owner.pk)
        assert not ImportRowError.objects.exists()
        assert not BulkJob.objects.exists()
