"""Searches and sorts of records, without case and accents (docs/decisions/0032)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from crm.models import ContactCategory, CustomField, File, Lead, ProductService, Segment, Tag, Team
from tests.crm.leads.helpers import lead_field
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory

pytestmark = pytest.mark.django_db
SEARCHES = {
    "José Ångström": ("angstrom", "JOSE", "Ångström", "Ångström", "ＪＯＳＥ"),
    "Łukasz Żółć": ("lukasz zolc", "zolc", "Żółć"),
    "Straße Groß": ("strasse", "STRASSE gross", "straße"),
    "Weststrasse 5": ("straße",),
    "O’Brien": ("o'brien", "O‘Brien", "o`brien"),
    "İstanbul Işık": ("istanbul", "isik", "ıstanbul"),
    "Jürgen Müller": ("muller", "MÜLLER"),
    "Ǿre Æbler": ("ore aebler",),
    "Пётр Чайка": ("петр", "чайка"),
    "Ελένη": ("ελενη",),
}
HASHES = dict.fromkeys(("md5", "sha1", "sha256", "sha512"), "0")
TEXTS = ["Zebra", "apfel", "Äpfel", "ärger", "Apfel", "äpfel", "Œuvre", "otto", "Öse"]
SORTED = ["Apfel", "apfel", "Äpfel", "äpfel", "ärger", "Œuvre", "Öse", "otto", "Zebra"]


def names(cast: Cast, path: str, **query: str) -> list[str]:
    return [row["name"] for row in cast.key.get(path, p="1", n="50", **query).data]


def walked(cast: Cast, path: str, sort: str, order: str) -> list[dict[str, Any]]:
    """Return all pages by cursor."""
    query = {"cursorPagination": "true", "n": "2", "sortBy": sort, "sortOrder": order}
    answer = cast.key.get(path, **query)
    found = answer.data
    while answer.body["nextCursor"]:
        answer = cast.key.get(path, **query, cursor=answer.body["nextCursor"])
        found += answer.data
    return list(found)


def city() -> CustomField:
    return CustomField.objects.create(unique_field_id="city", name="City", field_type="text", value_type="string")


def test_contacts_are_found_by_name_and_by_custom_text(cast: Cast) -> None:
    with cast.scope():
        city()
    for name in SEARCHES:
        contact = {"name": name, "email": "", "city": f"at {name}"}
        assert cast.key.post("/contact", {"formData": {**contact, **_unique()}}).status == 200
    for name, texts in SEARCHES.items():
        for text in texts:
            assert name in names(cast, "/contact", searchValue=text), (name, text)
            assert name in names(cast, "/contact", searchValue=text, searchBy="city"), (name, text)
            tree = json.dumps({"field": "city", "operator": "contains", "value": text})
            assert name in names(cast, "/contact", advancedFilters=tree), (name, text)
            assert name not in names(cast, "/contact", advancedFilters=tree.replace("contains", "notContains"))
    assert names(cast, "/contact", searchValue="чаика") == []
    assert names(cast, "/contact", searchValue="mueller") == []


_numbers = iter(range(1000, 2000))


def _unique() -> dict[str, str]:
    number = next(_numbers)
    return {"email": f"{number}@example.com", "countryCode": "+49", "number": f"1512345{number}"}


@pytest.mark.parametrize(
    ("path", "model", "values"),
    [
        ("/tag", Tag, {}),
        ("/contact-category", ContactCategory, {}),
        ("/team", Team, {}),
        ("/segment", Segment, {}),
        ("/product-service", ProductService, {"kind": "product"}),
        ("/file", File, {"size": 1, "mime": "text/csv", "path": "x", "hashes": HASHES}),
    ],
)
def test_every_list_of_names_is_searched_and_sorted(cast: Cast, path: str, model: Any, values: dict[str, Any]) -> None:
    with cast.scope():
        model.objects.all().delete()
        for name in ("Zebra", "Äpfel", "apfelmus", "Ångström", "ærø"):
            model.objects.create(name=name, **values)
    assert names(cast, path, searchValue="angstrom") == ["Ångström"]
    assert names(cast, path, searchValue="APFEL", sortBy="name", sortOrder="asc") == ["Äpfel", "apfelmus"]
    assert names(cast, path, sortBy="name", sortOrder="asc") == ["ærø", "Ångström", "Äpfel", "apfelmus", "Zebra"]
    assert [row["name"] for row in walked(cast, path, "name", "desc")] == [
        "Zebra", "apfelmus", "Äpfel", "Ångström", "ærø"
    ]  # fmt: skip


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_a_custom_text_is_sorted_by_its_letters(cast: Cast, order: str) -> None:
    with cast.scope():
        city()
    for text in TEXTS:
        assert cast.key.post("/contact", {"formData": {"name": text, "city": text, **_unique()}}).status == 200
    expected = SORTED if order == "asc" else SORTED[::-1]
    assert [row["formData"]["city"] for row in walked(cast, "/contact", "city", order)] == expected


def test_leads_are_sorted_by_the_letters_of_their_texts(cast: Cast) -> None:
    with cast.scope():
        lead_field("region")
        for text in ("Zebra", "apfel", "Äpfel", "ärger"):
            Lead.objects.create(contact=ContactFactory(), status=text, source=text)
    for name in ("status", "source"):
        for order in ("asc", "desc"):
            found = [row[name] for row in walked(cast, "/lead", name, order)]
            assert found == ["apfel", "Äpfel", "ärger", "Zebra"][:: 1 if order == "asc" else -1]


def test_the_global_search_puts_titles_that_begin_with_the_text_first(cast: Cast) -> None:
    with cast.scope():
        ContactFactory(name="Ångström Ebba")
        ContactFactory(name="Ebba Ångström")
    answer = cast.key.get("/search", q="angstrom")
    (group,) = answer.data["groups"]
    assert [one["title"] for one in group["records"]] == ["Ångström Ebba", "Ebba Ångström"]


def test_a_search_for_accents_alone_is_refused(cast: Cast) -> None:
    answer = cast.key.get("/contact", p="1", n="5", searchValue="\u0301")
    assert answer.status == 400
    assert answer.body["warning"].startswith("searchValue: needs letters, digits or signs")


def test_a_long_text_of_four_byte_letters_fits_the_index(cast: Cast) -> None:
    with cast.scope():
        city()
    long = "".join(chr(0x20000 + (n * 7919) % 40000) for n in range(500))
    assert cast.key.post("/contact", {"formData": {"name": "A", "city": long, **_unique()}}).status == 200
    assert [row["name"] for row in walked(cast, "/contact", "city", "asc")] == ["A"]


def test_options_are_found_by_their_labels(cast: Cast) -> None:
    options = [{"label": "Véry cold", "value": "Hot"}, {"label": "Mild", "value": "mild"}, {"label": "", "value": "x"}]
    with cast.scope():
        for name, kind, value_type in (("heat", "select", "string"), ("heats", "multi-select", "array")):
            CustomField.objects.create(
                unique_field_id=name, name=name, field_type=kind, value_type=value_type, options=options
            )
    for name, heat in (("A", "Hot"), ("B", "mild"), ("C", "x"), ("D", None)):
        form = {"name": name, "email": "", "heat": heat, "heats": [heat, "x"] if heat else None, **_unique()}
        assert cast.key.post("/contact", {"formData": form}).status == 200
    for field in ("heat", "heats"):
        assert names(cast, "/contact", searchBy=field, searchValue="very COLD") == ["A"]
        assert names(cast, "/contact", searchBy=field, searchValue="hot") == ["A"]
        assert names(cast, "/contact", searchBy=field, searchValue="cold mild") == []
        for operator, text, found in (
            ("startsWith", "very", ["A"]),
            ("endsWith", "ild", ["B"]),
            ("contains", "d", ["A", "B"]),
            ("notContains", "cold", ["B", "C", "D"]),
            ("equals", "Hot", ["A"]),
            ("equals", "Véry cold", []),
        ):
            condition = json.dumps({"field": field, "operator": operator, "value": text})
            assert sorted(names(cast, "/contact", advancedFilters=condition)) == found, (field, operator)
