"""The proposal of a mapping, by headers first and values second."""

from __future__ import annotations

import pytest

from crm.imports.readers import FieldSpec, propose_mapping
from crm.imports.readers.words import normalise

FIELDS = [
    FieldSpec("name", "Name"),
    FieldSpec("email", "Email", "email"),
    FieldSpec("countryCode", "Country code"),
    FieldSpec("number", "Number", "phone"),
    FieldSpec("65f0c0ffee65f0c0ffee65f0", "Company", "text", ("Firma", "Employer")),
    FieldSpec("65f0c0ffee65f0c0ffee65f1", "Website", "url"),
]
COMPANY, WEBSITE = FIELDS[4].key, FIELDS[5].key


HEADERS = {
    "email": "E-Mail, email_address, EmailAddress, E-Mail-Adresse, Correo electrónico, Courriel, Work Email",
    "number": "Mobile, Phone Number, Telefon, Handy-Nr., Téléphone portable, Teléfono móvil, Tel., PHONE 1",
    "name": "Full Name, Contact, Ansprechpartner, Nom complet, Nombre y apellidos, NAME",
    "firstName": "First name, Vorname, Prénom, Given Name, firstName",
    "lastName": "Last name, Nachname, Apellidos, Surname, lastname",
    "countryCode": "Country Code, Ländervorwahl, Laendervorwahl, Indicatif pays, countryCode",
    COMPANY: "company, FIRMA, Employer",
}
OTHERS = [
    "Email opt-in",
    "Email verified",
    "Phone type",
    "Company name",
    "File name",
    "Colour",
    "Column C",
    "",
    "Mobile date",
]


@pytest.mark.parametrize(
    ("header", "key"), [(header, key) for key, headers in HEADERS.items() for header in headers.split(", ")]
)
def test_headers(header: str, key: str) -> None:
    assert propose_mapping([header], FIELDS) == {header: key}


@pytest.mark.parametrize("header", OTHERS)
def test_headers_that_mean_something_else(header: str) -> None:
    assert propose_mapping([header], FIELDS) == {}


def test_own_columns_feed_one_field() -> None:
    """Further columns follow the one with the field's own name; those in front of it would go first."""
    headers = ["Work email", "Email", "Email (2)", "Mobile", "Phone", "Company", "Firma"]
    assert propose_mapping(headers, FIELDS) == {
        "Email": "email",
        "Email (2)": "email",
        "Mobile": "number",
        "Phone": "number",
        "Company": COMPANY,
    }


def test_whole_name_or_its_parts() -> None:
    assert propose_mapping(["First name", "Last name"], FIELDS) == {"First name": "firstName", "Last name": "lastName"}
    assert propose_mapping(["First name", "Last name", "Full name"], FIELDS) == {"Full name": "name"}
    assert propose_mapping(["Vorname", "Name"], FIELDS) == {"Vorname": "firstName", "Name": "lastName"}
    assert propose_mapping(["Vorname", "Name"], FIELDS[1:]) == {}


@pytest.mark.parametrize(
    ("headers", "parts"),
    [
        ("First, Last", "First, Last"),
        ("LAST, FIRST, Company", "FIRST, LAST"),
        ("First, Middle, Surname", "First, Surname"),
        ("Given, Family", "Given, Family"),
        ("First name, Last", "First name, Last"),
        ("Contact First, Contact Last", "Contact First, Contact Last"),
    ],
)
def test_bare_names_count_next_to_each_other(headers: str, parts: str) -> None:
    first, last = parts.split(", ")
    found = propose_mapping(headers.split(", "), [spec for spec in FIELDS if spec.key != COMPANY])
    assert found == {first: "firstName", last: "lastName"}


@pytest.mark.parametrize("headers", ["First", "Last", "First, Second", "Last, Next", "Email, First"])
def test_bare_names_alone_mean_nothing(headers: str) -> None:
    assert {"firstName", "lastName"}.isdisjoint(propose_mapping(headers.split(", "), FIELDS).values())


