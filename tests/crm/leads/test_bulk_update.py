"""PUT and DELETE /lead"""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Event
from crm.models import Contact, Lead, LeadProduct, LeadTag, LeadValue, Stage
from tests.crm.leads.helpers import lead_field, make, member, product, team_of
from tests.kit.cast import Cast
from tests.kit.factories import TagFactory

MISSING = "0" * 24


@pytest.fixture
def ids(cast: Cast) -> list[str]:
    """Three leads."""
    with cast.scope():
        lead_field("region")
        lead_field("colours", "multi-select", "array", options=["red", "blue", "green"])
        roof = product("Roof")
    return [
        make(cast, 1, formData={"region": "north", "colours": ["red"]}, productServices=[roof.pk])["_id"],
        make(cast, 2, formData={"status": "qualified", "colours": ["red", "blue"]})["_id"],
        make(cast, 3, formData={"value": 5})["_id"],
    ]


def listed(cast: Cast, *path: str) -> list[Any]:
    """Return one value of each lead, in the order in which they were made."""
    found = cast.key.get("/lead", sortOrder="asc").data
    for step in path:
        found = [item and item.get(step) for item in found]
    return found


def changes(cast: Cast) -> dict[str, Any]:
    with cast.scope():
        return {event.object_id: event.payload["changes"] for event in Event.objects.filter(kind="lead.updated")}


def test_set_gives_all_the_same_values_and_tells_what_each_had(cast: Cast, ids: list[str]) -> None:
    with cast.scope():
        seller, team, tag = member(), team_of("North"), TagFactory()
        before = dict(Lead.objects.values_list("pk", "status_changed_at"))
    body = {
        "formData": {"status": "qualified", "region": "north", "value": 9.5},
        "team": team.pk,
        "teamMember": seller.pk,
        "tags": [tag.pk],
    }
    answer = cast.key.put("/lead", {"ids": ids, **body})
    assert (answer.status, answer.data) == (200, {"matchedCount": 3, "updatedCount": 3})
    assert listed(cast, "status") == ["qualified"] * 3
    assert listed(cast, "value") == [9.5] * 3
    assert listed(cast, "formData", "region") == ["north"] * 3
    assert listed(cast, "team", "_id") == [team.pk] * 3
    assert listed(cast, "teamMember", "_id") == [seller.pk] * 3
    told = changes(cast)
    given = {
        "team": {"from": None, "to": team.pk},
        "teamMember": {"from": None, "to": seller.pk},
        "tags": {"to": [tag.pk]},
    }
    for found in told.values():
        found["team"]["from"] = None  # the default team, where the company has one
    with cast.scope():
        stages = dict(Stage.objects.values_list("status", "pk"))
    assert told[ids[0]].pop("stage") == {"from": stages["new"], "to": stages["qualified"]}
    assert told[ids[0]] == {"status": {"from": "new", "to": "qualified"}, "value": {"from": None, "to": 9.5}, **given}
    assert told[ids[1]] == {"region": {"from": None, "to": "north"}, "value": {"from": None, "to": 9.5}, **given}
    with cast.scope():
        after = dict(Lead.objects.values_list("pk", "status_changed_at"))
        assert [after[id] > before[id] for id in ids] == [True, False, True]
        assert LeadValue.objects.filter(field__name="region").count() == 3
    again = cast.key.put("/lead", {"ids": ids, **body})
    assert again.data == {"matchedCount": 3, "updatedCount": 0}


def test_append_and_remove_of_items_tags_and_products(cast: Cast, ids: list[str]) -> None:
    with cast.scope():
        tag, cellar = TagFactory(name="Hot"), product("Cellar")
        roof = LeadProduct.objects.get().product_service_id
    body = {"formData": {"colours": ["blue"]}, "tags": [tag.pk], "productServices": [cellar.pk, roof]}
    assert cast.key.put("/lead", {"ids": ids[:2], "updateType": "append", **body}).data == {
        "matchedCount": 2,
        "updatedCount": 2,
    }
    assert listed(cast, "formData", "colours") == [["red", "blue"], ["red", "blue"], None]
    assert [[item["name"] for item in items] for items in listed(cast, "productServices")] == [
        ["Cellar", "Roof"],
        ["Cellar", "Roof"],
        [],
    ]
    with cast.scope():
        assert list(Lead.objects.order_by("pk").values_list("first_product", flat=True)) == ["Cellar", "Cellar", None]
        assert LeadTag.objects.count() == 2
    removed = cast.key.put(
        "/lead", {"selectAll": True, "updateType": "remove", "productServices": [cellar.pk], "tags": [tag.pk]}
    )
    assert removed.data == {"matchedCount": 3, "updatedCount": 2}
    with cast.scope():
        assert list(Lead.objects.order_by("pk").values_list("first_product", flat=True)) == ["Roof", "Roof", None]
        assert not LeadTag.objects.exists()
        last = Event.objects.filter(kind="lead.updated").order_by("sequence").last()
        assert last.payload == {"changes": {"tags": {"removed": [tag.pk]}, "productServices": {"removed": [cellar.pk]}}}


