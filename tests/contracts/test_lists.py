"""The contract's own sentences about lists and limits (sections 4.1 and 8), on contacts."""

from __future__ import annotations

from typing import Any

import pytest

from core.ids import new_id
from core.lists.query import ListQuery
from crm.models import Contact
from tests.guards.routes import operations
from tests.kit.cast import KEY, Cast
from tests.kit.factories import ContactFactory


@pytest.fixture
def names(cast: Cast) -> list[str]:
    """Seven contacts, a to g, in the order in which they were made."""
    with cast.scope():
        for name in "abcdefg":
            ContactFactory(name=name)
    return list("abcdefg")


def read(answer: Any) -> list[str]:
    assert answer.status == 200, answer.body
    return [row["name"] for row in answer.data]


def test_pagination_applies_only_when_both_p_and_n_are_sent(cast: Cast, names: list[str]) -> None:
    assert read(cast.key.get("/contact", p="2", n="3")) == ["d", "c", "b"]
    for query in ({}, {"p": "2"}, {"n": "3"}):
        answer = cast.key.get("/contact", **query)
        assert read(answer) == names[::-1]
        assert (answer.body["totalCount"], answer.body["nextCursor"]) == (7, None)


def test_in_cursor_mode_n_is_still_required(cast: Cast, names: list[str]) -> None:
    refused = cast.key.get("/contact", cursorPagination="true")
    assert refused.status == 400
    assert "n" in refused.body["warning"].split(":")[0]
    assert read(cast.key.get("/contact", cursorPagination="true", n="2")) == ["g", "f"]


def walk(cast: Cast, **query: str) -> list[str]:
    """All pages by cursor: the first one in cursor mode, the next by passing nextCursor back unchanged."""
    page = cast.key.get("/contact", cursorPagination="true", **query)
    seen = read(page)
    while page.body["nextCursor"] is not None:
        page = cast.key.get("/contact", cursor=page.body["nextCursor"], **query)
        seen += read(page)
        assert len(seen) < 100
    return seen


@pytest.mark.parametrize("size", ["1", "2", "3", "7", "8"])
def test_next_cursor_is_passed_back_unchanged_and_null_on_the_last_page(
    cast: Cast, names: list[str], size: str
) -> None:
    assert walk(cast, n=size) == names[::-1]
    assert walk(cast, n=size, sortBy="name", sortOrder="asc") == names


def test_a_cursor_alone_implies_cursor_mode(cast: Cast, names: list[str]) -> None:
    first = cast.key.get("/contact", p="1", n="3")
    assert read(cast.key.get("/contact", cursor=first.body["nextCursor"], n="3")) == ["d", "c", "b"]


def test_a_cursor_belongs_to_its_query(cast: Cast, names: list[str]) -> None:
    cursor = cast.key.get("/contact", p="1", n="3").body["nextCursor"]
    for query in ({"searchValue": "a"}, {"sortBy": "name"}, {"filters": {"name": "a"}}):
        assert cast.key.get("/contact", cursor=cursor, n="3", **query).status == 400
    for bad in ("x", cursor[:-4], "e30", "%", "a" * 5000):
        assert cast.key.get("/contact", cursor=bad, n="3").status == 400


def test_cursor_pages_are_stable_while_records_are_written(cast: Cast, names: list[str]) -> None:
    page = cast.key.get("/contact", cursorPagination="true", n="3")
    with cast.scope():
        ContactFactory(name="new")
        Contact.objects.filter(name="g").update(is_deleted=True)
    seen = read(page)
    while page.body["nextCursor"]:
        page = cast.key.get("/contact", cursor=page.body["nextCursor"], n="3")
        seen += read(page)
    assert seen == names[::-1]


def test_the_default_sort_is_created_at_then_name_descending(cast: Cast, names: list[str]) -> None:
    with cast.scope():
        moment = Contact.objects.order_by("created_at").first().created_at
        Contact.objects.update(created_at=moment)
        for contact in Contact.objects.filter(name__in=("c", "e")):
            Contact.objects.filter(pk=contact.pk).update(name="same")
    assert read(cast.key.get("/contact")) == ["same", "same", "g", "f", "d", "b", "a"]


