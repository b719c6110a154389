"""Area codes in a column of their own."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Company
from crm.models import Contact
from tests.crm.contacts.helpers import add_field
from tests.crm.imports.helpers import counts, csv_of, make, run, upload
from tests.crm.imports.readers.workbooks import xlsx
from tests.kit.cast import Cast

MAPPING = {"Name": "name", "Email": "email", "Area": "areaCode", "Phone": "number"}


def set_country(cast: Cast, country: str) -> None:
    with cast.scope():
        Company.objects.filter(pk=cast.company.pk).update(country=country)


def numbers(cast: Cast) -> list[str | None]:
    with cast.scope():
        return list(Contact.objects.order_by("email").values_list("contact_number", flat=True))


def errors(job: dict[str, Any]) -> dict[int, str]:
    return {one["row"]: one["message"] for one in job["rowErrors"]}


@pytest.mark.parametrize(
    ("country", "header", "rows", "expected"),
    [
        (
            *("DE", "Vorwahl;Rufnummer"),
            ["030;90182012", "040;7654321", "0170;1234999", "(089);21 23 320"],
            ["+493090182012", "+49407654321", "+491701234999", "+49892123320"],
        ),
        ("SE", "Riktnummer;Telefon", ["08;12345678", "031;7001234"], ["+46812345678", "+46317001234"]),
        ("US", "Area code;Phone", ["415;555-0155", "212;5550199"], ["+14155550155", "+12125550199"]),
        ("IT", "Prefisso;Telefono", ["02;69812345", "06;69812345"], ["+390269812345", "+390669812345"]),
    ],
)
def test_proposed_and_joined(cast: Cast, country: str, header: str, rows: list[str], expected: list[str]) -> None:
    set_country(cast, country)
    lines = [f"N{place};n{place}@area.example;{row}" for place, row in enumerate(rows)]
    job = run(cast, csv_of(lines, f"Name;E-Mail;{header}"), columnMapping={})
    assert job["columnMapping"][header.partition(";")[0]] == "areaCode"
    assert (numbers(cast), errors(job)) == (expected, {})


def test_complete_numbers_stay_as_they_are(cast: Cast) -> None:
    set_country(cast, "DE")
    with cast.scope():
        add_field("mobile", "phone")
    rows = [
        "A,a@x.example,030,+33 1 23 45 67 89",
        "B,b@x.example,030,030 90182013",
        "C,c@x.example,n/a,0170 1234567",
        "D,d@x.example,+49 40,7654321",
        "E,e@x.example,Mr,7654321",
        "F,f@x.example,030,",
        "G,g@x.example,,7654321",
    ]
    job = run(cast, csv_of(rows, "Name,Email,Area,Phone"), columnMapping=MAPPING)
    assert counts(job)[2:] == (4, 0, 0, 3)
    assert numbers(cast) == ["+33123456789", "+493090182013", "+491701234567", "+49407654321"]
    assert {row: message.partition(" ")[0] for row, message in errors(job).items()} == {
        6: "“Mr",
        7: "missing.",
        8: "“7654321”",
    }


def test_spreadsheets_drop_the_zero(cast: Cast) -> None:
    set_country(cast, "DE")
    content = xlsx(
        ("Name", "Email", "Area", "Phone", "Country"),
        ("A", "a@x.example", 30, 90182012, None),
        ("B", "b@x.example", 40.0, 7654321.0, None),
        ("C", "c@x.example", 91, 1234567, "ES"),
    )
    run(cast, content, columnMapping={**MAPPING, "Country": "countryCode"})
    assert numbers(cast) == ["+493090182012", "+49407654321", "+34911234567"]


def test_the_next_number_gets_the_area_code(cast: Cast) -> None:
    set_country(cast, "DE")
    header = "Name,Email,Mobile,Area,Phone,Other"
    mapping = {**MAPPING, "Mobile": "number", "Other": "number"}
    rows = ["A,a@x.example,,040,7654321,0171 1234567", "B,b@x.example,0170 1234567,030,90182012,"]
    run(cast, csv_of(rows, header), columnMapping=mapping)
    assert numbers(cast) == ["+49407654321", "+491701234567"]
    with cast.scope():
        kept = [sorted(one.custom.values()) for one in Contact.objects.order_by("email")]
    assert kept == [["+491711234567"], ["+493090182012"]]


def test_area_codes_need_a_number(cast: Cast) -> None:
    content = csv_of(["A,a@x.example,030,1"], "Name,Email,Area,Phone")
    body = {"importType": "contact", "fileId": upload(cast, content)}
    answer = cast.key.post("/contact/import", {**body, "columnMapping": {"Area": "areaCode", "Email": "email"}})
    assert answer.status == 400
    assert make(cast, content, columnMapping=MAPPING)["columnMapping"] == MAPPING


def test_what_is_whole_or_names_two_areas_is_not_joined(cast: Cast) -> None:
    set_country(cast, "DE")
    rows = ["A,a@x.example,030,1701234569", "B,b@x.example,030-31,901892", "C,c@x.example,30 / 31,901831"]
    job = run(cast, csv_of(rows, "Name,Email,Area,Phone"), columnMapping=MAPPING)
    assert numbers(cast) == ["+491701234569"]
    assert counts(job)[2:] == (1, 0, 0, 2)


def test_area_codes_stand_behind_country_codes(cast: Cast) -> None:
    rows = ["A,a@x.example,+49,30,901960", "B,b@x.example,+43,1,4000323", "C,c@x.example,+39,6,69823030"]
    job = run(cast, csv_of(rows, "Name,Email,Ländervorwahl,Vorwahl,Rufnummer"), columnMapping={})
    assert job["columnMapping"]["Vorwahl"] == "areaCode"
    assert numbers(cast) == ["+4930901960", "+4314000323", "+390669823030"]


def test_digits_that_are_codes_of_areas_and_countries_are_those_of_areas(cast: Cast) -> None:
    set_country(cast, "CH")
    rows = ["A,a@x.example,44,6681800", "B,b@x.example,61,2681802", "C,c@x.example,31,3221803"]
    run(cast, csv_of(rows, "Name,Email,Vorwahl,Telefon"), columnMapping={})
    assert numbers(cast) == ["+41446681800", "+41612681802", "+41313221803"]
