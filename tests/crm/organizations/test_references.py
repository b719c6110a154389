"""The organization of contacts and leads."""

from __future__ import annotations

from typing import Any

from crm.models import Contact
from tests.crm.contacts.helpers import form
from tests.crm.organizations.helpers import events, organization, says
from tests.kit.cast import Cast

MISSING = "0" * 24


def contact(cast: Cast, n: int = 1, **beside: Any) -> Any:
    answer = cast.key.post("/contact", {"formData": form(n), **beside})
    assert answer.status == 200, answer.body
    return answer.data


def test_contacts(cast: Cast) -> None:
    first, second = organization(cast, "Acme"), organization(cast, "Beta")
    made = contact(cast, organization=first["_id"])
    assert made["organization"] == {"_id": first["_id"], "name": "Acme", "isDeleted": False}
    assert contact(cast, 2)["organization"] is None
    answer = cast.session.put(f"/contact/{made['_id']}", {"organization": second["_id"]})
    assert answer.data["organization"]["name"] == "Beta"
    payload = events(cast, "contact")[-1][2]
    assert payload["changes"] == {"organization": {"from": first["_id"], "to": second["_id"]}}
    same = cast.session.put(f"/contact/{made['_id']}", {"formData": {"name": "Ann"}})
    assert same.data["organization"]["name"] == "Beta"
    gone = cast.session.put(f"/contact/{made['_id']}", {"organization": None})
    assert gone.data["organization"] is None


def test_body_of_get_can_be_put(cast: Cast) -> None:
    made = contact(cast, organization=organization(cast)["_id"])
    assert cast.session.put(f"/contact/{made['_id']}", made).status == 200


def test_missing_organization(cast: Cast) -> None:
    body = {"formData": form(1), "organization": MISSING}
    assert says(cast.key.post("/contact", body), "OrganizationNotFound_400")
    made = contact(cast)
    assert says(cast.session.put(f"/contact/{made['_id']}", {"organization": MISSING}), "OrganizationNotFound_400")
    many = cast.key.post("/contact/bulk", {"formData": [form(5) | {"organization": MISSING}, form(6)]})
    assert [failure["name"] for failure in many.data["failed"]] == ["OrganizationNotFound_400"]
    assert len(many.data["created"]) == 1
    lead = cast.key.post("/lead", {"formData": form(7), "organization": MISSING})
    assert says(lead, "OrganizationNotFound_400")


def test_many_contacts(cast: Cast) -> None:
    first, second = organization(cast, "Acme")["_id"], organization(cast, "Beta")["_id"]
    items = [form(1), form(2) | {"organization": second}]
    many = cast.key.post("/contact/bulk", {"formData": items, "organization": first})
    assert [row["organization"]["name"] for row in many.data["created"]] == ["Acme", "Beta"]
    ids = [row["_id"] for row in many.data["created"]]
    moved = cast.key.put("/contact", {"ids": ids, "organization": second})
    assert moved.data == {"matchedCount": 2, "updatedCount": 1}
    cleared = cast.key.put("/contact", {"ids": ids, "organization": second, "updateType": "clear"})
    assert cleared.data["updatedCount"] == 2
    refused = cast.key.put("/contact", {"ids": ids, "organization": second, "updateType": "append"})
    assert says(refused, "InvalidPayload_400")


def test_filters(cast: Cast) -> None:
    acme = organization(cast, "Acme")["_id"]
    contact(cast, 1, organization=acme)
    contact(cast, 2)
    assert len(cast.key.get("/contact", filters={"organization": acme}).data) == 1
    assert len(cast.key.get("/contact", filters={"organization.name": "Acme"}).data) == 1
    rows = cast.key.get("/contact", advancedFilters={"field": "organization", "operator": "isEmpty"})
    assert rows.status == 200, rows.body
    assert len(rows.data) == 1


def test_a_deleted_organization_is_marked(cast: Cast) -> None:
    acme = organization(cast, "Acme")["_id"]
    person = contact(cast, organization=acme)
    lead = cast.key.post("/lead", {"contact": person["_id"], "formData": {}}).data
    assert cast.session.delete("/organization", {"ids": [acme]}).status == 200
    deleted = {"_id": acme, "name": "Acme", "isDeleted": True}
    for path in (f"/contact/{person['_id']}", f"/lead/{lead['_id']}"):
        assert cast.key.get(path).data["organization"] == deleted
        assert cast.session.get(path).data["organization"] == deleted


def test_leads_take_that_of_their_contact(cast: Cast) -> None:
    acme, beta = organization(cast, "Acme")["_id"], organization(cast, "Beta")["_id"]
    person = contact(cast, organization=acme)
    lead = cast.key.post("/lead", {"contact": person["_id"], "formData": {}}).data
    assert lead["organization"] == {"_id": acme, "name": "Acme", "isDeleted": False}
    own = cast.key.post("/lead", {"contact": person["_id"], "organization": beta, "formData": {}}).data
    assert own["organization"]["name"] == "Beta"
    changed = cast.session.put(f"/lead/{lead['_id']}", {"organization": beta})
    assert changed.data["organization"]["name"] == "Beta"
    assert cast.session.put(f"/lead/{lead['_id']}", {"organization": None}).data["organization"] is None
    rows = cast.key.get("/lead", filters={"contact.organization": acme}).data
    assert len(rows) == 2
    assert len(cast.key.get("/lead", filters={"organization": beta}).data) == 1
    bulk = cast.key.put("/lead", {"ids": [lead["_id"]], "organization": acme})
    assert bulk.data["updatedCount"] == 1


def test_deleted_organizations_stay_with_their_people(cast: Cast) -> None:
    acme = organization(cast, "Acme")["_id"]
    made = contact(cast, organization=acme)
    cast.session.delete("/organization", {"ids": [acme]})
    assert cast.session.get(f"/contact/{made['_id']}").data["organization"]["_id"] == acme
    with cast.scope():
        assert Contact.objects.get().organization_id == acme
