"""GET /contact"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crm.contacts.kind import CONTACT
from crm.leads.kind import LEAD
from tests.crm.contacts.helpers import add_field, form
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactCategoryFactory, ContactFactory, TagFactory
from tests.kit.rows import kept_for_module

pytestmark = pytest.mark.django_db


def test_live_records_are_those_of_the_filter(cast: Cast) -> None:
    with cast.scope():
        for kind in (CONTACT, LEAD):
            assert str(kind.live().query) == str(kind.model._default_manager.filter(is_deleted=False).query)
            assert f'"company_id" = {cast.company.pk}' in str(kind.live().query)


def make_people(cast: Cast) -> dict[str, str]:
    """Four contacts with values of all kinds: name -> _id."""
    with cast.scope():
        vip, press = TagFactory(name="VIP"), TagFactory(name="Press")
        customer = ContactCategoryFactory(name="Customer")
        add_field("city")
        add_field("score", "number", "number")
        add_field("member", "checkbox", "boolean")
        add_field("since", "date", "date")
        add_field("colours", "multi-select", "array", options=["red", "blue"])
    bodies: list[dict[str, Any]] = [
        {
            "formData": form(1, name="Ann", city="Bonn", score=5, member=True, since="2026-01-31", colours=["red"]),
            "tags": [vip.pk],
        },
        {
            "formData": form(
                2,
                name="Bob",
                city="Aachen",
                score=7.5,
                member=False,
                since="2025-06-01T10:00:00Z",
                colours=["red", "blue"],
            )
        },
        {"formData": form(3, name="Cid", city="Bonn"), "category": customer.pk, "tags": [vip.pk, press.pk]},
        {"formData": form(4, name="Dora")},
    ]
    made = {}
    for body in bodies:
        answer = cast.key.post("/contact", body)
        assert answer.status == 200
        made[answer.data["name"]] = answer.data["_id"]
    return {**made, "vip": vip.pk, "press": press.pk, "customer": customer.pk}


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Cast, dict[str, str]]]:
    with kept_for_module(django_db_blocker):
        cast = make_cast()
        yield cast, make_people(cast)


@pytest.fixture
def cast(kept: tuple[Cast, dict[str, str]]) -> Cast:
    return kept[0]


@pytest.fixture
def people(kept: tuple[Cast, dict[str, str]]) -> dict[str, str]:
    return kept[1]


def names(cast: Cast, **query: Any) -> list[str]:
    answer = cast.key.get("/contact", **query)
    assert answer.status == 200, answer.body
    assert answer.body["totalCount"] == len(answer.data)
    return [found["name"] for found in answer.data]


def test_newest_first_whole_set_and_pages(cast: Cast, people: dict[str, str]) -> None:
    assert names(cast) == ["Dora", "Cid", "Bob", "Ann"]
    page = cast.key.get("/contact", p="1", n="3")
    assert [found["name"] for found in page.data] == ["Dora", "Cid", "Bob"]
    assert page.body["totalCount"] == 4
    after = cast.key.get("/contact", n="3", cursor=page.body["nextCursor"])
    assert [found["name"] for found in after.data] == ["Ann"]
    assert after.body["nextCursor"] is None


def test_an_element_has_the_shape_of_a_contact(cast: Cast, people: dict[str, str]) -> None:
    found = cast.key.get("/contact", p="1", n="10").data[1]
    system = {
        "_id",
        "name",
        "email",
        "countryCode",
        "number",
        "contactNumber",
        "category",
        "organization",
        "owner",
        "tags",
        "formData",
        "importId",
    }
    assert set(found) == system | {
        *("unsubscribed", "unsubscribedAt", "createdBy", "updatedBy", "isDeleted", "createdAt", "updatedAt"),
    }
    assert found["category"] == {"_id": people["customer"], "name": "Customer"}
    assert found["tags"] == [{"_id": people["press"], "name": "Press"}, {"_id": people["vip"], "name": "VIP"}]
    assert found["createdBy"]["_id"] == cast.owner.pk
    assert found["createdAt"].endswith("Z")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"name": "Ann"}, ["Ann"]),
        ({"email": "ANN2@example.com"}, ["Bob"]),
        ({"city": "Bonn"}, ["Cid", "Ann"]),
        ({"city": ["Bonn", "Aachen"]}, ["Cid", "Bob", "Ann"]),
        ({"city": None}, ["Dora"]),
        ({"score": 7.5}, ["Bob"]),
        ({"member": True}, ["Ann"]),
        ({"member": False}, ["Bob"]),
        ({"since": "2025-06-01"}, ["Bob"]),
        ({"colours": "red"}, ["Bob", "Ann"]),
        ({"colours": "blue"}, ["Bob"]),
        ({"tags.name": "VIP"}, ["Cid", "Ann"]),
        ({"category.name": "Customer"}, ["Cid"]),
        ({"category": None}, ["Dora", "Bob", "Ann"]),
        ({"unsubscribed": False}, ["Dora", "Cid", "Bob", "Ann"]),
        ({"contactNumber": "+491701000004"}, ["Dora"]),
    ],
)
def test_filters_by_system_and_custom_fields(
    cast: Cast, people: dict[str, str], filters: dict[str, Any], expected: list[str]
) -> None:
    assert names(cast, filters=filters) == expected


def test_filters_by_ids_of_labels_and_by_ranges(cast: Cast, people: dict[str, str]) -> None:
    assert names(cast, filters={"tags": people["press"]}) == ["Cid"]
    assert names(cast, filters={"category": people["customer"]}) == ["Cid"]
    tree = {"operator": "and", "conditions": [{"field": "score", "operator": "greaterThan", "value": 5}]}
    assert names(cast, advancedFilters=tree) == ["Bob"]
    recent = {"field": "since", "operator": "after", "value": "2026-01-01"}
    somewhere = {"field": "city", "operator": "contains", "value": "ACH"}
    assert names(cast, advancedFilters={"operator": "or", "conditions": [recent, somewhere]}) == ["Bob", "Ann"]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ({"sortBy": "name", "sortOrder": "asc"}, ["Ann", "Bob", "Cid", "Dora"]),
        ({"sortBy": "city,name", "sortOrder": "asc,desc"}, ["Bob", "Cid", "Ann", "Dora"]),
        ({"sortBy": "score"}, ["Bob", "Ann", "Dora", "Cid"]),
        ({"sortBy": "member", "sortOrder": "asc"}, ["Bob", "Ann", "Cid", "Dora"]),
        ({"sortBy": "since", "sortOrder": "asc"}, ["Bob", "Ann", "Cid", "Dora"]),
        ({"sortBy": "createdBy.name,email", "sortOrder": "asc,asc"}, ["Ann", "Bob", "Cid", "Dora"]),
        ({"sortBy": "category.name", "sortOrder": "asc"}, ["Cid", "Ann", "Bob", "Dora"]),
    ],
)
def test_sorts_by_system_and_custom_fields(
    cast: Cast, people: dict[str, str], sort: dict[str, str], expected: list[str]
) -> None:
    assert names(cast, **sort) == expected
    first = cast.key.get("/contact", cursorPagination="true", n="2", **sort)
    second = cast.key.get("/contact", n="2", cursor=first.body["nextCursor"], **sort)
    assert [found["name"] for found in (*first.data, *second.data)] == expected


def test_searches_name_email_and_number_whatever_the_case(cast: Cast, people: dict[str, str]) -> None:
    assert names(cast, searchValue="ANN2@") == ["Bob"]
    assert names(cast, searchValue="dor") == ["Dora"]
    assert names(cast, searchValue="1000003") == ["Cid"]
    assert names(cast, searchBy="city", searchValue="aac") == ["Bob"]
    assert names(cast, searchBy="tags.name", searchValue="press") == ["Cid"]
    assert names(cast, searchValue="nobody") == []


def test_hides_the_deleted_and_other_companies(cast: Cast, outsiders: Cast, people: dict[str, str]) -> None:
    outsiders.key.post("/contact", {"formData": form(1, name="Foreign")})
    cast.key.delete("/contact", {"ids": [people["Ann"]]})
    assert names(cast) == ["Dora", "Cid", "Bob"]
    assert names(outsiders) == ["Foreign"]
    assert names(outsiders, ids=people["Bob"]) == []
    refused = outsiders.key.get("/contact", filters={"city": "Bonn"})
    assert (refused.status, refused.body["message"]) == (400, "This request is not possible.")


def test_those_with_a_custom_value_are_counted_once_and_without_the_deleted(cast: Cast, people: dict[str, str]) -> None:
    def total(**filters: list[str]) -> int:
        found: int = cast.key.get("/contact", p="1", n="1", filters=filters).body["totalCount"]
        return found

    assert total(colours=["red", "blue"]) == 2, "Bob has both"
    asked = {"n": "2", "filters": {"city": ["Bonn", "Aachen"]}, "sortBy": "city", "sortOrder": "asc"}
    first = cast.key.get("/contact", p="1", **asked)
    second = cast.key.get("/contact", cursor=first.body["nextCursor"], **asked)
    assert [found["name"] for found in (*first.data, *second.data)] == ["Bob", "Ann", "Cid"]
    assert (first.body["totalCount"], second.body["totalCount"]) == (3, 3)
    cast.key.delete("/contact", {"ids": [people["Ann"]]})
    assert total(city=["Bonn", "Aachen"]) == 2


@pytest.mark.parametrize(
    "query",
    [
        {"filters": {"planet": "Mars"}},
        {"filters": {"score": "many"}},
        {"filters": {"tags": "x"}},
        {"filters": {"createdAt": "soon"}},
        {"sortBy": "tags"},
        {"sortBy": "colours"},
        {"sortBy": "formData"},
        {"searchBy": "score", "searchValue": "x"},
        {"cursor": "x", "n": "1"},
        {"n": "0", "p": "1"},
        {"surprise": "1"},
    ],
)
def test_a_malformed_query_is_a_400(cast: Cast, people: dict[str, str], query: dict[str, Any]) -> None:
    answer = cast.key.get("/contact", **query)
    assert answer.status == 400
    assert answer.body["success"] is False


def test_a_role_with_get_may_list_through_the_session_path(cast: Cast, people: dict[str, str]) -> None:
    assert [found["name"] for found in cast.narrow_session.get("/contact").data] == ["Dora", "Cid", "Bob", "Ann"]


def test_the_number_of_statements_does_not_grow_with_the_page(cast: Cast, people: dict[str, str]) -> None:
    with cast.scope():
        ContactFactory.create_batch(30)
    counts = []
    for size in ("2", "20"):
        with CaptureQueriesContext(connection) as queries:
            cast.key.get("/contact", p="1", n=size, sortBy="name")
        counts.append(len(queries))
    assert counts[0] == counts[1]
    with CaptureQueriesContext(connection) as queries:
        cast.key.get("/contact", p="1", n="4")
    statements = [query["sql"] for query in queries if "crm_contact" in query["sql"]]
    assert len(statements) == 3  # the ids, the page and the count
