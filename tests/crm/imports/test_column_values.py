"""Imports read numbers, dates and words by what their whole column shows."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Company, CompanySettings
from core.ids import new_id
from crm.models import Contact, CustomField, Lead
from tests.crm.imports.helpers import make, run, upload, work
from tests.crm.leads.helpers import lead_field
from tests.kit.cast import Cast


def add_field(panel: str, name: str, kind: str) -> str:
    key = name.lower().replace(" ", "_")
    CustomField.objects.create(panel=panel, name=name, field_type=kind, value_type=kind, unique_field_id=key)
    return key


def optional(cast: Cast) -> None:
    """Let contacts have no number."""
    CustomField.objects.filter(panel="contact", unique_field_id__in=("number", "countryCode")).update(required=False)


def table(header: str, *lines: str) -> bytes:
    return "\n".join([header, *lines, ""]).encode()


def custom_values(cast: Cast, key: str) -> list[Any]:
    with cast.scope():
        return [custom.get(key) for custom in Contact.objects.order_by("email").values_list("custom", flat=True)]


@pytest.fixture
def umsatz(cast: Cast) -> str:
    with cast.scope():
        optional(cast)
        return add_field("contact", "Umsatz", "number")


MAPPING = {"Email": "email", "Umsatz": "umsatz"}


def test_an_ambiguous_column_is_refused_until_the_option_says_it(cast: Cast, umsatz: str) -> None:
    content = table("Email,Umsatz", 'a@x.example,"1,234"', 'b@x.example,"5,678"', "c@x.example,12")
    job = run(cast, content, columnMapping=MAPPING)
    assert job["detected"]["ambiguous"] == [
        {"column": "Umsatz", "option": "decimalMark", "examples": ["1,234", "5,678"]}
    ]
    assert (job["created"], job["failed"]) == (1, 2)
    assert [(one["column"], "decimalMark" in one["message"]) for one in job["rowErrors"]] == [("Umsatz", True)] * 2
    job = run(cast, content, columnMapping=MAPPING, options={"decimalMark": ",", "existing": "update"})
    assert (job["detected"]["decimalMark"], job["detected"]["ambiguous"], job["failed"]) == (",", [], 0)
    assert custom_values(cast, umsatz) == [1.234, 5.678, 12]


def test_amounts_of_leads_are_read_by_their_column(cast: Cast) -> None:
    with cast.scope():
        optional(cast)
    lines = ["V1;v1@mo.example;1.500.000", "V2;v2@mo.example;250.000", "V3;v3@mo.example;1.234"]
    content = table("Name;Email;Value", *lines, "V4;v4@mo.example;12,5", "V5;v5@mo.example;1,234")
    body = {"importType": "lead", "fileId": upload(cast, content), "pauseImport": False}
    job = cast.key.post("/lead/import", body).data["import"]
    work()
    with cast.scope():
        found = [float(value) for value in Lead.objects.order_by("contact__email").values_list("value", flat=True)]
    assert found == [1500000, 250000, 1234, 12.5, 1.234]
    assert cast.key.get(f"/lead/import/{job['_id']}").data["detected"]["decimalMark"] == ","


def test_another_currency_is_refused_with_both_named(cast: Cast) -> None:
    with cast.scope():
        optional(cast)
        CompanySettings.objects.update_or_create(defaults={"currency": "EUR"})
        lead_field("budget", "number", "number")
    content = table("Email,Value", 'a@x.example,"€12,500.00"', 'b@x.example,"US$ 12,500.00"')
    body = {"importType": "lead", "fileId": upload(cast, content), "pauseImport": False}
    job = cast.key.post("/lead/import", body).data["import"]
    work()
    done = cast.key.get(f"/lead/import/{job['_id']}").data
    assert (done["created"], done["failed"]) == (1, 1)
    assert "USD" in done["rowErrors"][0]["message"]
    assert "in EUR" in done["rowErrors"][0]["message"]


DATES = {"Email": "email", "First contact": "first_contact"}


@pytest.fixture
def first_contact(cast: Cast) -> str:
    with cast.scope():
        optional(cast)
        return add_field("contact", "First contact", "date")


def test_times_are_in_the_zone_of_the_company_or_of_the_option(cast: Cast, first_contact: str) -> None:
    with cast.scope():
        Company.objects.filter(pk=cast.company.pk).update(timezone="America/Los_Angeles")
    content = table("Email,First contact", "a@x.example,2024-03-09 23:30")
    job = run(cast, content, columnMapping=DATES)
    assert job["detected"]["timeZone"] == "America/Los_Angeles"
    assert custom_values(cast, first_contact) == ["2024-03-10T07:30:00.000Z"]
    run(cast, content, columnMapping=DATES, options={"timeZone": "Asia/Tokyo", "existing": "update"})
    assert custom_values(cast, first_contact) == ["2024-03-09T14:30:00.000Z"]


def test_words_for_nothing_are_empty_and_names_of_months_are_read(cast: Cast, first_contact: str) -> None:
    words = ["0/0/00", "0000-00-00", "N/A", "NULL", "#DIV/0!", "-", "—", "(blank)", "k. A."]
    words += ["1900-01-00", "1/0/1900", "нет", "Keine", "aucun"]
    lines = [f"w{number}@x.example,{word}" for number, word in enumerate([*words, "9-Mar-24"])]
    job = run(cast, table("Email,First contact", *lines), columnMapping=DATES)
    assert (job["created"], job["failed"]) == (15, 0)
    assert sorted(filter(None, custom_values(cast, first_contact))) == ["2024-03-09"]


def test_the_company_format_decides_about_own_files_alone(cast: Cast, first_contact: str) -> None:
    cast.session.put("/settings", {"dateFormat": "dd/mm/yyyy"})
    lines = ("a@x.example,09/03/2024 15:30", "b@x.example,09/03/2024")
    job = run(cast, table("email,First contact", *lines), columnMapping={})
    assert (job["failed"], job["detected"]["dateFormat"]) == (0, "DD/MM/YYYY")
    assert job["detected"]["assumed"] == [
        {
            "column": "First contact",
            "option": "dateFormat",
            "value": "DD/MM/YYYY",
            "examples": ["09/03/2024 15:30", "09/03/2024"],
        }
    ]
    assert custom_values(cast, first_contact) == ["2024-03-09T15:30:00.000Z", "2024-03-09"]
    job = run(
        cast,
        table("email,First contact", "b@x.example,10/03/2024"),
        columnMapping={},
        options={"dateFormat": "MM/DD/YYYY"},
    )
    assert job["detected"]["assumed"] == []
    for header, cell in (("Email", "09/03/2024"), ("email", "9/3/2024")):
        job = run(cast, table(f"{header},First contact", f"c@x.example,{cell}"), columnMapping={})
        assert (job["failed"], [one["column"] for one in job["detected"]["ambiguous"]]) == (1, ["First contact"])


@pytest.mark.parametrize("header", ["First contact", "_id,First contact"])
def test_a_file_that_contradicts_the_company_is_no_own_one(cast: Cast, first_contact: str, header: str) -> None:
    with cast.scope():
        add_field("contact", "Birthday", "date")
    other = "12/25/1990" if header == "First contact" else "25/12/1990"
    ids = "" if header == "First contact" else f"{new_id()},"
    content = table(f"email,{header},Birthday", f"a@x.example,{ids}09/03/2024,{other}")
    mapping = {"email": "email", "First contact": first_contact}
    job = make(cast, content, columnMapping=mapping)
    assert job["detected"]["assumed"] == []
    if ids:  # of another company's records: the other column decides
        assert (job["detected"]["dateFormat"], job["detected"]["ambiguous"]) == ("DD/MM/YYYY", [])
    else:
        assert job["detected"]["dateFormat"] == "MM/DD/YYYY"


def test_a_file_with_ids_of_others_is_asked_about(cast: Cast, first_contact: str) -> None:
    content = table("_id,email,First contact", f"{new_id()},a@x.example,09/03/2024")
    job = make(cast, content, columnMapping={"email": "email", "First contact": first_contact})
    assert (job["detected"]["assumed"], [one["column"] for one in job["detected"]["ambiguous"]]) == (
        [],
        ["First contact"],
    )


def test_day_numbers_of_a_whole_column_are_days(cast: Cast, first_contact: str) -> None:
    run(cast, table("Email,First contact", "a@x.example,45360", "b@x.example,45361.5"), columnMapping=DATES)
    assert custom_values(cast, first_contact) == ["2024-03-09", "2024-03-10T12:00:00.000Z"]
    job = run(cast, table("Email,First contact", "c@x.example,45360", "d@x.example,2024"), columnMapping=DATES)
    assert job["failed"] == 2


def test_real_names_survive(cast: Cast) -> None:
    with cast.scope():
        optional(cast)
    run(
        cast,
        table("Name,Email", "Null,a@x.example", "None,b@x.example"),
        columnMapping={"Name": "name", "Email": "email"},
    )
    with cast.scope():
        assert list(Contact.objects.order_by("email").values_list("name", flat=True)) == ["Null", "None"]


def test_tags_of_other_products_are_split_and_unquoted(cast: Cast) -> None:
    with cast.scope():
        optional(cast)
    cells = ("* myContacts ::: Fair", '"""VIP"",""Fair 2024"""', '"[""semi;colon""]"', '"[""one"",""semi;colon""]"')
    lines = [f"t{number}@x.example,{cell}" for number, cell in enumerate(cells)]
    run(cast, table("Email,tags", *lines), columnMapping={"Email": "email", "tags": "tags"})
    with cast.scope():
        found = [
            sorted(contact.tag_links.values_list("tag__name", flat=True))
            for contact in Contact.objects.order_by("email")
        ]
    assert found == [["Fair"], ["Fair 2024", "VIP"], ["semi;colon"], ["one", "semi;colon"]]


def test_a_row_may_name_its_record(cast: Cast, umsatz: str, outsiders: Cast) -> None:
    made = cast.key.post("/contact/bulk", {"formData": [{"name": n, "email": f"{n}@x.example"} for n in "ab"]})
    first, second = (one["_id"] for one in made.data["created"])
    mapping = {"_id": "_id", "name": "name", "email": "email"}
    lines = (f"{first},Ann,", f"{second},Bob,a@x.example", f"{'0' * 24},Nobody,n@x.example", "nonsense,Cy,c@x.example")
    content = table("_id,name,email", *lines)
    job = run(cast, content, columnMapping=mapping, options={"existing": "update"})
    assert (job["created"], job["updated"], job["failed"]) == (0, 1, 3)
    codes = {one["row"]: (one["column"], one["code"]) for one in job["rowErrors"]}
    assert codes == {
        3: ("email", "ContactAlreadyExists_400"),
        4: ("_id", "ContactNotFound_400"),
        5: ("_id", "ContactNotFound_400"),
    }
    with cast.scope():
        assert sorted(Contact.objects.values_list("name", flat=True)) == ["Ann", "b"]
    job = run(cast, content, columnMapping=mapping)
    assert (job["created"], job["skipped"], job["failed"]) == (0, 2, 2)


def test_words_for_no_are_no_where_the_answer_is_yes_or_no(cast: Cast) -> None:
    with cast.scope():
        optional(cast)
        CustomField.objects.create(
            panel="contact", name="Member", field_type="checkbox", value_type="boolean", unique_field_id="member"
        )
    content = table("Email,Member", "a@x.example,нет", "b@x.example,Да", "c@x.example,N/A")
    job = run(cast, content, columnMapping={"Email": "email", "Member": "member"})
    assert job["failed"] == 0
    assert custom_values(cast, "member") == [False, True, None]


def test_a_sheet_of_a_text_file_is_refused(cast: Cast) -> None:
    body = {"importType": "contact", "fileId": upload(cast, table("Email", "a@x.example")), "options": {"sheet": "A"}}
    answer = cast.key.post("/contact/import", body)
    assert (answer.status, "options.sheet" in str(answer.body)) == (400, True)


def test_whole_numbers_keep_all_their_digits(cast: Cast, umsatz: str) -> None:
    numbers = [12345678901234567890, 9223372036854775808, 18446744073709551615, -9223372036854775808, 9007199254740993]
    lines = [f"w{place}@x.example,{number}" for place, number in enumerate(numbers)]
    run(cast, table("Email,Umsatz", *lines), columnMapping=MAPPING)
    assert custom_values(cast, umsatz) == numbers