def test_set_of_products_replaces_them_and_clear_empties(cast: Cast, ids: list[str]) -> None:
    with cast.scope():
        cellar = product("Cellar")
    assert cast.key.put("/lead", {"ids": ids, "productServices": [cellar.pk]}).data["updatedCount"] == 3
    assert [[item["name"] for item in items] for items in listed(cast, "productServices")] == [["Cellar"]] * 3
    body = {
        "formData": {"region": 1, "source": 1, "value": 1},
        "productServices": [],
        "updateType": "clear",
        "team": None,
    }
    assert cast.key.put("/lead", {"selectAll": True, **body}).data["updatedCount"] == 3
    assert listed(cast, "productServices") == [[], [], []]
    assert (listed(cast, "value"), listed(cast, "source"), listed(cast, "team")) == ([None] * 3, [""] * 3, [None] * 3)
    refused = cast.key.put("/lead", {"ids": ids, "formData": {"status": 1}, "updateType": "clear"})
    assert (refused.status, refused.body["warning"]) == (400, "status: is required and cannot be empty")


def test_selection_by_the_query_string_without_some(cast: Cast, ids: list[str]) -> None:
    body = {"selectAll": True, "nids": [ids[0]], "formData": {"source": "event"}}
    assert cast.key.put("/lead", body, filters={"status": "new"}).data == {"matchedCount": 1, "updatedCount": 1}
    assert listed(cast, "source") == ["", "", "event"]


REFUSALS: list[tuple[dict[str, Any], str | None]] = [
    ({}, "The request is not complete or has wrong values."),
    ({"formData": {"name": "Ann"}}, "The value of a system field is not valid."),
    ({"formData": {"planet": 1}}, "Field not found in your company."),
    ({"formData": {"status": "asleep"}}, "The value of a system field is not valid."),
    ({"formData": {"source": "event"}, "updateType": "append"}, "The value of a system field is not valid."),
    ({"formData": {"region": ["x"]}, "updateType": "append"}, "The value of a field is not valid."),
    ({"team": MISSING}, "Team not found."),
    ({"teamMember": MISSING}, "Member not found."),
    ({"productServices": [MISSING]}, "Product not found."),
    ({"teamMember": None, "updateType": "append"}, "The request is not complete or has wrong values."),
    ({"contact": MISSING}, None),
    ({"updateType": "add", "formData": {"source": "event"}}, None),
]


def test_refusals_change_nothing(cast: Cast, ids: list[str], subtests: pytest.Subtests) -> None:
    for body, message in REFUSALS:
        with subtests.test(str(body)):
            answer = cast.key.put("/lead", {"ids": ids, **body})
            assert answer.status in (400, 404)
            assert message in (None, answer.body["message"])
            assert changes(cast) == {}


def test_deletes_softly_and_keeps_the_contacts(cast: Cast, ids: list[str]) -> None:
    assert cast.key.delete("/lead", {"ids": ids[:1]}).data == {"deletedCount": 1}
    assert listed(cast, "_id") == ids[1:]
    assert cast.key.delete("/lead", {"selectAll": True}, filters={"status": "qualified"}).data == {"deletedCount": 1}
    assert listed(cast, "_id") == ids[2:]
    with cast.scope():
        assert (
            list(
                Lead.objects.filter(is_deleted=True, deleted_at__isnull=False)
                .order_by("pk")
                .values_list("pk", flat=True)
            )
            == ids[:2]
        )
        assert Contact.objects.filter(is_deleted=False).count() == 3
        assert sorted(Event.objects.filter(kind="lead.deleted").values_list("object_id", flat=True)) == ids[:2]
    again = cast.key.delete("/lead", {"ids": ids[:1]})
    assert (again.status, again.body["message"]) == (400, "Lead not found.")
    assert cast.key.delete("/lead", {}).status == 400


def test_other_companies_leads_are_out_of_reach(cast: Cast, outsiders: Cast, ids: list[str]) -> None:
    for answer in (
        outsiders.key.put("/lead", {"ids": ids, "formData": {"source": "event"}}),
        outsiders.key.delete("/lead", {"ids": ids}),
    ):
        assert (answer.status, answer.body["message"]) == (400, "Lead not found.")
    assert outsiders.key.delete("/lead", {"selectAll": True}).data == {"deletedCount": 0}
    assert len(listed(cast, "_id")) == 3


def test_roles(cast: Cast, ids: list[str]) -> None:
    assert cast.narrow_session.put("/lead", {"ids": ids, "formData": {"source": "event"}}).status == 403
    assert cast.narrow_session.delete("/lead", {"ids": ids}).status == 403
    assert cast.session.delete("/lead", {"ids": ids, "automation": "skip"}).data == {"deletedCount": 3}
    with cast.scope():
        assert set(Event.objects.filter(kind="lead.deleted").values_list("automation", flat=True)) == {False}
