"""What an import makes of a file's rows."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from core.ids import new_id
from core.models import Event
from crm.imports.rows import row_errors
from crm.models import Contact, ContactTag, CustomField, CustomFieldValue, ImportRowError, Tag
from tests.crm.imports.helpers import HEADER, MAPPING, counts, csv_of, make, people, run, work
from tests.crm.imports.readers.workbooks import xlsx
from tests.kit.cast import Cast
from tests.kit.factories import ContactCategoryFactory, TagFactory


def contacts(cast: Cast) -> list[tuple[str, str, str]]:
    with cast.scope():
        return list(Contact.objects.order_by("email").values_list("name", "email", "contact_number"))


def test_rows_become_contacts_with_events(cast: Cast) -> None:
    job = run(cast, csv_of(people(2)))
    assert counts(job) == ("completed", 2, 2, 0, 0, 0)
    assert (job["percent"], job["total"], job["error"], job["eta"]) == (100.0, 2, "", None)
    assert job["startedAt"] is not None
    assert job["finishedAt"] is not None
    assert contacts(cast) == [
        ("Person 1", "person1@example.org", "+4915100000001"),
        ("Person 2", "person2@example.org", "+4915100000002"),
    ]
    with cast.scope():
        contact = Contact.objects.first()
        assert contact is not None
        assert (contact.import_job_id, contact.created_by_id) == (job["_id"], cast.owner.pk)
        assert list(Event.objects.values_list("kind", "automation")) == [("contact.created", True)] * 2


def test_the_batch_size_changes_nothing(cast: Cast, outsiders: Cast, settings: Any) -> None:
    lines = [*people(7), *people(3, 3), "X,not an address,+49,1", *people(4, 20), *people(2, 21)]
    whole = run(cast, csv_of(lines), options={"existing": "update"})
    settings.IMPORT_BATCH_ROWS = 2
    parts = run(outsiders, csv_of(lines), options={"existing": "update"})
    assert counts(whole) == counts(parts) == ("completed", 17, 11, 5, 0, 1)
    assert contacts(cast) == contacts(outsiders)


def test_bad_rows_are_told_and_cost_no_good_one(cast: Cast) -> None:
    lines = [
        "Ann,ann@example.org,+49,15112345678",
        "Bad,nobody,+49,15112345679",
        "",
        ",,,",
        "Less,less@example.org,+49,",
        *people(1),
    ]
    job = run(cast, csv_of(lines))
    assert counts(job) == ("completed", 4, 2, 0, 0, 2)
    found = [(error["row"], error["column"], error["code"]) for error in job["rowErrors"]]
    assert found == [(3, "Email", "InvalidSystemField_400"), (6, "Phone", "ContactDataRequired_400")]
    assert job["rowErrors"][0]["values"] == ["Bad", "nobody", "+49", "15112345679"]


@pytest.mark.parametrize(
    ("existing", "expected", "name"),
    [
        ("skip", ("completed", 3, 1, 0, 2, 0), "Old"),
        ("update", ("completed", 3, 1, 2, 0, 0), "Newer"),
        ("error", ("completed", 3, 1, 0, 0, 2), "Old"),
    ],
)
def test_duplicates_in_the_file_and_against_the_company(cast: Cast, existing: str, expected: tuple, name: str) -> None:
    run(cast, csv_of(["Old,ann@example.org,+49,15112345678"]))
    lines = [
        "New,Ann@Example.org,+49,15112345678",
        "Bob,bob@example.org,+49,15112345670",
        "Newer,ann@example.org,+49,15112345678",
    ]
    job = run(cast, csv_of(lines), options={"existing": existing})
    assert counts(job) == expected
    assert [row[0] for row in contacts(cast)] == [name, "Bob"]
    with cast.scope():
        old = Contact.objects.get(email__iexact="ann@example.org").pk
    rows = [
        (2, "ContactAlreadyExists_400", existing == "skip", old),
        (4, "ContactAlreadyExists_400", existing == "skip", old),
    ]
    assert [(error["row"], error["code"], error["skipped"], error["existingId"]) for error in job["rowErrors"]] == (
        [] if existing == "update" else rows
    )
    listed = cast.key.get(f"/contact/import/{job['_id']}/errors", filters={"skipped": True}, sortOrder="asc").data
    assert [error["row"] for error in listed] == ([2, 4] if existing == "skip" else [])


def test_custom_fields_are_read_from_text(cast: Cast) -> None:
    with cast.scope():
        fields = [
            CustomField.objects.create(
                name=name, unique_field_id=name, field_type=field, value_type=value, options=options
            )
            for name, field, value, options in (
                ("score", "number", "number", []),
                ("vip", "checkbox", "boolean", []),
                ("since", "date", "date", []),
                ("colours", "multi-select", "array", [{"label": "Red", "value": "r"}, {"label": "Blue", "value": "b"}]),
            )
        ]
    content = csv_of(
        [
            'Ann,ann@example.org,+49,15112345678,"1,234.5",yes,03/04/2026,Red; Blue',
            *(f"{line},ten,maybe,x,Green" for line in people(1)),
        ],
        HEADER + ",Score,VIP,Since,Colours",
    )
    mapping = {**MAPPING, "Score": "score", "VIP": "vip", "Since": "since", "Colours": "colours"}
    job = run(cast, content, columnMapping=mapping, options={"dateFormat": "DD/MM/YYYY"})
    assert counts(job) == ("completed", 2, 1, 0, 0, 1)
    assert [(error["row"], error["column"], error["code"]) for error in job["rowErrors"]] == [
        (3, column, "InvalidCustomFieldValue_400") for column in ("Score", "VIP", "Since", "Colours")
    ]
    with cast.scope():
        assert Contact.objects.get().custom == {
            "score": 1234.5,
            "vip": True,
            "since": "2026-04-03",
            "colours": ["r", "b"],
        }
        assert CustomFieldValue.objects.filter(field__in=fields).count() == 5


def test_a_row_that_repeats_one_of_its_batch_updates_its_values_too(cast: Cast) -> None:
    with cast.scope():
        CustomField.objects.create(name="score", unique_field_id="score", field_type="number", value_type="number")
    content = csv_of([f"{people(1)[0]},{score}" for score in (1, 2, 3)], HEADER + ",Score")
    job = run(cast, content, columnMapping={**MAPPING, "Score": "score"}, options={"existing": "update"})
    assert counts(job) == ("completed", 3, 1, 2, 0, 0)
    with cast.scope():
        assert Contact.objects.get().custom == {"score": 3}
        assert [int(value) for value in CustomFieldValue.objects.values_list("number", flat=True)] == [3]
        assert list(Event.objects.order_by("id").values_list("kind", flat=True)) == [
            "contact.created",
            "contact.updated",
        ]


def test_skip_invalid_leaves_values_out_and_tells_them(cast: Cast) -> None:
    with cast.scope():
        CustomField.objects.create(name="score", unique_field_id="score", field_type="number", value_type="number")
    content = csv_of([f"{line},ten" for line in people(1)], HEADER + ",Score")
    job = run(cast, content, columnMapping={**MAPPING, "Score": "score"}, options={"skipInvalid": True})
    assert counts(job) == ("completed", 1, 1, 0, 0, 0)
    assert [(error["row"], error["column"]) for error in job["rowErrors"]] == [(2, "Score")]


def test_skip_invalid_leaves_unknown_members_out_of_the_values_that_filters_read(cast: Cast) -> None:
    with cast.scope():
        CustomField.objects.create(name="Seller", unique_field_id="seller", field_type="select", value_type="member")
    lines = [f"{line},{id}" for line, id in zip(people(2), (cast.owner.pk, new_id()), strict=True)]
    job = run(
        cast,
        csv_of(lines, HEADER + ",Seller"),
        columnMapping={**MAPPING, "Seller": "seller"},
        options={"skipInvalid": True},
    )
    assert counts(job) == ("completed", 2, 2, 0, 0, 0)
    assert [(error["row"], error["column"]) for error in job["rowErrors"]] == [(3, "Seller")]
    with cast.scope():
        assert list(Contact.objects.order_by("email").values_list("custom", flat=True)) == [
            {"seller": cast.owner.pk},
            {},
        ]
        assert list(CustomFieldValue.objects.values_list("text", flat=True)) == [cast.owner.pk]


def test_first_and_last_name_tags_and_category_by_name(cast: Cast) -> None:
    with cast.scope():
        ContactCategoryFactory(name="Customers")
        known, given = TagFactory(name="VIP"), TagFactory(name="Fair")
    header = "First,Last,Email,Country code,Phone,Labels,Kind"
    lines = [
        'Ann,Lee,ann@example.org,+49,15112345678,"vip, Newsletter",customers',
        "Bob,,bob@example.org,+49,15112345679,,",
        "Cy,Foo,cy@example.org,+49,15112345670,vip,Aliens",
    ]
    mapping = {
        "First": "firstName",
        "Last": "lastName",
        "Email": "email",
        "Country code": "countryCode",
        "Phone": "number",
        "Labels": "tags",
        "Kind": "category",
    }
    job = run(cast, csv_of(lines, header), columnMapping=mapping, tags=[given.pk])
    assert counts(job) == ("completed", 3, 2, 0, 0, 1)
    assert (job["rowErrors"][0]["column"], job["rowErrors"][0]["code"]) == ("Kind", "ContactCategoryNotFound_400")
    with cast.scope():
        ann = Contact.objects.get(email="ann@example.org")
        assert (ann.name, ann.category.name) == ("Ann Lee", "Customers")
        assert set(ContactTag.objects.filter(contact=ann).values_list("tag__name", flat=True)) == {
            "VIP",
            "Newsletter",
            "Fair",
        }
        assert list(ContactTag.objects.filter(contact__email="bob@example.org").values_list("tag_id", flat=True)) == [
            given.pk
        ]
        assert Tag.objects.filter(name__iexact="vip").get() == known


def test_a_range_of_rows_is_imported(cast: Cast) -> None:
    job = run(cast, csv_of(people(6)), options={"rowFrom": 3, "rowTo": 5})
    assert counts(job) == ("completed", 3, 3, 0, 0, 0)
    assert [name for name, _, _ in contacts(cast)] == ["Person 2", "Person 3", "Person 4"]


def test_a_workbook_gives_the_same_as_its_csv(cast: Cast) -> None:
    rows = [["Name", "Email", "Country code", "Phone"], ["Ann", "ann@example.org", 49, 15112345678]]
    assert counts(run(cast, xlsx(*rows))) == ("completed", 1, 1, 0, 0, 0)
    assert contacts(cast) == [("Ann", "ann@example.org", "+4915112345678")]


def test_automation_skip_is_kept_with_the_events(cast: Cast) -> None:
    run(cast, csv_of(people(1)), automation="skip")
    with cast.scope():
        assert list(Event.objects.values_list("automation", flat=True)) == [False]


def test_the_errors_csv_is_mended_and_sent_again(cast: Cast) -> None:
    lines = ['=1+1,nobody,+49,"15112345678"', *people(1), "-Dash,-dash@,+49,15112345670"]
    job = run(cast, csv_of(lines))
    answer = cast.key.get(f"/contact/import/{job['_id']}/errors.csv")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    [header, first, second] = csv.reader(io.StringIO(answer.body.decode("utf-8-sig")))
    assert header == ["Name", "Email", "Country code", "Phone", "Row", "Error"]
    assert first[:5] == ["'=1+1", "nobody", "+49", "15112345678", "2"]
    assert "Email" in first[5]
    assert (second[0], second[1]) == ("'-Dash", "'-dash@")
    mended = (
        answer.body.decode("utf-8-sig").replace("nobody", "some@example.org").replace("'-dash@", "dash@example.org")
    )
    assert counts(run(cast, mended.encode())) == ("completed", 2, 2, 0, 0, 0)
    assert [name for name, _, _ in contacts(cast)] == ["-Dash", "Person 1", "=1+1"]


def test_the_errors_are_a_list_of_their_own(cast: Cast, outsiders: Cast) -> None:
    job = run(cast, csv_of([f"X,bad{number},+49,1511234567{number}" for number in range(5)]))
    answer = cast.session.get(f"/contact/import/{job['_id']}/errors", p="1", n="2", sortBy="row", sortOrder="asc")
    assert (answer.status, answer.body["totalCount"]) == (200, 5)
    assert [row["row"] for row in answer.data] == [2, 3]
    assert cast.key.get(f"/contact/import/{job['_id']}/errors", filters={"row": 4}).body["totalCount"] == 1
    for path in ("errors", "errors.csv"):
        assert outsiders.key.get(f"/contact/import/{job['_id']}/{path}").body["message"] == "Import not found."


def test_errors_are_stored_up_to_a_cap_and_all_counted(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(row_errors, "MAX_STORED", 3)
    settings.IMPORT_BATCH_ROWS = 2
    job = run(cast, csv_of([f"X,bad,+49,1511234567{number}" for number in range(6)]))
    assert (job["failed"], len(job["rowErrors"])) == (6, 3)


def test_huge_cells_of_failed_rows_are_cut(cast: Cast) -> None:
    run(cast, csv_of([f"{'x' * 50_000},bad,+49,1"]))
    with cast.scope():
        [values] = ImportRowError.objects.exclude(values=[]).values_list("values", flat=True)
    assert (len(values[0]), values[1]) == (row_errors.MAX_ROW_CHARS // 4, "bad")


def test_a_file_that_is_gone_fails_the_import_and_can_be_tried_again(cast: Cast) -> None:
    from django.core.files.storage import default_storage

    made = make(cast, csv_of(people(1)), pauseImport=False)
    key = f"{cast.company.pk}/{made['file']['_id']}"
    with default_storage.open(key) as stored:
        content = stored.read()
    default_storage.delete(key)
    work()
    found = cast.key.get(f"/contact/import/{made['_id']}").data
    assert (found["status"], found["created"]) == ("failed", 0)
    assert "storage" in found["error"]
    default_storage.save(key, io.BytesIO(content))
    cast.key.put(f"/contact/import/{made['_id']}", {"status": "running"})
    work()
    again = cast.key.get(f"/contact/import/{made['_id']}").data
    assert (again["status"], again["created"], again["error"]) == ("completed", 1, "")


def test_rows_with_two_owners_of_their_keys_fail_when_updating(cast: Cast) -> None:
    run(cast, csv_of(["A,a@example.org,+49,15112345671", "B,b@example.org,+49,15112345672"]))
    job = run(cast, csv_of(["Mix,a@example.org,+49,15112345672"]), options={"existing": "update"})
    assert counts(job) == ("completed", 1, 0, 0, 0, 1)
    assert job["rowErrors"][0]["code"] == "ContactAlreadyExists_400"
