"""What calls of leads do to contacts takes, by session, the permissions on contacts."""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Event
from crm.models import Contact, Import, Lead
from tests.crm.contacts.helpers import form
from tests.crm.imports.helpers import csv_of, upload, work
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactCategoryFactory

LEADS = {"lead": {"GET": True, "POST": True, "PUT": True, "DELETE": True}}
STAYS = "left unchanged; your role can't change contacts"
NO_NEW = "your role can't create contacts"
VALUES = {"name": "OVERWRITTEN", "email": "ann1@example.com"}
HEADER, MAPPING = (
    "Name,Email,Prefix,Phone",
    {"Name": "name", "Email": "email", "Prefix": "countryCode", "Phone": "number"},
)


@pytest.fixture
def seller(db: None) -> Cast:
    """A company with a contact, Ann, whose narrow member may do everything with leads and nothing with contacts."""
    cast = make_cast(LEADS)
    cast.key.post("/contact", {"formData": form(1, name="Ann")})
    return cast


def ann(cast: Cast) -> dict[str, Any]:
    with cast.scope():
        return dict(Contact.objects.values("pk", "name", "email", "contact_number", "category_id").get())


def test_a_lead_of_a_contact_that_exists_leaves_it_as_it_is(seller: Cast) -> None:
    before = ann(seller)
    with seller.scope():
        category = ContactCategoryFactory().pk
    for body in ({"formData": VALUES}, {"formData": VALUES, "existingError": False}):
        answer = seller.narrow_session.post("/lead", {**body, "category": category})
        assert answer.status in (200, 201), answer.body
        assert answer.data["contact"]["_id"] == before["pk"]
        assert answer.body["warning"] == f"contact: name, category {STAYS}"
        assert "bulkJob" not in answer.body
    assert ann(seller) == before | {"category_id": None}


def test_without_the_right_not_even_empty_values_are_filled(seller: Cast) -> None:
    with seller.scope():
        Contact.objects.update(name="")
    answer = seller.narrow_session.post("/lead", {"formData": VALUES})
    assert answer.body["warning"] == f"contact: name {STAYS}"
    assert ann(seller)["name"] == ""


def test_a_new_contact_takes_the_right_to_create_one(seller: Cast) -> None:
    refused = seller.narrow_session.post("/lead", {"formData": form(2)})
    assert (refused.status, refused.body["message"]) == (
        403,
        "Your role does not allow this. Ask an owner for the permission.",
    )
    assert refused.body["warning"].endswith(NO_NEW)
    ann(seller)  # still the only one
    with seller.scope():
        assert not Lead.objects.exists()


def test_many_leads_keep_to_the_rights_one_by_one(seller: Cast) -> None:
    before = ann(seller)
    items = [VALUES, form(2), {"contact": before["pk"], "name": "Other"}]
    answer = seller.narrow_session.post("/lead/bulk", {"formData": items, "existingError": False})
    assert answer.status == 200
    assert [(found["index"], found["name"]) for found in answer.data["failed"]] == [(1, "UnauthorizedAction_403")]
    assert answer.body["warning"] == f"formData.0: contact: name {STAYS}; formData.2: contact: name {STAYS}"
    assert ann(seller) == before
    refused = seller.narrow_session.post("/lead/bulk", {"formData": items, "skipInvalid": False})
    assert (refused.status, NO_NEW in refused.body["warning"]) == (403, True)


def test_an_update_of_a_lead_leaves_its_contact_alone(seller: Cast) -> None:
    with seller.scope():
        category = ContactCategoryFactory().pk
    lead = seller.key.post("/lead", {"formData": {"email": "ann1@example.com"}}).data["_id"]
    before = ann(seller)
    body = {"formData": {"email": "hack1@example.com", "name": "Ann", "notes": "Called"}, "category": category}
    answer = seller.narrow_session.put(f"/lead/{lead}", body)
    assert (answer.status, answer.data["notes"]) == (200, "Called")
    assert answer.body["warning"] == f"contact: email, category {STAYS}"
    assert ann(seller) == before
    same = seller.narrow_session.put(f"/lead/{lead}", {"formData": {"email": "ann1@example.com"}})
    assert "warning" not in same.body


def test_a_bulk_update_of_leads_touches_no_contact(seller: Cast) -> None:
    lead = seller.key.post("/lead", {"formData": {"email": "ann1@example.com"}}).data["_id"]
    before = ann(seller)
    for values, status in (({"name": "OVERWRITTEN"}, 400), ({"source": "other"}, 200)):
        assert seller.narrow_session.put("/lead", {"ids": [lead], "formData": values}).status == status
    assert ann(seller) == before


def test_those_with_the_rights_create_and_change(db: None) -> None:
    cast = make_cast({**LEADS, "contact": {"POST": True, "PUT": True}})
    made = cast.narrow_session.post("/lead", {"formData": form(1, name="Ann")})
    assert (made.status, made.data["contact"]["name"]) == (201, "Ann")
    changed = cast.narrow_session.put(f"/lead/{made.data['_id']}", {"formData": {"name": "Anna"}})
    assert (changed.status, changed.data["contact"]["name"]) == (200, "Anna")


def import_leads(cast: Cast, caller: Any, lines: list[str], **body: Any) -> Any:
    file = upload(cast, csv_of(lines, HEADER))
    return caller.post("/lead/import", {"importType": "lead", "fileId": file, "columnMapping": MAPPING, **body})


def test_an_import_has_the_rights_of_the_member_who_starts_it(seller: Cast) -> None:
    before = ann(seller)
    lines = ["OVERWRITTEN,ann1@example.com,,", "Bob,bob@example.org,+49,1701000002"]
    made = import_leads(seller, seller.key, lines, options={"existing": "update"}).data["import"]["_id"]
    assert seller.narrow_session.put(f"/lead/import/{made}", {}).data["status"] == "queued"
    work()
    job = seller.key.get(f"/lead/import/{made}").data
    assert (job["created"], job["failed"]) == (1, 1)
    assert [(error["row"], error["code"]) for error in job["rowErrors"]] == [
        (2, "UnauthorizedAction_403"),
        (3, "UnauthorizedAction_403"),
    ]
    assert job["rowErrors"][0]["message"].endswith(STAYS)
    assert ann(seller) == before
    with seller.scope():
        assert not Event.objects.filter(kind="contact.updated").exists()


def test_an_import_that_starts_at_once_has_the_rights_of_who_made_it(seller: Cast) -> None:
    lines = ["Bob,bob@example.org,+49,1701000002"]
    assert import_leads(seller, seller.narrow_session, lines, pauseImport=False).status == 201
    assert import_leads(seller, seller.key, lines, pauseImport=False).status == 201
    work()
    with seller.scope():
        found = list(Import.objects.order_by("created_at").values_list("failed", "created"))
    assert found == [(1, 0), (0, 1)]


def test_undoing_an_import_of_leads_takes_the_rights_for_its_contacts(seller: Cast) -> None:
    lines = ["Bob,bob@example.org,+49,1701000002"]
    made = import_leads(seller, seller.key, lines, pauseImport=False).data["import"]["_id"]
    work()
    refused = seller.narrow_session.post(f"/lead/import/{made}/undo")
    assert (refused.status, refused.body["warning"]) == (403, "your role lacks the permission contact.DELETE")
    of_leads = import_leads(seller, seller.key, ["Ann,ann1@example.com,,"], pauseImport=False).data["import"]["_id"]
    work()
    assert seller.narrow_session.post(f"/lead/import/{of_leads}/undo").status == 201
