"""Texts that stand for another value: forms and integrations send nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.kit.cast import Cast, make_cast
from tests.kit.rows import kept_for_module

OPTIONS = [{"label": name.title(), "value": name} for name in ("red", "blue", "green, dark")]
FIELDS: dict[str, tuple[str, dict[str, Any]]] = {
    "size": ("number", {}),
    "vip": ("checkbox", {}),
    "colours": ("multi-select", {"options": OPTIONS}),
    "sizes": ("multi-select", {"options": [{"value": "1"}, {"value": "2"}], "valueType": "number"}),
    "boxes": ("checkbox", {"options": OPTIONS, "valueType": "array"}),
    "since": ("date", {}),
}


@pytest.fixture(scope="module")
def company(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        cast = make_cast()
        add_fields(cast)
        yield cast


@pytest.fixture
def cast(company: Cast, db: None) -> Cast:
    """A company that has the fields."""
    return company


def add_fields(cast: Cast) -> None:
    for panel in ("contact", "lead"):
        for key, (kind, more) in FIELDS.items():
            body = {"name": key, "uniqueFieldID": key, "fieldType": kind, "panel": panel, **more}
            assert cast.key.post("/custom-field", body).status == 201


PERSON = {"name": "Ann", "email": "ann@example.com", "countryCode": 1, "number": 2025550103}


@pytest.mark.parametrize(
    ("key", "sent", "stored"),
    [
        ("size", "5", 5),
        ("size", " -12.50 ", -12.5),
        ("size", "+7", 7),
        ("size", "", None),
        ("vip", "true", True),
        ("vip", "False", False),
        ("colours", "red,blue", ["red", "blue"]),
        ("colours", "red; blue", ["red", "blue"]),
        ("colours", "green, dark", ["green, dark"]),
        ("colours", "blue", ["blue"]),
        ("sizes", "1,2", [1, 2]),
        ("sizes", ["1", 2], [1, 2]),
        ("boxes", "red,blue", ["red", "blue"]),
        ("since", "31/01/2026", "2026-01-31"),
        ("since", "2026-01-31", "2026-01-31"),
    ],
)
def test_texts_that_lose_nothing_are_cast(cast: Cast, key: str, sent: Any, stored: Any) -> None:
    made = cast.key.post("/contact", {"formData": {**PERSON, key: sent}})
    assert made.status == 200, made.body
    assert made.data["formData"].get(key) == stored
    assert type(made.data["formData"].get(key)) is type(stored)
    lead = cast.key.post("/lead", {"contact": made.data["_id"], "formData": {key: sent}})
    assert lead.data["formData"].get(key) == stored
    changed = cast.key.put("/contact", {"selectAll": True, "formData": {key: sent}})
    assert changed.data == {"matchedCount": 1, "updatedCount": 0}


@pytest.mark.parametrize(
    ("key", "sent"),
    [
        ("size", "1,234"),
        ("size", "5 kg"),
        ("size", "0x10"),
        ("size", "12345678901234567.1"),
        ("vip", "maybe"),
        ("vip", 1),
        ("colours", "red,pink"),
        ("sizes", "1,x"),
        ("since", "01-31-2026"),
        ("since", "31/02/2026"),
        ("since", "01/31/2026"),
    ],
)
def test_other_texts_are_refused(cast: Cast, key: str, sent: Any) -> None:
    refused = cast.key.post("/contact", {"formData": {**PERSON, key: sent}})
    assert (refused.status, refused.body["message"]) == (400, "The value of a field is not valid.")
    assert refused.body["warning"].startswith(f"{key}: ")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("mm/dd/yyyy", "01/31/2026"),
        ("dd.mm.yyyy", "31.1.2026"),
        ("dd-mm-yyyy", "31-01-2026"),
        ("d mmm yyyy", "31 Jan 2026"),
        ("yyyy-mm-dd", "2026-1-31"),
    ],
)
def test_dates_are_read_in_the_companys_format(cast: Cast, written: str, text: str) -> None:
    assert cast.key.put("/settings", {"dateFormat": written}).status == 200
    made = cast.key.post("/contact", {"formData": {**PERSON, "since": text}})
    assert made.status == 200, made.body
    assert made.data["formData"]["since"] == "2026-01-31"


def test_the_value_of_a_lead_and_the_price_of_a_product_are_cast(cast: Cast) -> None:
    contact = cast.key.post("/contact", {"formData": PERSON}).data["_id"]
    lead = cast.key.post("/lead", {"contact": contact, "formData": {"value": "12"}}).data
    assert lead["value"] == 12
    assert cast.key.put(f"/lead/{lead['_id']}", {"value": "12.5"}).data["value"] == 12.5
    body = {"name": "Tea", "price": "2.50", "isActive": "false"}
    product = cast.key.post("/product-service", {"formData": body}).data
    assert (product["price"], product["isActive"]) == (2.5, False)
