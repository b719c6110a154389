"""PUT and DELETE /contact"""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Event
from crm.models import Contact, ContactTag, CustomFieldValue
from tests.crm.contacts.helpers import add_field, form
from tests.kit.cast import Cast
from tests.kit.factories import ContactCategoryFactory, TagFactory


@pytest.fixture
def ids(cast: Cast) -> list[str]:
    """Three contacts."""
    with cast.scope():
        add_field("city")
        add_field("colours", "multi-select", "array", options=["red", "blue", "green"])
        add_field("scores", "text", "array")
    items = [
        form(1, name="Ann", city="Bonn", colours=["red"]),
        form(2, name="Bob", colours=["red", "blue"]),
        form(3, name="Cid"),
    ]
    return [found["_id"] for found in cast.key.post("/contact/bulk", {"formData": items}).data["created"]]


def values(cast: Cast, key: str) -> list[Any]:
    return [found["formData"].get(key) for found in cast.key.get("/contact", sortBy="name", sortOrder="asc").data]


def test_set_gives_all_the_same_values(cast: Cast, ids: list[str]) -> None:
    with cast.scope():
        category = ContactCategoryFactory()
    answer = cast.key.put(
        "/contact", {"ids": ids[:2], "formData": {"city": "Bonn", "name": "Team"}, "category": category.pk}
    )
    assert (answer.status, answer.data) == (200, {"matchedCount": 2, "updatedCount": 2})
    assert values(cast, "name") == ["Cid", "Team", "Team"]
    assert values(cast, "city") == [None, "Bonn", "Bonn"]
    again = cast.key.put("/contact", {"ids": ids[:2], "formData": {"city": "Bonn"}, "category": category.pk})
    assert again.data == {"matchedCount": 2, "updatedCount": 0}
    assert cast.key.get("/contact", filters={"city": "Bonn"}).body["totalCount"] == 2
    with cast.scope():
        events = list(Event.objects.filter(kind="contact.updated"))
        assert sorted(event.object_id for event in events) == sorted(ids[:2])
        category_given = {"from": None, "to": category.pk}
        assert {event.object_id: event.payload["changes"] for event in events} == {
            ids[0]: {"name": {"from": "Ann", "to": "Team"}, "category": category_given},
            ids[1]: {
                "name": {"from": "Bob", "to": "Team"},
                "city": {"from": None, "to": "Bonn"},
                "category": category_given,
            },
        }


def test_null_empties_a_value_in_set_and_clear_empties_what_is_named(cast: Cast, ids: list[str]) -> None:
    assert cast.key.put("/contact", {"ids": ids, "formData": {"city": None}}).data == {
        "matchedCount": 3,
        "updatedCount": 1,
    }
    assert values(cast, "city") == [None, None, None]
    cleared = cast.key.put(
        "/contact", {"selectAll": True, "formData": {"colours": 1, "name": 1}, "updateType": "clear"}
    )
    assert cleared.data == {"matchedCount": 3, "updatedCount": 3}
    assert values(cast, "colours") == [None, None, None]
    with cast.scope():
        assert not CustomFieldValue.objects.exists()


def test_append_and_remove_items(cast: Cast, ids: list[str]) -> None:
    answer = cast.key.put("/contact", {"ids": ids, "formData": {"colours": ["blue"]}, "updateType": "append"})
    assert answer.data == {"matchedCount": 3, "updatedCount": 2}
    assert values(cast, "colours") == [["red", "blue"], ["red", "blue"], ["blue"]]
    assert cast.key.get("/contact", filters={"colours": "blue"}).body["totalCount"] == 3
    answer = cast.key.put("/contact", {"ids": ids, "formData": {"colours": "blue"}, "updateType": "remove"})
    assert answer.data == {"matchedCount": 3, "updatedCount": 3}
    assert values(cast, "colours") == [["red"], ["red"], None]
    assert cast.key.get("/contact", filters={"colours": "blue"}).body["totalCount"] == 0
    cast.key.put("/contact", {"ids": ids[:1], "formData": {"scores": [1, "1", True]}, "updateType": "append"})
    cast.key.put("/contact", {"ids": ids[:1], "formData": {"scores": [1]}, "updateType": "remove"})
    assert values(cast, "scores")[0] == ["1", True]


def test_tags_are_set_appended_removed_and_cleared(cast: Cast, ids: list[str]) -> None:
    with cast.scope():
        one, two = TagFactory(name="1"), TagFactory(name="2")

    def change(kind: str, tags: list[str]) -> tuple[int, list[list[str]]]:
        answer = cast.key.put("/contact", {"ids": ids, "tags": tags, "updateType": kind})
        rows = cast.key.get("/contact", sortBy="name", sortOrder="asc").data
        return answer.data["updatedCount"], [[tag["name"] for tag in row["tags"]] for row in rows]

    cast.key.put("/contact", {"ids": ids[:1], "tags": [one.pk]})
    assert change("append", [one.pk]) == (2, [["1"], ["1"], ["1"]])
    assert change("append", [two.pk]) == (3, [["1", "2"]] * 3)
    assert change("set", [two.pk]) == (3, [["2"]] * 3)
    assert change("set", [two.pk]) == (0, [["2"]] * 3)
    assert change("remove", [one.pk, two.pk]) == (3, [[]] * 3)
    assert change("append", [one.pk]) == (3, [["1"]] * 3)
    assert change("clear", []) == (3, [[]] * 3)
    with cast.scope():
        assert not ContactTag.objects.exists()


