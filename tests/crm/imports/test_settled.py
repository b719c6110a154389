"""What an import keeps while others change the company's settings and fields, and rows that repeat others."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.companies.models import Company
from crm.models import Contact, Import
from tests.crm.contacts.helpers import add_field
from tests.crm.imports.helpers import MAPPING, counts, csv_of, make, people, run, work
from tests.kit.cast import Cast

HEADER = "Name,Email,Phone"
TARGETS = {"Name": "name", "Email": "email", "Phone": "number"}


def set_company(cast: Cast, **values: str) -> None:
    with cast.scope():
        Company.objects.filter(pk=cast.company.pk).update(**values)


def read(cast: Cast, job: dict[str, Any]) -> dict[str, Any]:
    return dict(cast.key.get(f"/contact/import/{job['_id']}").data)


def found_numbers(cast: Cast) -> set[str]:
    with cast.scope():
        return set(Contact.objects.values_list("contact_number", flat=True))


@pytest.mark.parametrize(
    ("options", "prefix"), [(None, "+33"), ({"existing": "update"}, "+44"), ({"country": None}, "+44")]
)
def test_settings_that_change_after_the_preview_count_with_new_options_alone(
    cast: Cast, settings: Any, options: dict[str, Any] | None, prefix: str
) -> None:
    settings.IMPORT_BATCH_ROWS = 1
    set_company(cast, country="FR", timezone="Europe/Paris")
    lines = [f"P{number},p{number}@example.org,020 7946 09{number}" for number in (10, 11)]
    if prefix == "+33":
        lines = [f"P{number},p{number}@example.org,01 42 68 53 {number}" for number in (10, 11)]
    job = make(cast, csv_of(lines, HEADER), columnMapping=TARGETS)
    set_company(cast, country="GB", timezone="Pacific/Auckland")
    path = f"/contact/import/{job['_id']}"
    if options:
        cast.key.put(path, {"options": options, "pauseImport": True})
    zone = "Pacific/Auckland" if options else "Europe/Paris"
    assert read(cast, job)["detected"]["timeZone"] == zone
    checked = cast.key.post(f"{path}/check").data
    set_company(cast, country="IT", timezone="UTC")
    assert cast.key.put(path, {"tags": []}).status == 200
    set_company(cast, country="AT")
    work()
    found = read(cast, job)
    assert (checked["created"], found["created"], found["detected"]["timeZone"]) == (2, 2, zone)
    assert {number[:3] for number in found_numbers(cast)} == {prefix}


def test_rows_are_corrected_although_a_field_is_gone(cast: Cast) -> None:
    with cast.scope():
        field = add_field("shoe_size")
    header = "Name,Email,Country code,Phone,Shoe"
    lines = ["Ann,nobody,+49,15112345678,44", "Bob,bad,+49,15112345679,"]
    mapping = {**MAPPING, "Shoe": "shoe_size"}
    job = run(cast, csv_of(lines, header), columnMapping=mapping)
    assert cast.key.delete("/custom-field", {"ids": [field.pk]}).status == 200
    rows = [
        {"row": 2, "values": {"Email": "ann@example.org"}},
        {"row": 3, "values": {"Email": "bob@example.org"}},
    ]
    answer = cast.key.post(f"/contact/import/{job['_id']}/mend", {"rows": rows})
    assert (answer.status, answer.data["created"], answer.data["failed"]) == (200, 2, 0)
    assert [(one["row"], one["column"], one["failed"], one["message"]) for one in answer.data["rowErrors"]] == [
        (2, "Shoe", False, "The custom field of this column has been deleted. The value was left out.")
    ]


@pytest.mark.parametrize("batch", [1, 1000])
def test_a_record_is_updated_by_one_row(cast: Cast, settings: Any, batch: int) -> None:
    settings.IMPORT_BATCH_ROWS = batch
    run(cast, csv_of(people(2)))
    with cast.scope():
        first, second = Contact.objects.order_by("email").values_list("pk", flat=True)
    lines = [f"{first},One", f"{second},Two", f"{first},Three"]
    mapping = {"_id": "_id", "Name": "name"}
    job = run(cast, csv_of(lines, "_id,Name"), columnMapping=mapping, options={"existing": "update"})
    assert counts(job) == ("completed", 3, 0, 2, 0, 1)
    assert [(one["row"], one["column"], one["message"]) for one in job["rowErrors"]] == [
        (4, "_id", "an earlier row of the file has updated this record already")
    ]
    with cast.scope():
        assert list(Contact.objects.order_by("email").values_list("name", flat=True)) == ["One", "Two"]
    answer = cast.key.post(f"/contact/import/{job['_id']}/mend", {"rows": [{"row": 4, "values": {"Name": "Four"}}]})
    assert (answer.data["updated"], answer.data["failed"]) == (1, 0)


@pytest.mark.parametrize("country", ["ß", "ŉ", "ﬁ"])
def test_letters_that_become_two_are_no_country(cast: Cast, country: str) -> None:
    job = make(cast, csv_of(people(1)))
    answer = cast.key.put(f"/contact/import/{job['_id']}", {"options": {"country": country}, "pauseImport": True})
    assert (answer.status, "options.country" in answer.body["message"]) == (400, True)
    answer = cast.key.put(f"/contact/import/{job['_id']}", {"options": {"country": "de"}, "pauseImport": True})
    assert answer.data["options"]["country"] == "DE"


def test_columns_become_fields_once_and_with_names_that_fit(cast: Cast) -> None:
    long = "Remark " * 40
    lines = [f"Ann{n},ann{n}@example.org,+49,1511234567{n},a{n},b{n}" for n in range(3)]
    job = make(cast, csv_of(lines, f"Name,Email,Country code,Phone,{long},{long}"))
    proposed = [one for one in job["proposedFields"] if one["column"].startswith("Remark")]
    assert [len(one["name"]) <= 200 for one in proposed] == [True, True]
    path = f"/contact/import/{job['_id']}/fields"
    names = [{"column": one["column"]} for one in proposed]
    twice = cast.key.post(path, {"columns": [names[0], names[1], names[0]]})
    assert twice.status == 400
    assert twice.body["warning"].endswith("is named twice; name each column once")
    answer = cast.key.post(path, {"columns": names})
    assert answer.status == 200, answer.body
    keys = {answer.data["columnMapping"][one["column"]] for one in proposed}
    assert len(keys) == 2
    again = cast.key.post(path, {"columns": names[:1]})
    assert again.data["columnMapping"][names[0]["column"]] in keys
    with cast.scope():
        assert Import.objects.get().column_mapping == again.data["columnMapping"]
