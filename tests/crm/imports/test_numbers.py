"""Phone numbers in imports: read whole or refused, national ones by a country."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Company
from crm.models import Contact, CustomField
from tests.crm.contacts.helpers import add_field
from tests.crm.imports.helpers import counts, csv_of, make, run
from tests.crm.imports.readers.workbooks import xlsx
from tests.kit.cast import Cast

HEADER = "Name,Email,Phone"
TARGETS = {"Name": "name", "Email": "email", "Phone": "number"}


def imported(cast: Cast, cells: list[str], **body: Any) -> dict[str, Any]:
    rows = [
        'N{0},n{0}@numbers.example,"{1}"'.format(place, cell.replace('"', '""')) for place, cell in enumerate(cells)
    ]
    return run(cast, csv_of(rows, HEADER), **{"columnMapping": TARGETS, **body})


def numbers(cast: Cast) -> list[str | None]:
    with cast.scope():
        return list(Contact.objects.order_by("email").values_list("contact_number", flat=True))


def errors(cast: Cast, job: dict[str, Any]) -> list[tuple[int, str, str]]:
    rows = cast.key.get(f"/contact/import/{job['_id']}/errors").data
    return [(one["row"], one["column"], one["message"]) for one in rows]


def set_country(cast: Cast, **values: str) -> None:
    with cast.scope():
        Company.objects.filter(pk=cast.company.pk).update(**values)


def test_numbers_are_read_whole_or_refused(cast: Cast) -> None:
    job = imported(
        cast,
        [
            "+49 170 1234567.0",
            "+39 333 1234567.00",
            '="+14155550154"',
            "\u202a+1 415 555 0155\u202c",
            "＋１ ４１５ ５５５ ０１５６",
            "tel:+1-415-555-0152",
            "+49 30 901820 / 901821",
            "+49 30 901820/21",
            "0170 7654321",
        ],
    )
    assert counts(job)[2:] == (6, 0, 0, 3)
    assert numbers(cast) == [
        "+491701234567",
        "+393331234567",
        "+14155550154",
        "+14155550155",
        "+14155550156",
        "+14155550152",
    ]
    assert errors(cast, job) == [
        (8, "Phone", "“+49 30 901820 / 901821” holds two numbers. Write one of them."),
        (9, "Phone", "“+49 30 901820/21” holds two numbers. Write one of them."),
        (
            10,
            "Phone",
            "“0170 7654321” has no country code. Enter the number with its country code, for example +49 170 1234567.",
        ),
    ]


@pytest.mark.parametrize(
    ("company", "options"),
    [
        ({"country": "DE"}, {}),
        ({"country": "FR"}, {"country": "DE"}),
        ({"country": "", "country_code": "+49"}, {}),
        ({"country": "AQ", "country_code": "+49"}, {}),
    ],
)
def test_national_numbers_are_those_of_a_country(cast: Cast, company: dict[str, str], options: dict[str, str]) -> None:
    set_country(cast, **company)
    with cast.scope():
        add_field("mobile", "phone")
    rows = [
        "A,a@na.example,0170 7654321,030/901822",
        "B,b@na.example,030 901821,+33 1 23 45 67 89",
        "C,c@na.example,12,",
    ]
    mapping = {**TARGETS, "Mobile": "mobile"}
    job = run(cast, csv_of(rows, HEADER + ",Mobile"), columnMapping=mapping, options=options)
    assert counts(job)[2:] == (2, 0, 0, 1)
    assert numbers(cast) == ["+491707654321", "+4930901821"]
    with cast.scope():
        assert [one.custom for one in Contact.objects.order_by("email")] == [
            {"mobile": "+4930901822"},
            {"mobile": "+33123456789"},
        ]
    assert errors(cast, job)[0][2].startswith("“12” is too short for Germany (+49).")


def test_countries_of_one_prefix_write_national_numbers_alike(cast: Cast) -> None:
    set_country(cast, country="", country_code="+1")
    job = imported(cast, ["415 555 0155"])
    assert (numbers(cast), errors(cast, job)) == (["+14155550155"], [])


def test_country_codes_are_read_by_name_and_refused_once(cast: Cast) -> None:
    header = "Name,Email,Country,Phone"
    rows = [
        "A,a@cc.example,UK,07911 123456",
        "B,b@cc.example,Germany,0170 7654321",
        "C,c@cc.example,49.0,0170 7654322",
        "D,d@cc.example,Österreich (+43),0664 1234567",
        "E,e@cc.example,Atlantis,0664 1234568",
        "F,f@cc.example,,0664 1234569",
        "G,g@cc.example,DE,",
    ]
    job = run(cast, csv_of(rows, header), columnMapping={**TARGETS, "Country": "countryCode"})
    assert counts(job)[2:] == (4, 0, 0, 3)
    assert numbers(cast) == ["+447911123456", "+491707654321", "+491707654322", "+436641234567"]
    assert errors(cast, job) == [
        (6, "Country", "“Atlantis” is not a country code. Enter one, for example +49."),
        (
            *(7, "Phone"),
            "“0664 1234569” has no country code. Enter the number with its country code, for example +49 170 1234567.",
        ),
        (8, "Phone", "missing. Write one such as +49 170 1234567."),
    ]


def test_number_cells_of_a_workbook(cast: Cast) -> None:
    content = xlsx(
        ("Name", "Email", "Country", "Phone"),
        ("A", "a@x.example", 49, 1707654321.0),
        ("B", "b@x.example", 43, 6641234567),
    )
    job = run(cast, content, columnMapping={**TARGETS, "Country": "countryCode"})
    assert counts(job)[2:] == (2, 0, 0, 0)
    assert numbers(cast) == ["+491707654321", "+436641234567"]


def test_the_check_names_the_same_problems(cast: Cast) -> None:
    with cast.scope():
        CustomField.objects.filter(panel="contact", unique_field_id="countryCode").update(required=False)
    job = make(cast, csv_of(["A,a@x.example,0170 1234567 x2"], HEADER), columnMapping=TARGETS)
    checked = cast.session.post(f"/contact/import/{job['_id']}/check").data
    assert [one["message"] for one in checked["rowErrors"]] == [
        "“0170 1234567 x2” has an extension, which cannot be kept. Write the number without it."
    ]
