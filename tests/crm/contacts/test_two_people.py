"""Two people who give one number, such as that of an office, are never made one."""

from __future__ import annotations

from typing import Any

import pytest

from crm.contacts.services import set_unique_key
from crm.models import Contact, CustomField, Lead
from tests.crm.contacts.helpers import form
from tests.crm.imports.helpers import counts, csv_of, make, run, upload, work
from tests.kit.cast import Cast, make_cast

OFFICE = "+49307700002"
HEADER = "Name,Email,Phone"
TARGETS = {"Name": "name", "Email": "email", "Phone": "number"}
COLLEAGUES = [f"Jil Dorn,jil@shared.example,{OFFICE}", f"Kim Eibe,kim@shared.example,{OFFICE}"]
LATER = [f"Lea Fichte,LEA@shared.example,{OFFICE}", "Uwe Gras,uwe@shared.example,+49307700003"]
OTTO = {"name": "Otto Pohl", "email": "otto@office.example", "countryCode": "+49", "number": "30 7700055"}
PAUL = {"name": "Paul Quast", "email": "paul@office.example", "countryCode": "+49", "number": "30 7700055"}
OTTOS_NUMBER = "+49307700055"


def people(cast: Cast) -> list[tuple[str, str | None, str | None]]:
    with cast.scope():
        return list(Contact.objects.order_by("created_at", "pk").values_list("name", "email", "contact_number"))


def found_of(n: int) -> tuple[str, str]:
    return f"ann{n}@example.com", f"+49170{1000000 + n}"


def otto(cast: Cast, **values: Any) -> str:
    made = cast.key.post("/contact", {"formData": {**OTTO, **values}})
    assert made.status == 200, made.body
    return str(made.data["_id"])


def optional(cast: Cast, *keys: str) -> None:
    with cast.scope():
        CustomField.objects.filter(panel="contact", unique_field_id__in=keys).update(required=False)


def imported(cast: Cast, lines: list[str], **options: Any) -> dict[str, Any]:
    return run(cast, csv_of(lines, HEADER), columnMapping=TARGETS, options=options)


def errors(cast: Cast, job: dict[str, Any], kind: str = "contact") -> list[tuple[int, str]]:
    rows = cast.key.get(f"/{kind}/import/{job['_id']}/errors").data
    return [(one["row"], one["message"]) for one in rows]


@pytest.mark.parametrize(
    ("existing", "expected"),
    [("skip", (2, 0, 2, 0)), ("update", (2, 0, 0, 2)), ("error", (2, 0, 0, 2))],
)
@pytest.mark.parametrize("batch", [1, 3, 1000])
def test_an_import_makes_no_two_people_one(
    cast: Cast, settings: Any, existing: str, expected: tuple[int, ...], batch: int
) -> None:
    settings.IMPORT_BATCH_ROWS = batch
    lines = [*COLLEAGUES, *LATER]
    job = make(cast, csv_of(lines, HEADER), columnMapping=TARGETS, options={"existing": existing})
    checked = cast.session.post(f"/contact/import/{job['_id']}/check").data
    assert tuple(checked[name] for name in ("created", "updated", "skipped", "failed")) == expected
    said = [(one["row"], one["message"]) for one in checked["rowErrors"]]
    cast.key.put(f"/contact/import/{job['_id']}", {"status": "running"})
    work()
    done = cast.key.get(f"/contact/import/{job['_id']}").data
    assert counts(done)[2:] == expected
    assert people(cast) == [
        ("Jil Dorn", "jil@shared.example", OFFICE),
        ("Uwe Gras", "uwe@shared.example", "+49307700003"),
    ]
    jil = f"another contact has {OFFICE} already: Jil Dorn (jil@shared.example), not "
    assert errors(cast, job) == said
    assert said == [(3, f"{jil}Kim Eibe (kim@shared.example)"), (4, f"{jil}Lea Fichte (LEA@shared.example)")]


@pytest.mark.parametrize("existing", ["skip", "update"])
def test_the_same_file_again_changes_nothing(cast: Cast, existing: str) -> None:
    imported(cast, [*COLLEAGUES, *LATER])
    before = people(cast)
    again = [line.replace("jil@", "JIL@") for line in [*COLLEAGUES, *LATER]]
    job = imported(cast, again, existing=existing)
    assert counts(job)[2:] == ((0, 0, 4, 0) if existing == "skip" else (0, 2, 0, 2))
    assert [(name, number) for name, _, number in people(cast)] == [(name, number) for name, _, number in before]


def test_a_row_without_address_is_still_found_by_the_number(cast: Cast) -> None:
    optional(cast, "email")
    job = imported(cast, [f"Jil,,{OFFICE}", COLLEAGUES[0], COLLEAGUES[1], f"Jil D.,,{OFFICE}"], existing="update")
    assert counts(job)[2:] == (1, 2, 0, 1)
    assert people(cast) == [("Jil D.", "jil@shared.example", OFFICE)]


def test_a_number_that_became_free_can_be_given_again(cast: Cast) -> None:
    lines = [COLLEAGUES[0], "Jil Dorn,jil@shared.example,+49307700009", COLLEAGUES[1]]
    job = imported(cast, lines, existing="update")
    assert counts(job)[2:] == (2, 1, 0, 0)
    assert people(cast)[1] == ("Kim Eibe", "kim@shared.example", OFFICE)


def test_the_number_alone_decides_where_the_company_says_so(cast: Cast) -> None:
    with cast.scope():
        set_unique_key("number")
    job = imported(cast, COLLEAGUES, existing="update")
    assert counts(job)[2:] == (1, 1, 0, 0)
    assert people(cast) == [("Kim Eibe", "kim@shared.example", OFFICE)]