def test_sorts_apply_left_to_right_and_the_id_breaks_ties(cast: Cast) -> None:
    with cast.scope():
        made = [
            ContactFactory(name=name, country_code=code).pk
            for name, code in (("x", "+2"), ("y", "+1"), ("x", "+1"), ("x", "+1"))
        ]
    query = {"sortBy": "name,countryCode", "sortOrder": "asc,desc"}
    for pages in ({}, {"p": "1", "n": "10"}):
        rows = cast.key.get("/contact", **query, **pages).data
        assert [row["_id"] for row in rows] in (
            [made[0], made[2], made[3], made[1]],
            [made[0], made[3], made[2], made[1]],
        )
    same = [row["_id"] for row in cast.key.get("/contact", **query).data]
    one_by_one = [cast.key.get("/contact", p=str(page), n="1", **query).data[0]["_id"] for page in (1, 2, 3, 4)]
    assert one_by_one == same


def test_the_page_size_is_capped_at_100000() -> None:
    from crm.contacts.filters import CONTACT_FIELDS

    query = ListQuery.parse({"p": "1", "n": "5000000"}, CONTACT_FIELDS)
    assert query.size == 100_000


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("p", "0"),
        ("p", "x"),
        ("n", "-1"),
        ("n", "1e3"),
        ("p", "9" * 40),
        ("sortBy", "nothing"),
        ("sortOrder", "up"),
        ("searchBy", "nothing"),
        ("filters", "{"),
        ("filters", "[]"),
        ("filters", '{"nothing": 1}'),
        ("filters", '{"createdAt": "yesterday"}'),
        ("advancedFilters", '{"operator": "xor", "conditions": []}'),
        (
            "advancedFilters",
            '{"operator": "and", "conditions": [{"field": "name", "operator": "greaterThan", "value": 1}]}',
        ),
        ("cursorPagination", "maybe"),
        ("colour", "red"),
    ],
)
def test_a_malformed_parameter_is_400_and_named(cast: Cast, parameter: str, value: str) -> None:
    query = {"p": "1", "n": "10", parameter: value}
    answer = cast.key.get("/contact", **query)
    assert (answer.status, answer.body["message"]) == (400, "This request is not possible.")
    assert parameter in answer.body["warning"]


def test_malformed_ids_in_the_query(cast: Cast) -> None:
    for parameter in ("ids", "nids"):
        assert (
            cast.key.get("/contact", **{parameter: "zz"}).body["message"] == f"Invalid format for field {parameter}: zz"
        )


def test_ids_and_nids(cast: Cast, names: list[str]) -> None:
    with cast.scope():
        ids = dict(Contact.objects.values_list("name", "pk"))
    assert read(cast.key.get("/contact", ids=f"{ids['a']},{ids['c']},{new_id()}")) == ["c", "a"]
    assert read(cast.key.get("/contact", nids=f"{ids['a']},{ids['c']}")) == ["g", "f", "e", "d", "b"]


def test_search_filters_and_advanced_filters(cast: Cast, names: list[str]) -> None:
    assert read(cast.key.get("/contact", searchBy="name", searchValue="A")) == ["a"]
    assert read(cast.key.get("/contact", filters={"name": ["a", "b", "z"]})) == ["b", "a"]
    without_number = {"field": "number", "operator": "isEmpty"}
    inner = {
        "operator": "and",
        "conditions": [{"field": "name", "operator": "in", "value": ["d", "e"]}, without_number],
    }
    tree = {"operator": "or", "conditions": [{"field": "name", "operator": "startsWith", "value": "C"}, inner]}
    assert read(cast.key.get("/contact", advancedFilters=tree)) == ["e", "d", "c"]


