"""An export that is imported again with `update` and no other option changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import Company, CompanySettings, Member
from core.jobs import WORK
from core.models import Event
from crm.models import Contact, ContactTag, CustomField, Lead, LeadTag
from tests.crm.imports.helpers import work
from tests.crm.leads.helpers import member, product, team_of
from tests.kit.cast import Cast
from tests.kit.factories import ContactCategoryFactory, TagFactory

OPTIONS = [
    {"label": "Very hot", "value": "Hot", "description": ""},
    {"label": "Cold; or not", "value": "cold", "description": ""},
    {"label": "Hot", "value": "warm", "description": ""},
    {"label": "Same", "value": "a", "description": ""},
    {"label": "same", "value": "b", "description": ""},
    {"label": "N/A", "value": "n", "description": ""},
    {"label": "Seven", "value": "7", "description": ""},
]
FIELD_KINDS: dict[str, tuple[str, str]] = {
    "Line": ("text", "string"),
    "Anything": ("text", "any"),
    "Lines": ("textarea", "string"),
    "Thing": ("textarea", "object"),
    "Words": ("text", "array"),
    "Amount": ("number", "number"),
    "First contact": ("date", "date"),
    "Heat": ("select", "string"),
    "Count": ("select", "number"),
    "Heats": ("multi-select", "array"),
    "Counts": ("multi-select", "number"),
    "Ticks": ("checkbox", "array"),
    "Tick": ("checkbox", "boolean"),
    "Keeper": ("select", "member"),
    "Owners": ("multi-select", "member"),
    "Site": ("url", "string"),
    "Mail": ("email", "string"),
    "Call": ("phone", "string"),
    "name": ("text", "string"),
}
TEXTS = (
    *("=1+1", "'=1+1", "007", "1e5", "2024-03-09", "3/9/2024", "N/A", "NULL", "-", "#DIV/0!", '["a"]', '{"a": 1}'),
    *(" led by blanks ", "One\nTwo", "One\r\nTwo", "'quoted", "1,234", "1.234", "true", "a;b", '"VIP","Fair"', "Ünï"),
    *("+49 170 1234567", "€5", "* myContacts ::: Fair", "Null", "\ttab", "(5)", "0000-00-00", "=cmd|' /C calc'!A0"),
)
NUMBERS = (
    0,
    -1,
    1.234,
    250.125,
    12345678901234567,
    12345678901234567890,
    0.1,
    0.30000000000000004,
    1e-7,
    -0.0,
    5.0,
    1e19,
    123456789.125,
)
TIMES = (
    *("2024-03-09", "1899-12-31", "0900-01-02", "2024-03-09T23:30:00.000Z", "2024-03-09T08:00:00.000Z"),
    *("2024-11-03T08:30:00.000Z", "2024-11-03T09:30:00.000Z", "2024-03-10T10:00:00.000Z", "2024-03-09T12:00:01.001Z"),
    *("1850-06-01T12:34:56.789Z", "2024-10-27T00:30:00.000Z", "2024-10-27T01:30:00.000Z", "9999-12-31T23:59:59.999Z"),
    *("2024-02-01", "2024-02-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z"),
)
LISTS: tuple[list[Any], ...] = (
    *(["a"], ["a", "b"], ["a;b", "c"], ["a,b"], [" a"], ['["x"]'], [1, "1", True], ['"q"', "r"], [1.234], ["NULL"]),
)
ANY: tuple[Any, ...] = (5, "5", True, None, {"z": [1]}, [1, 2], ["a", "b"], 1.5, "text", 5.0, [], {"b": 1, "a": 2})
SETTINGS = (
    ("America/Los_Angeles", "dd/mm/yyyy", "HH:mm", "USD"),
    ("Europe/Berlin", "mm/dd/yyyy", "hh:mm a", "EUR"),
    ("Australia/Lord_Howe", "d mmm yyyy", "hh:mm a", "INR"),
    ("UTC", "dd-mm-yyyy", "HH:mm", "JPY"),
    ("Pacific/Auckland", "dd.mm.yyyy", "HH:mm", "NZD"),
    ("Asia/Kathmandu", "yyyy-mm-dd", "HH:mm", "NPR"),
)


def at(values: Any, place: int) -> Any:
    return values[place % len(values)]


def values_of(place: int, members: list[str]) -> dict[str, Any]:
    """Return the values of a record, by the key of their field."""
    return {
        "line": at(TEXTS, place).replace("\n", " ").replace("\r", ""),
        "anything": at(ANY, place),
        "lines": at(TEXTS, place),
        "thing": {"a": at(TEXTS, place), "b": at(NUMBERS[:6], place)},
        "words": at(LISTS, place),
        "amount": at(NUMBERS, place),
        "first_contact": at(TIMES, place),
        "heat": at(["Hot", "cold", "warm", "a", "b", "n", "7"], place),
        "count": 7,
        "heats": at([["Hot"], ["cold", "a"], ["b", "n"], ["warm", "Hot", "7"]], place),
        "counts": [7],
        "ticks": at([["cold"], ["Hot", "warm"]], place),
        "tick": place % 2 == 0,
        "keeper": at(members, place),
        "owners": members[: 1 + place % 2],
        "site": "https://example.org/a?b=1,2",
        "mail": "ann@example.org",
        "call": "+491701234567",
        "own_name": at(TEXTS, place).replace("\n", " ").replace("\r", ""),
    }


def add_fields(panel: str) -> None:
    for name, (field_type, value_type) in FIELD_KINDS.items():
        CustomField.objects.create(
            panel=panel,
            name=name,
            field_type=field_type,
            value_type=value_type,
            unique_field_id="own_name" if name == "name" else name.lower().replace(" ", "_"),
            options=OPTIONS if field_type in ("select", "multi-select") or name == "Ticks" else [],
        )


def choose(cast: Cast, timezone: str, date_format: str, time_format: str, currency: str) -> None:
    with cast.scope():
        Company.objects.filter(pk=cast.company.pk).update(timezone=timezone)
        chosen = {"date_format": date_format, "time_format": time_format, "currency": currency}
        CompanySettings.objects.update_or_create(company_id=cast.company.pk, defaults=chosen)


def snapshot(cast: Cast, model: Any, links: Any) -> Any:
    with cast.scope():
        records = list(model.objects.order_by("pk").values())
        tags = sorted(links.objects.values_list(f"{model._meta.model_name}_id", "tag_id"))
        written = Event.objects.filter(kind__in=("contact.updated", "lead.updated", "contact.created", "lead.created"))
        return records, tags, written.count()


def same(before: Any, after: Any) -> None:
    for old, new in zip(before[0], after[0], strict=True):
        assert new == old, {key: (old[key], new[key]) for key in old if old[key] != new[key]}
    assert after == before


def round_trip(cast: Cast, resource: str, format: str, **query: Any) -> dict[str, Any]:
    exported = cast.key.get(f"/{resource}/export", format=format, **query)
    assert exported.status == 200
    file = cast.key.upload("/upload", SimpleUploadedFile(f"own.{format}", exported.body)).data["_id"]
    body = {"importType": resource, "fileId": file, "options": {"existing": "update"}, "pauseImport": False}
    answer = cast.key.post(f"/{resource}/import", body)
    assert answer.status == 201, answer.body
    work()
    return dict(cast.key.get(f"/{resource}/import/{answer.data['import']['_id']}").data)


@pytest.fixture
def members(cast: Cast) -> Iterator[list[str]]:
    with cast.scope():
        yield [
            member(name="Sam; the <first>", email="sam@example.net").pk,
            member(name="", email="kim@example.net").pk,
        ]


@pytest.mark.parametrize("format", ["csv", "xlsx"])
@pytest.mark.parametrize("settings", SETTINGS)
def test_own_contacts_stay_as_they_are(
    settings: tuple[str, str, str, str], format: str, cast: Cast, members: list[str]
) -> None:
    choose(cast, *settings)
    with cast.scope():
        add_fields("contact")
        tags = [TagFactory(name=name).pk for name in ("semi;colon", '"one"', "a, b", "N/A", "[x]")]
        category = ContactCategoryFactory(name="Press; and others").pk
    items = [
        {"name": f"P{n} {at(TEXTS, n)}", "email": f"p{n}@example.org", "countryCode": "+49", "number": f"151{n:08}"}
        | values_of(n, members)
        for n in range(len(TEXTS))
    ]
    made = cast.key.post("/contact/bulk", {"formData": items, "tags": tags[:3], "category": category})
    assert (len(made.data["created"]), made.data["failed"]) == (len(items), [])
    before = snapshot(cast, Contact, ContactTag)
    job = round_trip(cast, "contact", format)
    assert (job["status"], job["rowErrors"]) == ("completed", [])
    assert (job["updated"], job["failed"], job["detected"]["ambiguous"]) == (len(items), 0, [])
    same(before, snapshot(cast, Contact, ContactTag))


@pytest.mark.parametrize("format", ["csv", "xlsx"])
@pytest.mark.parametrize("settings", SETTINGS[:2])
def test_own_leads_stay_as_they_are(
    settings: tuple[str, str, str, str], format: str, cast: Cast, members: list[str]
) -> None:
    choose(cast, *settings)
    with cast.scope():
        add_fields("lead")
        tags = [TagFactory(name=name).pk for name in ("semi;colon", '"one"')]
        products = [product(name).pk for name in ("Doors, windows", "Roof; flat", "[1]")]
        team = team_of("North, South", Member.objects.get(pk=members[0])).pk
    made = []
    for n in range(len(TIMES)):
        contact = {
            "name": f"P{n}",
            "email": f"p{n // 2}@example.org",
            "countryCode": "+49",
            "number": f"151{n // 2:08}",
        }
        own = {"status": ("new", "qualified", "won")[n % 3], "value": n * 1.125, "notes": at(TEXTS, n + 7)}
        beside = {"productServices": [at(products, n)], "team": team, "teamMember": members[0], "tags": tags}
        made.append(cast.key.post("/lead", {"formData": {**contact, **own, **values_of(n, members)}, **beside}).status)
    assert set(made) == {201}
    before = snapshot(cast, Lead, LeadTag), snapshot(cast, Contact, ContactTag)
    job = round_trip(cast, "lead", format)
    assert (job["status"], job["rowErrors"]) == ("completed", [])
    assert (job["updated"], job["failed"], job["detected"]["ambiguous"]) == (len(made), 0, [])
    same(before[0], snapshot(cast, Lead, LeadTag))
    same(before[1], snapshot(cast, Contact, ContactTag))


@pytest.mark.parametrize("format", ["csv", "xlsx"])
@pytest.mark.parametrize("resource", ["contact", "lead"])
def test_rows_with_nothing_but_their_id_stay_as_they_are(resource: str, format: str, cast: Cast) -> None:
    with cast.scope():
        CustomField.objects.create(
            panel=resource, name="Area", field_type="text", value_type="string", unique_field_id="area"
        )
    for n in range(8):
        form = {"name": f"P{n}", "email": f"p{n}@example.org", "countryCode": "+49", "number": f"151{n:08}"}
        form |= {"area": "North"} if n in (2, 3) else {}
        assert cast.key.post(f"/{resource}", {"formData": form}).status in (200, 201)
    model, links = (Contact, ContactTag) if resource == "contact" else (Lead, LeadTag)
    before = snapshot(cast, model, links)
    job = round_trip(cast, resource, format, columns="_id,Area")
    assert (job["updated"], job["failed"], job["rowErrors"]) == (8, 0, [])
    same(before, snapshot(cast, model, links))


def export_by_job(cast: Cast, **body: Any) -> str:
    """Return the _id of the file of an export that a worker made."""
    made = cast.key.post("/export", {"resource": "contact", **body}).data
    WORK["export"].drain(float("inf"))
    return str(cast.key.get(f"/export/{made['_id']}").data["file"]["_id"])


def export_now(cast: Cast, **query: Any) -> str:
    content = cast.key.get("/contact/export", **query).body
    return str(cast.key.upload("/upload", SimpleUploadedFile("own.csv", content)).data["_id"])


@pytest.mark.parametrize("new", [SETTINGS[1], SETTINGS[4]])
@pytest.mark.parametrize("how", ["job", "job of columns", "answer"])
def test_an_export_keeps_its_meaning_after_a_change_of_settings(
    how: str, new: tuple[str, str, str, str], cast: Cast
) -> None:
    choose(cast, *SETTINGS[0])
    with cast.scope():
        for name in ("First contact", "Birthday"):
            key = name.lower().replace(" ", "_")
            CustomField.objects.create(
                panel="contact", name=name, field_type="date", value_type="date", unique_field_id=key
            )
    for n in range(3):
        form = {"name": f"P{n}", "email": f"p{n}@example.org", "countryCode": "+49", "number": f"151{n:08}"}
        form |= {"first_contact": f"2024-03-0{n + 4}", "birthday": f"1990-0{n + 1}-02"}
        if how != "answer":
            form["first_contact"] += "T15:30:00.000Z"
        assert cast.key.post("/contact", {"formData": form}).status in (200, 201)
    with cast.scope():
        Contact.objects.update(created_at=datetime(2026, 1, 20, 12, tzinfo=UTC))
    before = snapshot(cast, Contact, ContactTag)
    if how == "answer":
        file = export_now(cast)
    else:
        file = export_by_job(cast, columns=["_id", "First contact", "Birthday"] if how == "job of columns" else [])
    choose(cast, *new)
    body = {"importType": "contact", "fileId": file, "options": {"existing": "update"}, "pauseImport": False}
    made = cast.key.post("/contact/import", body).data["import"]
    work()
    job = cast.key.get(f"/contact/import/{made['_id']}").data
    assert (job["updated"], job["failed"], job["rowErrors"]) == (3, 0, [])
    assert (job["detected"]["ambiguous"], job["detected"]["assumed"]) == ([], [])
    same(before, snapshot(cast, Contact, ContactTag))


def test_an_export_whose_format_nobody_knows_says_what_is_assumed(cast: Cast) -> None:
    choose(cast, *SETTINGS[0])
    with cast.scope():
        CustomField.objects.create(
            panel="contact", name="Since", field_type="date", value_type="date", unique_field_id="since"
        )
    form = {"name": "P", "email": "p@example.org", "countryCode": "+49", "number": "15100000000", "since": "2024-03-04"}
    assert cast.key.post("/contact", {"formData": form}).status in (200, 201)
    file = export_now(cast, columns="_id,email,Since")
    job = cast.key.post("/contact/import", {"importType": "contact", "fileId": file}).data["import"]
    assert [(one["column"], one["value"]) for one in job["detected"]["assumed"]] == [("Since", "DD/MM/YYYY")]
