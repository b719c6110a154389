"""Leads whose contact was deleted: marked, restored with it, or taken over by a new contact with its unique key"""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Event
from crm.models import Contact, CustomField, Lead
from tests.crm.contacts.helpers import form
from tests.crm.imports.helpers import csv_of, run
from tests.crm.leads.helpers import make, product, set_duplicates
from tests.kit.cast import Cast

MAKERS = ("contact", "contacts", "update", "lead", "import")


@pytest.fixture
def orphan(cast: Cast) -> dict[str, Any]:
    """The lead of contact 1, which was deleted."""
    lead = make(cast, 1)
    assert cast.key.delete("/contact", {"ids": [lead["contact"]["_id"]]}).status == 200
    return lead


def test_the_snapshot_says_that_the_contact_was_deleted(cast: Cast) -> None:
    lead = make(cast, 1)
    assert lead["contact"]["isDeleted"] is False
    contact = lead["contact"]["_id"]
    call = cast.key.post("/calllog", {"lead": lead["_id"]}).data["_id"]
    job = cast.key.delete("/contact", {"ids": [contact]}).body["bulkJob"]
    assert job
    gone = {**lead["contact"], "isDeleted": True}
    assert cast.key.get(f"/lead/{lead['_id']}").data["contact"] == gone
    assert [row["contact"] for row in cast.key.get("/lead").data] == [gone]
    told = cast.key.get(f"/calllog/{call}").data
    assert (told["contact"], told["lead"]["contact"]) == (gone, gone)
    assert cast.key.post("/contact/restore", {"ids": [contact]}).data["restoredCount"] == 1
    assert cast.key.get(f"/lead/{lead['_id']}").data["contact"] == lead["contact"]


def make_again(cast: Cast, way: str) -> None:
    """Make a contact with the unique key of contact 1."""
    values = form(1, name="Ann again", number="1705555555")
    if way == "contact":
        assert cast.key.post("/contact", {"formData": values}).status == 200
    elif way == "contacts":
        answer = cast.key.post("/contact/bulk", {"formData": [values, form(7)]})
        assert len(answer.data["created"]) == 2
    elif way == "update":
        answer = cast.key.post("/contact", {"formData": values, "existingError": False})
        assert answer.status == 200
    elif way == "lead":
        with cast.scope():
            item = product("Bean").pk
        answer = cast.key.post("/lead", {"formData": values, "productServices": [item]})
        assert answer.status == 201, answer.body
    else:
        run(cast, csv_of(["Ann again,ann1@example.com,+49,1705555555"]))


@pytest.mark.parametrize("way", MAKERS)
def test_a_contact_made_anew_takes_the_leads_over(cast: Cast, orphan: dict[str, Any], way: str) -> None:
    with cast.scope():
        closed = Lead.objects.create(contact_id=orphan["contact"]["_id"], status="won")
        gone = Lead.objects.create(contact_id=orphan["contact"]["_id"], status="new", is_deleted=True)
    make_again(cast, way)
    with cast.scope():
        new = Contact.objects.get(email="ann1@example.com", is_deleted=False)
        found = Lead.objects.filter(pk__in=(orphan["_id"], closed.pk))
        assert set(found.values_list("contact_id", flat=True)) == {new.pk}
        assert Lead.objects.get(pk=gone.pk).contact_id == orphan["contact"]["_id"], "it is deleted itself"
        event = Event.objects.get(kind="lead.updated", object_id=orphan["_id"])
        assert event.payload == {"changes": {"contact": {"from": orphan["contact"]["_id"], "to": new.pk}}}
    assert cast.key.get(f"/lead/{orphan['_id']}").data["contact"] == {
        "_id": new.pk,
        "name": new.name,
        "email": "ann1@example.com",
        "contactNumber": new.contact_number,
        "isDeleted": False,
    }


def test_the_number_is_a_key_as_well(cast: Cast, orphan: dict[str, Any]) -> None:
    with cast.scope():
        CustomField.objects.filter(panel="contact", unique_field_id="email").update(required=False)
    new = cast.key.post("/contact", {"formData": {**form(1), "email": None}}).data["_id"]
    assert cast.key.get(f"/lead/{orphan['_id']}").data["contact"]["_id"] == new


def test_the_number_of_another_address_takes_nothing_over(cast: Cast, orphan: dict[str, Any]) -> None:
    new = cast.key.post("/contact", {"formData": form(1, email="other@example.com")}).data["_id"]
    assert cast.key.get(f"/lead/{orphan['_id']}").data["contact"]["_id"] != new


def test_an_open_lead_that_comes_with_the_contact_makes_the_new_one_a_duplicate(
    cast: Cast, orphan: dict[str, Any]
) -> None:
    with cast.scope():
        set_duplicates("refuse")
    refused = cast.key.post("/lead", {"formData": form(1)})
    assert (refused.status, refused.body["message"]) == (400, "Duplicate field(s): contact, productServices")
    assert orphan["_id"] in refused.body["warning"]
    with cast.scope():
        assert Contact.objects.filter(is_deleted=False).count() == 0
    updated = cast.key.post("/lead", {"formData": form(1, notes="again"), "existingError": False})
    assert (updated.status, updated.data["_id"], updated.data["notes"]) == (200, orphan["_id"], "again")
    assert (updated.data["contact"]["isDeleted"], cast.key.get("/lead").body["totalCount"]) == (False, 1)


def test_strangers_take_nothing_over(cast: Cast, outsiders: Cast, orphan: dict[str, Any]) -> None:
    make_again(outsiders, "contact")
    cast.key.post("/contact", {"formData": form(2)})
    assert cast.key.get(f"/lead/{orphan['_id']}").data["contact"]["isDeleted"] is True


def test_the_leads_of_a_merged_contact_stay_with_the_winner(cast: Cast) -> None:
    one, two = make(cast, 1), make(cast, 2)
    ids = [one["contact"]["_id"], two["contact"]["_id"]]
    assert cast.key.post("/contact/merge", {"ids": ids, "winner": ids[1]}).status == 200
    make_again(cast, "contact")
    assert cast.key.get(f"/lead/{one['_id']}").data["contact"]["_id"] == ids[1]


def test_a_contact_whose_leads_went_on_comes_back_only_when_its_key_is_free(cast: Cast, orphan: dict[str, Any]) -> None:
    make_again(cast, "contact")
    answer = cast.key.post("/contact/restore", {"ids": [orphan["contact"]["_id"]]})
    assert [failed["name"] for failed in answer.data["failed"]] == ["ContactAlreadyExists_400"]