def test_name_next_to_one_part_is_the_other_or_the_whole() -> None:
    headers, rows = ["Name", "Surname"], [["Ada", "Fern"], ["Bo", "Ash"]]
    assert propose_mapping(headers, FIELDS, rows) == {"Name": "firstName", "Surname": "lastName"}
    assert propose_mapping(headers, FIELDS, [["Ada Fern", "Fern"], ["Bo Ash", "Ash"]]) == {"Name": "name"}
    assert propose_mapping(["Full name", "First name"], FIELDS) == {"Full name": "name"}
    rows = [["Ada Fern", "Ada"], ["Bo Ash", "Bo"]]
    assert propose_mapping(["Name", "First name"], FIELDS, rows) == {"Name": "name"}


def test_values_tell_what_headers_do_not() -> None:
    rows = [[f"user{n}@example.com", f"+49 151 23456{n}", "+49", f"www.example.com/{n}", n] for n in range(5)]
    assert propose_mapping(["A", "B", "C", "D", "E"], FIELDS, rows) == {
        "A": "email",
        "B": "number",
        "C": "countryCode",
        "D": WEBSITE,
    }


def test_values_correct_headers() -> None:
    rows = [["DE", "yes", f"0151 23456{n}", f"a{n}@example.com"] for n in range(4)]
    assert propose_mapping(["Country code", "Email", "Phone", "Address"], FIELDS, rows) == {
        "Phone": "number",
        "Address": "email",
    }


def test_a_name_stands_for_its_field_whatever_the_values_if_no_other_column_does() -> None:
    rows = [["yes", "unknown", "soon", f"a{n}@example.com"] for n in range(4)]
    headers = ["E-Mail", "Telefon", "Website", "Address"]
    assert propose_mapping(headers[:3], FIELDS, rows) == {"E-Mail": "email", "Telefon": "number", "Website": WEBSITE}
    assert propose_mapping(headers, FIELDS, rows) == {"Telefon": "number", "Website": WEBSITE, "Address": "email"}
    assert propose_mapping(["Work phone of whom"], FIELDS, [["Ann"], ["Bob"], ["Cy"]]) == {}


def test_short_rows_are_fine() -> None:
    assert propose_mapping(["Mail", "x"], [FieldSpec("email", "Email", "email")], [["a@example.com"], []]) == {
        "Mail": "email"
    }


def test_normal_form() -> None:
    assert normalise(" E-Mail_Adresse (privat)") == "e mail adresse privat"
    assert normalise("emailAddress") == "email address"
    assert normalise("Téléphone") == "telephone"
    assert normalise("STRASSE") == normalise("Straße")


def test_a_number_field_is_not_taken_for_a_phone() -> None:
    fields = [FieldSpec("number", "Number", "number"), FieldSpec("employees", "Employees", "number")]
    rows = [["+49 171 3920001", "12"], ["+49 171 3920002", "7"], ["+49 171 3920003", "140"]]
    assert propose_mapping(["Phone", "Employees"], fields, rows) == {"Phone": "number", "Employees": "employees"}


PHONES = ["90182012", "7654321", "1234999"]


@pytest.mark.parametrize(
    ("header", "values", "key"),
    [
        ("Prefix", ["Mr"], None),
        ("Prefix", ["Mr", "Ms", "Dr"], None),
        ("Country code", ["MR", "MS", "MR"], None),
        ("Country code", ["Pan"], None),
        ("Salutation", ["Herr", "Frau", "Herr"], None),
        ("Anrede", ["Hr", "Fr", "Hr"], None),
        ("Title", ["MR", "MS", "MR"], None),
        ("Name suffix", ["Jr.", "MD", "III"], None),
        ("Prefix", ["101", "202", "303"], None),
        ("Prefix", ["+49", "+43", "0041"], "countryCode"),
        ("Vorwahl", ["49", "43", "41"], "areaCode"),
        ("Vorwahl", ["44", "61", "31"], "areaCode"),
        ("Riktnummer", ["+46", "+46", "+45"], "countryCode"),
        ("Vorwahl", ["030", "040", "0170"], "areaCode"),
        ("Vorwahl", ["030"], "areaCode"),
        ("Country code", ["030", "040", "0170"], None),
        ("Netnummer", ["020", "010", "06"], "areaCode"),
        ("Riktnummer", ["08", "031", "040"], "areaCode"),
        ("Suuntanumero", ["09", "050", "02"], "areaCode"),
        ("Numer kierunkowy", ["22", "12", "61"], "areaCode"),
        ("Prefijo", ["91", "954", "93"], "areaCode"),
        ("Prefisso", ["02", "(06)", "011"], "areaCode"),
        ("Indicatif régional", ["514", "418", "438"], "areaCode"),
        ("Area Code", ["415", "212", "650"], "areaCode"),
        ("Area code", ["North", "South", "West"], None),
        ("市外局番", ["03", "06", "052"], "areaCode"),
    ],
)
def test_values_tell_codes_of_countries_areas_and_titles(header: str, values: list[str], key: str | None) -> None:
    rows = [[value, phone] for value, phone in zip(values, PHONES, strict=False)]
    expected = {header: key} if key else {}
    assert propose_mapping([header, "Phone"], FIELDS, rows) == expected | {"Phone": "number"}