def test_select_all_acts_on_what_matches_the_query_string(cast: Cast, ids: list[str]) -> None:
    answer = cast.key.put(
        "/contact", {"selectAll": True, "nids": [ids[1]], "formData": {"city": "Ulm"}}, filters={"colours": "red"}
    )
    assert answer.data == {"matchedCount": 1, "updatedCount": 1}
    assert values(cast, "city") == ["Ulm", None, None]


REFUSALS: list[tuple[dict[str, Any], str | None]] = [
    ({"formData": {"email": "x@example.com"}}, "You can't change a record's unique values here."),
    (
        {"formData": {"number": "1", "countryCode": "+49"}},
        "You can't change a record's unique values here.",
    ),
    (
        {"formData": {"email": 1}, "updateType": "clear"},
        "You can't change a record's unique values here.",
    ),
    ({"contactUniqueKey": "email"}, "You can't change a record's unique values here."),
    ({"formData": {"city": "x"}, "unchangedSince": "2026-01-01T00:00:00Z"}, None),
    ({"formData": {"planet": 1}}, "Field not found in your company."),
    ({"formData": {"city": True}}, "The value of a field is not valid."),
    ({"formData": {"colours": ["pink"]}}, "The value of a field is not valid."),
    ({"formData": {"city": "x"}, "updateType": "append"}, "The value of a field is not valid."),
    ({"formData": {"name": "x"}, "updateType": "append"}, "The value of a system field is not valid."),
    ({}, "The request is not complete or has wrong values."),
    ({"tags": ["65a1b2c3d4e5f60718293a4b"]}, "Tag not found."),
    ({"category": "65a1b2c3d4e5f60718293a4b"}, "Category not found."),
    ({"formData": {"city": "x"}, "updateType": "multiply"}, None),
    ({"formData": {"city": "x"}, "ids": ["x"]}, "Invalid format for field ids: x"),
    ({"formData": {"city": "x"}, "surprise": 1}, None),
]


def test_refusals_change_nothing(cast: Cast, ids: list[str], subtests: pytest.Subtests) -> None:
    before = cast.key.get("/contact").data
    for body, message in REFUSALS:
        with subtests.test(str(body)):
            answer = cast.key.put("/contact", {"ids": ids, **body})
            assert answer.status == 400
            assert message in (None, answer.body["message"])
            assert cast.key.get("/contact").data == before


def test_other_companies_are_out_of_reach(cast: Cast, outsiders: Cast, ids: list[str]) -> None:
    with outsiders.scope():
        add_field("city")
    mine = outsiders.key.post("/contact", {"formData": form(1, name="Own")}).data["_id"]
    foreign = outsiders.key.put("/contact", {"ids": ids, "formData": {"city": "Ulm"}})
    assert (foreign.status, foreign.body["message"]) == (400, "Contact not found.")
    assert outsiders.key.put("/contact", {"ids": [*ids, mine], "formData": {"city": "Ulm"}}).data["matchedCount"] == 1
    assert outsiders.key.put("/contact", {"selectAll": True, "formData": {"city": "Aachen"}}).data["matchedCount"] == 1
    assert outsiders.key.delete("/contact", {"ids": ids}).body["message"] == "Contact not found."
    assert outsiders.key.delete("/contact", {"selectAll": True}).data == {"deletedCount": 1}
    assert values(cast, "city") == ["Bonn", None, None]


def test_delete_is_soft_and_told(cast: Cast, ids: list[str]) -> None:
    answer = cast.key.delete("/contact", {"ids": ids[:2], "automation": "skip"})
    assert (answer.status, answer.data) == (200, {"deletedCount": 2})
    assert [found["name"] for found in cast.key.get("/contact").data] == ["Cid"]
    again = cast.key.delete("/contact", {"ids": ids[:2]})
    assert (again.status, again.body["message"]) == (400, "Contact not found.")
    with cast.scope():
        assert (
            Contact.objects.filter(is_deleted=True, deleted_at__isnull=False, updated_by_id=cast.owner.pk).count() == 2
        )
        assert sorted(Event.objects.filter(kind="contact.deleted").values_list("object_id", "automation")) == sorted(
            (id, False) for id in ids[:2]
        )


def test_delete_needs_a_selection_and_a_permission(cast: Cast, ids: list[str]) -> None:
    assert cast.key.delete("/contact", {}).status == 400
    assert cast.key.delete("/contact").status == 400
    assert cast.key.delete("/contact", {"ids": ids, "surprise": 1}).status == 400
    assert cast.narrow_session.delete("/contact", {"ids": ids}).status == 403
    assert cast.narrow_session.put("/contact", {"ids": ids, "formData": {"city": "x"}}).status == 403
    assert cast.session.delete("/contact", {"selectAll": True}, searchValue="ann1").data == {"deletedCount": 1}
    assert cast.key.get("/contact").body["totalCount"] == 2
