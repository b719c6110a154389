"""GET and PUT /lead/:id"""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Event
from crm.models import Contact, Lead, LeadValue, Stage
from tests.crm.contacts.helpers import form
from tests.crm.leads.helpers import lead_field, make, member, product, team_of
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactCategoryFactory, ContactFactory, TagFactory

MISSING = "0" * 24


@pytest.fixture
def lead(cast: Cast) -> dict[str, Any]:
    """A lead with values of all kinds."""
    with cast.scope():
        lead_field("budget", "number", "number")
        lead_field("region")
        body = {
            "productServices": [product("Roof").pk],
            "tags": [TagFactory(name="Hot").pk],
            "team": team_of("North").pk,
        }
    return make(cast, 1, formData={"source": "event", "value": 5, "budget": 7, "region": "north"}, **body)


def test_reads_one(cast: Cast, lead: dict[str, Any]) -> None:
    assert cast.key.get(f"/lead/{lead['_id']}").data == lead
    assert cast.session.get(f"/lead/{lead['_id']}", p="1", n="5").data == lead
    assert cast.key.get(f"/lead/{lead['_id']}", p="x").status == 400


def test_changes_what_is_given_and_tells_it_in_the_event(cast: Cast, lead: dict[str, Any]) -> None:
    with cast.scope():
        seller, cellar, tag = member(name="Sam"), product("Cellar"), TagFactory(name="Cold")
    values = {"status": "won", "value": 12.5, "budget": 8, "region": None, "notes": ""}
    body = {"formData": values, "teamMember": seller.pk, "team": None, "productServices": [cellar.pk], "tags": [tag.pk]}
    found = cast.key.put(f"/lead/{lead['_id']}", body).data
    assert found["formData"] == {"status": "won", "source": "event", "value": 12.5, "notes": "", "budget": 8}
    assert (found["team"], found["teamMember"]["name"]) == (None, "Sam")
    assert [item["name"] for item in found["productServices"]] == ["Cellar"]
    assert [item["name"] for item in found["tags"]] == ["Cold"]
    assert found["statusChangedAt"] > lead["statusChangedAt"]
    assert found["updatedAt"] > lead["updatedAt"]
    with cast.scope():
        assert Lead.objects.get().first_product == "Cellar"
        assert LeadValue.objects.values_list("number", "text").get() == (8, None)
        event = Event.objects.get(kind="lead.updated")
        stages = dict(Stage.objects.values_list("status", "pk"))
        assert (event.object_id, event.actor_id) == (lead["_id"], cast.owner.pk)
        assert event.payload == {
            "changes": {
                "status": {"from": "new", "to": "won"},
                "stage": {"from": stages["new"], "to": stages["won"]},
                "value": {"from": 5, "to": 12.5},
                "budget": {"from": 7, "to": 8},
                "region": {"from": "north", "to": None},
                "team": {"from": lead["team"]["_id"], "to": None},
                "teamMember": {"from": None, "to": seller.pk},
                "tags": {"to": [tag.pk]},
                "productServices": {"to": [cellar.pk]},
            }
        }


def test_what_changes_nothing_writes_nothing(cast: Cast, lead: dict[str, Any]) -> None:
    for body in (
        {},
        {"formData": {}},
        {"formData": {"source": "event", "value": 5.0}, "tags": [lead["tags"][0]["_id"]]},
    ):
        assert cast.key.put(f"/lead/{lead['_id']}", body).data == lead
    with cast.scope():
        assert not Event.objects.filter(kind="lead.updated").exists()


def test_only_a_status_that_moves_has_its_time(cast: Cast, lead: dict[str, Any]) -> None:
    same = cast.key.put(f"/lead/{lead['_id']}", {"formData": {"status": "new", "notes": "x"}}).data
    assert same["statusChangedAt"] == lead["statusChangedAt"]