@pytest.mark.parametrize("header", ["Prefix", "Vorwahl", "Prefijo", "Title", "Suffix", "Salutation", "Anrede"])
def test_headers_of_titles_and_of_either_code_say_nothing_alone(header: str) -> None:
    assert propose_mapping([header, "Phone"], FIELDS) == {"Phone": "number"}


def test_area_codes_belong_to_numbers() -> None:
    assert propose_mapping(["Area code", "Name"], FIELDS, [["030", "Ann"]] * 4) == {"Name": "name"}


NAMES = ["Ada Fern", "Bo van Ash", "Ida O'Neil", "Mia Lind-Berg", "JAN OAK", "Eva Elm"]
PARTS = ["Ada Fern", "Bo Ash", "Ida Oneil", "Mia Lind", "Jan Oak", "Eva Elm"]


def unnamed(*columns: list[str], country: str = "") -> str:
    """Return what is proposed for the columns of a file without headers, "-" for nothing."""
    headers = [f"Column {letter}" for letter in "ABCDEF"[: len(columns)]]
    found = propose_mapping(headers, FIELDS, list(zip(*columns, strict=True)), country=country)
    return " ".join(found.get(header, "-") for header in headers)


def test_files_without_headers() -> None:
    addresses = [f"{name.split()[0].lower()}@fern.example" for name in NAMES]
    phones = [f"030 123000{n}" for n in range(6)]
    assert unnamed(NAMES, addresses, phones) == "name email number"
    assert unnamed(NAMES, addresses, phones, country="DE") == "name email number"
    assert unnamed(addresses[:1], phones[:1], NAMES[:1]) == "email number name"
    american = [f"415-555-01{n}0" for n in range(6)]
    assert unnamed(NAMES, american, country="US") == "name number"
    assert unnamed(NAMES, american) == "name -"
    digits = [f"415555267{n}" for n in range(6)]
    assert unnamed(digits, digits, NAMES, country="US") == "number number name"


def test_parts_of_names_in_files_without_headers() -> None:
    first, last = ([name.split()[part] for name in PARTS] for part in (0, 1))
    towns = ["Rome", "Bonn", "Kiel", "Bern", "Linz", "Graz"]
    joined = [f"{one}.{other}@fern.example".lower() for one, other in zip(first, last, strict=True)]
    assert unnamed(first, last, joined) == "firstName lastName email"
    assert unnamed(last, first, joined) == "lastName firstName email"
    assert unnamed(towns, first, last, joined) == "- firstName lastName email"
    assert unnamed(first, last, [f"+49 30 123000{n}" for n in range(6)]) == "firstName lastName number"
    assert unnamed(first, last, towns) == "- - -"
    assert unnamed(first, towns, [f"x{n}@fern.example" for n in range(6)]) == "- - email"


@pytest.mark.parametrize(
    "values",
    [
        ["Fern Trees Ltd", "Ash GmbH", "Oak Group"],
        ["Sales Manager", "Head of Sales", "Product Owner"],
        ["2024-01-31", "2024-02-01", "2024-03-01"],
        ["31.01.2024", "01.02.2024", "01.03.2024"],
        ["1200345", "1200346", "1200347"],
        ["1,200.50", "3,400.00", "12,000.00"],
        ["10115 Berlin", "20095 Hamburg", "1 Main Street"],
        ["New York", "San Jose", "United States"],
        ["Ada Fern"] * 6,
    ],
)
def test_what_files_without_headers_hold_else(values: list[str]) -> None:
    for country in ("", "DE", "US"):
        assert unnamed(values, country=country) == "-"


def test_columns_of_files_with_headers_are_not_guessed() -> None:
    assert propose_mapping(["Column A", "Teacher"], FIELDS, [["x", name] for name in NAMES]) == {}
