"""What an existing contact takes of the values that a lead brings: what it lacks, or all with existingError false."""

from __future__ import annotations

from typing import Any

from core.jobs import WORK
from crm.models import Contact
from tests.crm.bulk_jobs.helpers import done
from tests.crm.contacts.helpers import form
from tests.crm.imports.helpers import csv_of, upload, work
from tests.crm.leads.helpers import make
from tests.kit.cast import Cast
from tests.kit.factories import ContactCategoryFactory

MALLORY = {"name": "Mallory", "email": "ann1@example.com", "countryCode": "+1", "number": "4155550199"}


def contacts(cast: Cast) -> list[tuple[Any, ...]]:
    with cast.scope():
        return list(Contact.objects.order_by("created_at", "pk").values_list("name", "email", "contact_number"))


def test_who_only_knows_the_address_overwrites_nothing(cast: Cast) -> None:
    ann = cast.key.post("/contact", {"formData": form(1, name="Ann")}).data["_id"]
    answer = cast.key.post("/lead", {"formData": MALLORY})
    assert (answer.status, answer.data["contact"]["_id"]) == (201, ann)
    assert answer.body["warning"] == "contact: name, number left unchanged; the contact has values already"
    assert contacts(cast) == [("Ann", "ann1@example.com", "+491701000001")]


def test_what_the_contact_lacks_is_filled(cast: Cast) -> None:
    ann = cast.key.post("/contact", {"formData": form(1)}).data["_id"]
    with cast.scope():
        Contact.objects.filter(pk=ann).update(country_code=None, number=None, contact_number=None, number_key=None)
        first, second = ContactCategoryFactory().pk, ContactCategoryFactory().pk
    answer = cast.key.post("/lead", {"formData": MALLORY, "category": first})
    assert "warning" not in answer.body
    assert contacts(cast) == [("Mallory", "ann1@example.com", "+14155550199")]
    kept = cast.key.post("/lead", {"contact": ann, "category": second})
    assert kept.body["warning"].startswith("contact: category left unchanged")
    with cast.scope():
        assert Contact.objects.get().category_id == first


def test_existing_error_false_overwrites_and_can_be_undone(cast: Cast) -> None:
    cast.key.post("/contact", {"formData": form(1, name="Ann")})
    before = contacts(cast)
    answer = cast.key.post("/lead", {"formData": MALLORY, "existingError": False})
    assert (answer.status, answer.body["message"]) == (201, "Lead created.")
    assert contacts(cast) == [("Mallory", "ann1@example.com", "+14155550199")]
    job = cast.key.get(f"/bulk-job/{answer.body['bulkJob']}").data
    assert (job["panel"], job["changed"], job["canUndo"]) == ("contact", 1, True)
    assert cast.key.post(f"/bulk-job/{job['_id']}/undo").status == 201
    WORK["bulk-job"].drain(float("inf"))
    assert contacts(cast) == before
    assert "bulkJob" not in cast.key.post("/lead", {"formData": form(2), "existingError": False}).body


def test_what_a_creation_changes_of_a_lead_can_be_undone(cast: Cast) -> None:
    lead = make(cast, 1, formData={"value": 100, "notes": "first"})
    over = {"formData": form(1, value=1, notes="over"), "existingError": False}
    many = {"formData": [form(1, value=2, notes="twice")], "existingError": False}
    for path, body in (("/lead", over), ("/lead/bulk", many)):
        answer = cast.key.post(path, body)
        assert answer.status == 200, answer.body
        job = cast.key.get(f"/bulk-job/{answer.body['bulkJob']}").data
        assert (job["panel"], job["changed"], job["canUndo"]) == ("lead", 1, True)
        assert cast.key.get(f"/lead/{lead['_id']}").data["notes"] in ("over", "twice")
        assert done(cast, cast.key.post(f"/bulk-job/{job['_id']}/undo").data["_id"])["changed"] == 1
        found = cast.key.get(f"/lead/{lead['_id']}").data
        assert (found["value"], found["notes"]) == (100, "first")


def test_what_was_filled_can_be_undone(cast: Cast) -> None:
    cast.key.post("/contact", {"formData": form(1)})
    before = contacts(cast)
    answer = cast.key.post("/lead", {"formData": form(1, name="Ann")})
    assert contacts(cast) != before
    done(cast, cast.key.post(f"/bulk-job/{answer.body['bulkJob']}/undo").data["_id"])
    assert contacts(cast) == before


def test_many_leads_are_written_as_one_after_another(cast: Cast) -> None:
    cast.key.post("/contact", {"formData": form(1, name="Ann")})
    number = {"countryCode": "+49", "number": "1701000009"}
    items = [
        {"email": "ann1@example.com", **number, "name": "First"},  # Ann keeps her number, and it stays free
        {"email": "ann9@example.com", **number, "name": ""},
        {"email": "ann9@example.com", "name": "Nine"},
        {"email": "ann9@example.com", "name": "Ten"},
    ]
    answer = cast.key.post("/lead/bulk", {"formData": items})
    assert [found["contact"]["name"] for found in answer.data["created"]] == ["Ann", "Nine", "Nine", "Nine"]
    assert contacts(cast) == [
        ("Ann", "ann1@example.com", "+491701000001"),
        ("Nine", "ann9@example.com", "+491701000009"),
    ]
    over = cast.key.post("/lead/bulk", {"formData": items[2:], "existingError": False})
    assert over.body["bulkJob"]
    assert contacts(cast)[1][0] == "Ten"


def test_imports_have_the_same_rule(cast: Cast) -> None:
    cast.key.post("/contact", {"formData": form(1, name="Ann")})
    content = csv_of(["Mallory,ann1@example.com,+1,4155550199"])
    mapping = {"Name": "name", "Email": "email", "Country code": "countryCode", "Phone": "number"}
    for existing, name in ((None, "Ann"), ("skip", "Ann"), ("update", "Mallory")):
        body = {"importType": "lead", "fileId": upload(cast, content), "columnMapping": mapping}
        made = cast.key.post("/lead/import", {**body, "options": {"existing": existing}, "pauseImport": False})
        work()
        assert cast.key.get(f"/lead/import/{made.data['import']['_id']}").data["status"] == "completed"
        assert contacts(cast)[0][0] == name


def test_an_address_and_a_number_of_two_contacts_name_the_second(cast: Cast) -> None:
    cast.key.post("/contact", {"formData": form(1)})
    other = cast.key.post("/contact", {"formData": form(2)}).data["_id"]
    both = {**form(2), "email": "ann1@example.com"}
    for path, body in (("/contact", {"existingError": False}), ("/lead", {}), ("/lead", {"existingError": False})):
        refused = cast.key.post(path, {"formData": both, **body})
        assert (refused.status, refused.body["message"]) == (400, "This contact already exists.")
        assert (
            refused.body["warning"]
            == f"number: +491701000002 belongs to the contact {other} already: ann2@example.com, not ann1@example.com"
        )