def test_each_word_of_a_search_stands_somewhere(cast: Cast) -> None:
    with cast.scope():
        ContactFactory(name="Lea Berg", email="lead1@example.com", contact_number="+491701234567")
        ContactFactory(name="Lea Tal", email="other@example.com", contact_number="+491709994567")
    for text, found in (
        ("Lea lead1@", ["Lea Berg"]),
        ("lead1@ LEA", ["Lea Berg"]),
        (" berg  lea ", ["Lea Berg"]),
        ("lea", ["Lea Tal", "Lea Berg"]),
        ("lea 4567", ["Lea Tal", "Lea Berg"]),
        ("lea nobody", []),
        ("0170 123", ["Lea Berg"]),
        ("0170 4567", []),
        (" ", ["Lea Tal", "Lea Berg"]),
        ("lea t", ["Lea Tal"]),
    ):
        assert read(cast.key.get("/contact", searchValue=text)) == found, text
    assert read(cast.key.get("/contact", searchValue="lea other@", searchBy="name")) == []
    assert read(cast.key.get("/contact", searchValue="lea other@", searchBy="name,email")) == ["Lea Tal"]
    assert cast.key.delete("/contact", {"selectAll": True}, searchValue="lea tal").data == {"deletedCount": 1}


OWN_ORDER = {
    "ai-crm-chat",
    "contact/import/<str:id>/errors",
    "conversation/<str:id>/messages",
    "inbox",
    "lead/import/<str:id>/errors",
    "organization/import/<str:id>/errors",
}
"""Lists in an order of their own (docs/deviations.md)."""


def test_every_list_is_sorted_by_its_creation_at_first() -> None:
    found = {
        one.path.removeprefix(KEY[1:] + "/"): one.listing.fields.default_sort
        for one in operations(KEY[1:] + "/")
        if one.listing
    }
    assert len(found) > 25
    assert {path for path, sort in found.items() if sort not in (("createdAt",), ("createdAt", "name"))} == OWN_ORDER


def item(n: int) -> dict[str, str]:
    return {"email": f"bulk{n}@example.com", "countryCode": "+49", "number": f"1511{n:07d}"}


def test_bulk_create_takes_500_and_refuses_501(cast: Cast) -> None:
    refused = cast.key.post("/contact/bulk", {"formData": [item(n) for n in range(501)]})
    assert (refused.status, refused.body["message"]) == (400, "The request is not complete or has wrong values.")
    with cast.scope():
        assert Contact.objects.count() == 0
    made = cast.key.post("/contact/bulk", {"formData": [item(n) for n in range(500)]})
    assert (made.status, len(made.data["created"]), made.data["failed"]) == (200, 500, [])


def test_bulk_create_reports_failures_inside_a_200(cast: Cast) -> None:
    answer = cast.key.post("/contact/bulk", {"formData": [item(1), item(1), {"email": "not one"}, item(2)]})
    assert answer.status == 200
    assert [row["email"] for row in answer.data["created"]] == ["bulk1@example.com", "bulk2@example.com"]
    assert [(row["index"], row["name"]) for row in answer.data["failed"]][0] == (1, "ContactAlreadyExists_400")
    assert [row["index"] for row in answer.data["failed"]] == [1, 2]


def test_deletes_are_soft_and_the_record_is_no_longer_returned(cast: Cast, names: list[str]) -> None:
    with cast.scope():
        ids = dict(Contact.objects.values_list("name", "pk"))
    assert cast.key.delete("/contact", {"ids": [ids["a"], ids["b"]]}).status == 200
    assert (
        cast.key.delete("/contact", {"selectAll": True, "nids": [ids["g"]]}, searchBy="name", searchValue="g").status
        == 200
    )
    assert read(cast.key.get("/contact")) == ["g", "f", "e", "d", "c"]
    with cast.scope():
        assert Contact.objects.filter(is_deleted=True).count() == 2
    assert cast.key.get(f"/contact/{ids['a']}").body["message"] == "Contact not found."