def test_values_of_the_contact_are_written_to_it(cast: Cast, lead: dict[str, Any]) -> None:
    with cast.scope():
        category = ContactCategoryFactory()
    body = {"formData": {"name": "Anna", "email": "anna@example.com", "source": "other"}, "category": category.pk}
    found = cast.key.put(f"/lead/{lead['_id']}", body).data
    assert found["contact"] == {**lead["contact"], "name": "Anna", "email": "anna@example.com"}
    assert found["source"] == "other"
    with cast.scope():
        assert Contact.objects.get().category_id == category.pk
    cast.key.post("/contact", {"formData": form(2)})
    taken = cast.key.put(f"/lead/{lead['_id']}", {"formData": {"email": "ann2@example.com", "source": "event"}})
    assert (taken.status, taken.body["message"]) == (400, "This contact already exists.")
    emptied = cast.key.put(f"/lead/{lead['_id']}", {"formData": {"email": ""}})
    assert (emptied.status, emptied.body["message"]) == (
        400,
        "You can't change a record's unique values here.",
    )
    assert cast.key.get(f"/lead/{lead['_id']}").data["source"] == "other"


def test_another_contact(cast: Cast, outsiders: Cast, lead: dict[str, Any]) -> None:
    with cast.scope():
        other, gone = ContactFactory(name="Bob"), ContactFactory(is_deleted=True)
    with outsiders.scope():
        foreign = ContactFactory()
    for id in (gone.pk, foreign.pk, MISSING):
        refused = cast.key.put(f"/lead/{lead['_id']}", {"contact": id})
        assert (refused.status, refused.body["message"]) == (400, "Contact not found.")
    found = cast.key.put(f"/lead/{lead['_id']}", {"contact": other.pk, "formData": {"name": "Rob"}}).data
    assert found["contact"] == {
        "_id": other.pk,
        "name": "Rob",
        "email": other.email,
        "contactNumber": None,
        "isDeleted": False,
    }
    with cast.scope():
        assert Contact.objects.get(pk=lead["contact"]["_id"]).name == "Person 1"
        payload = Event.objects.get(kind="lead.updated").payload
        assert payload == {"changes": {"contact": {"from": lead["contact"]["_id"], "to": other.pk}}}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"formData": {"status": "asleep"}}, "The value of a system field is not valid."),
        ({"formData": {"status": None}}, "The value of a system field is not valid."),
        ({"formData": {"planet": "Mars"}}, "Field not found in your company."),
        ({"formData": {"budget": "x"}}, "The value of a field is not valid."),
        ({"team": MISSING}, "Team not found."),
        ({"teamMember": MISSING}, "Member not found."),
        ({"productServices": [MISSING]}, "Product not found."),
        ({"tags": [MISSING]}, "Tag not found."),
        ({"category": MISSING}, "Category not found."),
        ({"formData": []}, None),
        ({"unknown": 1}, None),
        ({"existingError": True}, None),
    ],
)
def test_refusals_change_nothing(cast: Cast, lead: dict[str, Any], body: dict[str, Any], message: str | None) -> None:
    answer = cast.key.put(f"/lead/{lead['_id']}", {"formData": {"source": "other"}, **body})
    assert answer.status in (400, 404)
    assert message is None or answer.body["message"] == message
    assert cast.key.get(f"/lead/{lead['_id']}").data == lead


def test_leads_of_nobody_of_others_and_deleted_ones_are_not_found(
    cast: Cast, outsiders: Cast, lead: dict[str, Any]
) -> None:
    callers = [(outsiders, lead["_id"]), (cast, MISSING)]
    gone = make(cast, 2)["_id"]
    cast.key.delete("/lead", {"ids": [gone]})
    for caller, id in (*callers, (cast, gone)):
        for answer in (caller.key.get(f"/lead/{id}"), caller.key.put(f"/lead/{id}", {"formData": {"source": "other"}})):
            assert (answer.status, answer.body["message"]) == (400, "Lead not found.")
    assert cast.key.get("/lead/xyz").body["message"] == "Invalid format for field _id: xyz"


def test_roles(cast: Cast) -> None:
    reader = make_cast({"lead": {"GET": True}})
    made = make(reader, 1)
    assert reader.narrow_session.get(f"/lead/{made['_id']}").data == made
    assert reader.narrow_session.put(f"/lead/{made['_id']}", {}).status == 403
    assert cast.narrow_session.get(f"/lead/{made['_id']}").status == 403
