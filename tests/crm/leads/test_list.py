"""GET /lead"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crm.models import File, Import, Lead, ProductService
from tests.crm.leads.helpers import default_team, lead_field, make, member, product, team_of
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import TagFactory
from tests.kit.rows import kept_for_module

pytestmark = pytest.mark.django_db


def make_world(cast: Cast) -> dict[str, str]:
    """Four leads, of Ann, Bob, Cid and Dora, with relations of all kinds: name -> _id."""
    with cast.scope():
        hot, cold = TagFactory(name="Hot"), TagFactory(name="Cold")
        roof, cellar, attic = product("Roof"), product("Cellar"), product("Attic")
        sam, tom = member(name="Sam", email="sam@example.net"), member(name="Tom", email="tom@example.net")
        north, south = team_of("North", sam), team_of("South", tom)
        default_team()
        lead_field("region")
        lead_field("budget", "number", "number")
        lead_field("urgent", "checkbox", "boolean")
        lead_field("colours", "multi-select", "array", options=["red", "blue"])
    bodies: list[dict[str, Any]] = [
        {
            "formData": {
                "name": "Ann",
                "region": "north",
                "budget": 5,
                "urgent": True,
                "colours": ["red"],
                "value": 10,
            },
            "tags": [hot.pk],
            "productServices": [roof.pk, cellar.pk],
            "team": north.pk,
            "teamMember": sam.pk,
        },
        {
            "formData": {
                "name": "Bob",
                "region": "south",
                "budget": 7.5,
                "urgent": False,
                "colours": ["red", "blue"],
                "status": "won",
            },
            "productServices": [attic.pk],
            "team": south.pk,
            "teamMember": tom.pk,
        },
        {
            "formData": {"name": "Cid", "region": "north", "source": "event", "value": 2.5, "notes": "Calls on Monday"},
            "tags": [hot.pk, cold.pk],
            "team": south.pk,
        },
        {
            "formData": {"name": "Dora", "status": "lost"},
            "productServices": [roof.pk],
            "team": north.pk,
            "teamMember": tom.pk,
        },
    ]
    made = {body["formData"]["name"]: make(cast, n, **body)["_id"] for n, body in enumerate(bodies, start=1)}
    with cast.scope():
        for name, file in (("Ann", "b.csv"), ("Dora", "a.csv")):
            job = Import.objects.create(
                file=File.objects.create(name=file, size=1, mime="text/csv", path=file), import_type="lead"
            )
            Lead.objects.filter(pk=made[name]).update(import_job=job)
            made[file] = job.pk
    return {**made, "hot": hot.pk, "cold": cold.pk, "roof": roof.pk, "north": north.pk, "sam": sam.pk, "tom": tom.pk}


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Cast, dict[str, str]]]:
    with kept_for_module(django_db_blocker):
        cast = make_cast()
        yield cast, make_world(cast)


@pytest.fixture
def cast(kept: tuple[Cast, dict[str, str]]) -> Cast:
    return kept[0]


@pytest.fixture
def world(kept: tuple[Cast, dict[str, str]]) -> dict[str, str]:
    return kept[1]


def names(cast: Cast, **query: Any) -> list[str]:
    answer = cast.key.get("/lead", **query)
    assert answer.status == 200, answer.body
    assert answer.body["totalCount"] == len(answer.data)
    return [found["contact"]["name"] for found in answer.data]


def test_newest_first_whole_set_and_pages(cast: Cast, world: dict[str, str]) -> None:
    assert names(cast) == ["Dora", "Cid", "Bob", "Ann"]
    page = cast.key.get("/lead", p="1", n="3")
    assert [found["contact"]["name"] for found in page.data] == ["Dora", "Cid", "Bob"]
    assert page.body["totalCount"] == 4
    after = cast.key.get("/lead", n="3", cursor=page.body["nextCursor"])
    assert [found["contact"]["name"] for found in after.data] == ["Ann"]
    assert after.body["nextCursor"] is None


def test_an_element_is_what_reading_it_answers(cast: Cast, world: dict[str, str]) -> None:
    for found in cast.key.get("/lead").data:
        assert found == cast.key.get(f"/lead/{found['_id']}").data
    ann = cast.key.get("/lead", ids=world["Ann"]).data[0]
    assert ann["importId"]["_id"] == world["b.csv"]
    assert ann["importId"]["file"]["name"] == "b.csv"
    assert ann["teamMember"] == {"_id": world["sam"], "name": "Sam", "email": "sam@example.net"}


NOT_ANN = ["Dora", "Cid", "Bob"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"contact.name": "Ann"}, ["Ann"]),
        ({"contact.email": "ANN2@example.com"}, ["Bob"]),
        ({"contact.contactNumber": "+491701000004"}, ["Dora"]),
        ({"status": "new"}, ["Cid", "Ann"]),
        ({"status": ["won", "lost"]}, ["Dora", "Bob"]),
        ({"source": "event"}, ["Cid"]),
        ({"value": 2.5}, ["Cid"]),
        ({"value": None}, ["Dora", "Bob"]),
        ({"productServices.name": "Roof"}, ["Dora", "Ann"]),
        ({"productServices.name": "Cellar"}, ["Ann"]),
        ({"productServices.name": None}, ["Cid"]),
        ({"team.name": "North"}, ["Dora", "Ann"]),
        ({"teamMember.name": "Tom"}, ["Dora", "Bob"]),
        ({"teamMember.email": "sam@example.net"}, ["Ann"]),
        ({"teamMember": None}, ["Cid"]),
        ({"tags.name": "Hot"}, ["Cid", "Ann"]),
        ({"importId": None}, ["Cid", "Bob"]),
        ({"importId.file.name": "a.csv"}, ["Dora"]),
        ({"region": "north"}, ["Cid", "Ann"]),
        ({"budget": 7.5}, ["Bob"]),
        ({"urgent": True}, ["Ann"]),
        ({"colours": "blue"}, ["Bob"]),
    ],
)
def test_filters(cast: Cast, world: dict[str, str], filters: dict[str, Any], expected: list[str]) -> None:
    assert names(cast, filters=filters) == expected


def test_filters_by_ids_and_by_ranges(cast: Cast, world: dict[str, str]) -> None:
    assert names(cast, filters={"productServices": world["roof"]}) == ["Dora", "Ann"]
    assert names(cast, filters={"tags": world["cold"]}) == ["Cid"]
    assert names(cast, filters={"team": world["north"], "teamMember": world["tom"]}) == ["Dora"]
    assert names(cast, filters={"createdBy": cast.owner.pk, "importId": world["b.csv"]}) == ["Ann"]
    ann = cast.key.get("/lead", ids=world["Ann"]).data[0]
    assert names(cast, filters={"contact": ann["contact"]["_id"]}) == ["Ann"]
    rich = {"field": "value", "operator": "greaterThan", "value": 5}
    other = {"field": "productServices.name", "operator": "startsWith", "value": "att"}
    assert names(cast, advancedFilters={"operator": "or", "conditions": [rich, other]}) == ["Bob", "Ann"]
    none = {"field": "productServices.name", "operator": "notContains", "value": "roof"}
    assert names(cast, advancedFilters=none) == ["Cid", "Bob"]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ({"sortBy": "contact.name", "sortOrder": "asc"}, ["Ann", "Bob", "Cid", "Dora"]),
        ({"sortBy": "contact.email", "sortOrder": "desc"}, ["Dora", "Cid", "Bob", "Ann"]),
        ({"sortBy": "contact.contactNumber", "sortOrder": "asc"}, ["Ann", "Bob", "Cid", "Dora"]),
        ({"sortBy": "productServices.name", "sortOrder": "asc"}, ["Bob", "Ann", "Dora", "Cid"]),
        ({"sortBy": "productServices.name", "sortOrder": "desc"}, ["Dora", "Ann", "Bob", "Cid"]),
        ({"sortBy": "team.name,contact.name", "sortOrder": "asc,desc"}, ["Dora", "Ann", "Cid", "Bob"]),
        ({"sortBy": "teamMember.name,contact.name", "sortOrder": "desc,asc"}, ["Bob", "Dora", "Ann", "Cid"]),
        ({"sortBy": "teamMember.email,contact.name", "sortOrder": "asc,asc"}, ["Ann", "Bob", "Dora", "Cid"]),
        ({"sortBy": "createdBy.name,createdAt", "sortOrder": "asc,asc"}, ["Ann", "Bob", "Cid", "Dora"]),
        ({"sortBy": "createdBy.email,createdAt", "sortOrder": "asc,desc"}, ["Dora", "Cid", "Bob", "Ann"]),
        (
            {"sortBy": "updatedBy.name,updatedBy.email,createdAt", "sortOrder": "asc,asc,asc"},
            ["Ann", "Bob", "Cid", "Dora"],
        ),
        ({"sortBy": "importId,contact.name", "sortOrder": "asc,asc"}, ["Ann", "Dora", "Bob", "Cid"]),
        ({"sortBy": "importId.file.name,contact.name", "sortOrder": "asc,asc"}, ["Dora", "Ann", "Bob", "Cid"]),
        ({"sortBy": "status,contact.name", "sortOrder": "asc,asc"}, ["Dora", "Ann", "Cid", "Bob"]),
        ({"sortBy": "value", "sortOrder": "asc"}, ["Cid", "Ann", "Bob", "Dora"]),
        ({"sortBy": "region,contact.name", "sortOrder": "asc,asc"}, ["Ann", "Cid", "Bob", "Dora"]),
        ({"sortBy": "budget", "sortOrder": "desc"}, ["Bob", "Ann", "Dora", "Cid"]),
    ],
)
def test_sorts(cast: Cast, world: dict[str, str], sort: dict[str, str], expected: list[str]) -> None:
    assert names(cast, **sort) == expected
    first = cast.key.get("/lead", cursorPagination="true", n="2", **sort)
    second = cast.key.get("/lead", n="2", cursor=first.body["nextCursor"], **sort)
    assert [found["contact"]["name"] for found in (*first.data, *second.data)] == expected
    assert names(cast, p="1", n="10", **sort) == expected


def test_the_first_product_follows_its_name(cast: Cast, world: dict[str, str]) -> None:
    with cast.scope():
        ProductService.objects.filter(pk=world["roof"]).update(name="Aardvark")
    assert names(cast, sortBy="productServices.name", sortOrder="asc") == ["Ann", "Dora", "Bob", "Cid"]
    assert names(cast, filters={"productServices.name": "Aardvark"}) == ["Dora", "Ann"]
    with cast.scope():
        ProductService.objects.filter(pk=world["roof"]).delete()
    assert names(cast, sortBy="productServices.name", sortOrder="asc") == ["Bob", "Ann", "Cid", "Dora"]


def test_searches_the_contact_whatever_the_case(cast: Cast, world: dict[str, str]) -> None:
    assert names(cast, searchValue="ANN2@") == ["Bob"]
    assert names(cast, searchValue="dor") == ["Dora"]
    assert names(cast, searchValue="1000003") == ["Cid"]
    assert names(cast, searchBy="notes", searchValue="monday") == ["Cid"]
    assert names(cast, searchBy="productServices.name,team.name", searchValue="ATTIC") == ["Bob"]
    assert names(cast, searchBy="region", searchValue="sou") == ["Bob"]


def test_hides_the_deleted_and_other_companies(cast: Cast, outsiders: Cast, world: dict[str, str]) -> None:
    make(outsiders, 1, formData={"name": "Foreign"})
    cast.key.delete("/lead", {"ids": [world["Ann"]]})
    assert names(cast) == NOT_ANN
    assert names(outsiders) == ["Foreign"]
    assert names(outsiders, ids=world["Bob"]) == []
    assert outsiders.key.get("/lead", filters={"region": "north"}).status == 400


def test_a_lead_of_a_deleted_contact_is_still_there(cast: Cast, world: dict[str, str]) -> None:
    ann = cast.key.get(f"/lead/{world['Ann']}").data
    cast.key.delete("/contact", {"ids": [ann["contact"]["_id"]]})
    assert cast.key.get(f"/lead/{world['Ann']}").data == {
        **ann,
        "contact": {**ann["contact"], "isDeleted": True},
    }


@pytest.mark.parametrize(
    "query",
    [
        {"filters": {"planet": "Mars"}},
        {"filters": {"value": "many"}},
        {"filters": {"team": "x"}},
        {"sortBy": "tags"},
        {"sortBy": "productServices"},
        {"sortBy": "colours"},
        {"sortBy": "formData"},
        {"searchBy": "value", "searchValue": "x"},
        {"cursor": "x", "n": "1"},
        {"surprise": "1"},
    ],
)
def test_a_malformed_query_is_a_400(cast: Cast, world: dict[str, str], query: dict[str, Any]) -> None:
    assert cast.key.get("/lead", **query).status == 400


def test_roles(cast: Cast) -> None:
    reader = make_cast({"lead": {"GET": True}})
    make(reader, 1)
    assert len(reader.narrow_session.get("/lead").data) == 1
    refused = cast.narrow_session.get("/lead")
    assert (refused.status, refused.body["warning"]) == (403, "your role lacks the permission lead.GET")


def test_the_number_of_statements_does_not_grow_with_the_page(cast: Cast, world: dict[str, str]) -> None:
    items = [
        {
            "name": f"Many {n}",
            "email": f"many{n}@example.com",
            "countryCode": "+49",
            "number": f"1511{n:07}",
            "region": "x",
        }
        for n in range(30)
    ]
    assert (
        len(
            cast.key.post(
                "/lead/bulk", {"formData": items, "productServices": [world["roof"]], "tags": [world["hot"]]}
            ).data["created"]
        )
        == 30
    )
    counts = []
    for size in ("2", "30"):
        with CaptureQueriesContext(connection) as queries:
            cast.key.get("/lead", p="1", n=size, sortBy="contact.name")
        counts.append(len(queries))
    assert counts[0] == counts[1]
    statements = [query["sql"] for query in queries if "crm_lead" in query["sql"]]
    assert len(statements) == 3, "one for the ids, one for the page and one for the total"