@pytest.mark.parametrize("body", [{}, {"existingError": False}, {"existingError": True}])
def test_a_request_names_both(cast: Cast, body: dict[str, Any]) -> None:
    id = otto(cast)
    both = (
        f"number: {OTTOS_NUMBER} belongs to the contact {id} already: Otto Pohl (otto@office.example), not Paul Quast"
    )
    for path in ("/contact", "/lead"):
        refused = cast.key.post(path, {"formData": PAUL, **body})
        assert (refused.status, refused.body["message"]) == (400, "This contact already exists.")
        assert refused.body["warning"] == f"{both} (paul@office.example)"
    for path in ("/contact/bulk", "/lead/bulk"):
        answer = cast.key.post(path, {"formData": [PAUL, form(1, name="Ann")], **body})
        assert answer.data["failed"][0]["warning"] == f"{both} (paul@office.example)"
    assert people(cast) == [("Otto Pohl", "otto@office.example", OTTOS_NUMBER), ("Ann", *found_of(1))]
    with cast.scope():
        assert set(Lead.objects.values_list("contact__name", flat=True)) == {"Ann"}


def test_a_change_names_both(db: None) -> None:
    cast = make_cast({"contact": {"PUT": True}, "lead": {"PUT": True, "GET": True}})
    id = otto(cast)
    paul = cast.key.post("/contact", {"formData": {**PAUL, "number": "30 7700056"}}).data["_id"]
    lead = cast.key.post("/lead", {"contact": paul}).data["_id"]
    change = {"formData": {"countryCode": "+49", "number": "30 7700055"}}
    start = f"number: {OTTOS_NUMBER} belongs to the contact {id} already"
    for path in (f"/contact/{paul}", f"/lead/{lead}"):
        refused = cast.key.put(path, change)
        assert refused.body["warning"] == (
            f"{start}: Otto Pohl (otto@office.example), not Paul Quast (paul@office.example)"
        )
        assert cast.narrow_session.put(path, change).body["warning"] == start


def test_the_same_address_in_capitals_is_the_same_person(cast: Cast) -> None:
    id = otto(cast)
    same = {**OTTO, "email": "OTTO@Office.example", "name": "O. Pohl", "number": "30 7700099"}
    updated = cast.key.post("/contact", {"formData": same, "existingError": False})
    assert (updated.status, updated.data["_id"], updated.data["contactNumber"]) == (200, id, "+49307700099")


def test_who_may_not_read_contacts_reads_no_name(db: None) -> None:
    cast = make_cast({"contact": {"POST": True}, "lead": {"POST": True, "GET": True}})
    id = otto(cast)
    for path in ("/contact", "/lead"):
        refused = cast.narrow_session.post(path, {"formData": PAUL})
        assert refused.status == 400
        assert refused.body["warning"] == (
            f"number: {OTTOS_NUMBER} belongs to the contact {id} already; its address is not that of"
            " Paul Quast (paul@office.example)"
        )


@pytest.mark.parametrize(("existing", "batch"), [(None, 1000), ("update", 1), ("skip", 1000), ("error", 2)])
def test_an_import_gives_no_lead_to_somebody_else(cast: Cast, settings: Any, existing: str | None, batch: int) -> None:
    settings.IMPORT_BATCH_ROWS = batch
    id = otto(cast)
    lines = [
        f"Paul Quast,paul@office.example,{OTTOS_NUMBER}",
        f"Otto Pohl,Otto@office.example,{OTTOS_NUMBER}",
        *COLLEAGUES,
        LATER[1],
    ]
    body = {"importType": "lead", "fileId": upload(cast, csv_of(lines, HEADER)), "columnMapping": TARGETS}
    options = {"options": {"existing": existing}, "pauseImport": False}
    made = cast.key.post("/lead/import", {**body, **options}).data["import"]
    work()
    job = cast.key.get(f"/lead/import/{made['_id']}").data
    assert counts(job)[2:] == (3, 0, 0, 2)
    with cast.scope():
        leads = {(name, email.lower()) for name, email in Lead.objects.values_list("contact__name", "contact__email")}
    assert leads == {
        ("Otto Pohl", "otto@office.example"),
        ("Jil Dorn", "jil@shared.example"),
        ("Uwe Gras", "uwe@shared.example"),
    }
    said = errors(cast, made, "lead")
    address = "Otto@office.example" if existing == "update" else "otto@office.example"  # as it is when it is read
    assert said[0] == (
        2,
        f"{OTTOS_NUMBER} belongs to the contact {id} already: Otto Pohl ({address}), not"
        " Paul Quast (paul@office.example)",
    )
    assert said[1][0] == 5
    assert said[1][1].startswith(f"{OFFICE} belongs to the contact ")
    assert said[1][1].endswith(": Jil Dorn (jil@shared.example), not Kim Eibe (kim@shared.example)")


def test_bulk_items_are_compared_with_each_other(cast: Cast) -> None:
    items = [form(1, name="Ann"), {**form(2, name="Bo"), "number": form(1)["number"]}, form(3, name="Cy")]
    answer = cast.key.post("/contact/bulk", {"formData": items, "existingError": False})
    assert [one["warning"].partition(" already")[2] for one in answer.data["failed"]] == [
        ": Ann (ann1@example.com), not Bo (ann2@example.com)"
    ]
    assert [name for name, *_ in people(cast)] == ["Ann", "Cy"]
