"""POST /contact/restore and /lead/restore, the filter isDeleted, and the back office's button"""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from billing.subscriptions.services import override_subscription
from core.access import used_quota
from core.models import Event
from crm.models import BulkJob, Contact, Lead
from tests.crm.bulk_jobs.helpers import done
from tests.crm.bulk_jobs.test_journal import everything
from tests.crm.contacts.helpers import add_field, form
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory

DELETED = {"isDeleted": True}
TAKEN = "email: another contact has it by now; change or delete that one first"


@pytest.fixture
def ids(cast: Cast) -> list[str]:
    """Four contacts, of which the first three are deleted."""
    with cast.scope():
        add_field("city")
    items = [form(n, name=f"Ann {n}", city="Bonn") for n in range(4)]
    made = [found["_id"] for found in cast.key.post("/contact/bulk", {"formData": items}).data["created"]]
    assert cast.key.delete("/contact", {"ids": made[:3]}).data == {"deletedCount": 3}
    return made


def names(answer: Any) -> list[str]:
    assert answer.status == 200, answer.body
    return sorted(row["name"] for row in answer.data)


def limit(cast: Cast, **limits: int) -> None:
    override_subscription(company_id=cast.company.pk, modules=None, limits=limits)


def take_address(cast: Cast, n: int) -> str:
    """Make a contact with the address of the nth one. Returns its id."""
    answer = cast.key.post("/contact", {"formData": form(n, name="New", number=f"17055555{n:02}")})
    assert answer.status == 200, answer.body
    return str(answer.data["_id"])


def test_deleted_records_are_listed_where_the_filters_ask_for_them(cast: Cast, ids: list[str]) -> None:
    with cast.scope():
        live = LeadFactory(contact=Contact.objects.get(pk=ids[3]))
        gone = LeadFactory(contact=Contact.objects.get(pk=ids[0]), is_deleted=True)
    conditions = [
        {"field": "isDeleted", "operator": "equals", "value": True},
        {"field": "name", "operator": "equals", "value": "Ann 3"},
    ]
    deleted = ["Ann 0", "Ann 1", "Ann 2"]
    assert names(cast.key.get("/contact")) == ["Ann 3"]
    for page in ({}, {"p": "1", "n": "10"}, {"cursorPagination": "true", "n": "10"}):
        assert names(cast.key.get("/contact", filters=DELETED, **page)) == deleted
    assert names(cast.key.get("/contact", filters={"isDeleted": False})) == ["Ann 3"]
    assert names(cast.key.get("/contact", filters={"isDeleted": [True, False]})) == [*deleted, "Ann 3"]
    either = {"operator": "or", "conditions": conditions}
    assert names(cast.key.get("/contact", advancedFilters=either)) == [*deleted, "Ann 3"]
    assert names(cast.key.get("/contact", filters={**DELETED, "name": "Ann 1"})) == ["Ann 1"]
    assert all(row["isDeleted"] for row in cast.key.get("/contact", filters=DELETED).data)
    assert [row["_id"] for row in cast.key.get("/lead").data] == [live.pk]
    assert [row["_id"] for row in cast.key.get("/lead", filters=DELETED).data] == [gone.pk]
    assert cast.key.get("/contact", filters={"isDeleted": 5}).status == 400


def test_changes_never_reach_deleted_records(cast: Cast, ids: list[str]) -> None:
    for method, body in (("put", {"formData": {"name": "Bob"}}), ("delete", {})):
        answer = cast.key.call(method.upper(), "/contact", {"selectAll": True, **body}, {"filters": DELETED})
        assert answer.status == 200
    assert names(cast.key.get("/contact", filters={"isDeleted": [True, False]})) == [f"Ann {n}" for n in range(4)]


def test_merged_and_erased_contacts_are_not_among_the_deleted(cast: Cast, ids: list[str]) -> None:
    with cast.scope():
        winner, loser = ContactFactory(name="Winner"), ContactFactory(name="Loser")
    assert cast.key.post("/contact/merge", {"ids": [winner.pk, loser.pk], "winner": winner.pk}).status == 200
    assert cast.key.post(f"/contact/{ids[0]}/erase", {"confirm": ids[0]}).status == 200
    assert names(cast.key.get("/contact", filters=DELETED)) == ["Ann 1", "Ann 2"]
    answer = cast.key.post("/contact/restore", {"ids": [loser.pk, ids[0]]})
    assert answer.data["restoredCount"] == 0
    (failed,) = answer.data["failed"]
    assert (failed["_id"], failed["name"]) == (loser.pk, "ContactNotFound_400")
    assert f"it was merged into {winner.pk}" in failed["warning"]
    assert cast.key.post("/contact/restore", {"selectAll": True}, filters=DELETED).data["restoredCount"] == 2


def test_restored_records_are_what_they_were(cast: Cast, ids: list[str]) -> None:
    answer = cast.key.post("/contact/restore", {"ids": ids[:2], "automation": "skip"})
    assert (answer.status, answer.data) == (200, {"restoredCount": 2, "failed": []})
    found = cast.key.get(f"/contact/{ids[0]}").data
    assert (found["name"], found["formData"]["city"], found["isDeleted"]) == ("Ann 0", "Bonn", False)
    assert found["updatedBy"]["_id"] == cast.owner.pk
    assert names(cast.key.get("/contact", filters={"city": "Bonn"})) == ["Ann 0", "Ann 1", "Ann 3"]
    taken = cast.key.post("/contact", {"formData": form(0)})
    assert (taken.status, taken.body["message"]) == (400, "This contact already exists.")
    with cast.scope():
        events = Event.objects.filter(kind="contact.restored").values_list("object_id", "automation")
        assert sorted(events) == [(id, False) for id in sorted(ids[:2])]
        assert Contact.objects.get(pk=ids[0]).deleted_at is None


def test_a_restoring_can_be_undone(cast: Cast, ids: list[str]) -> None:
    with cast.scope():
        was = everything()
    job = cast.key.post("/contact/restore", {"selectAll": True}).body["bulkJob"]
    assert cast.key.get(f"/bulk-job/{job}").data["action"] == "restore"
    assert done(cast, cast.key.post(f"/bulk-job/{job}/undo").data["_id"])["changed"] == 3
    with cast.scope():
        assert everything() == was
        assert Event.objects.filter(kind="contact.deleted").count() == 6


def test_leads_are_restored_too(cast: Cast, ids: list[str]) -> None:
    with cast.scope():
        lead = LeadFactory(contact=Contact.objects.get(pk=ids[3]))
    assert cast.key.delete("/lead", {"ids": [lead.pk]}).data == {"deletedCount": 1}
    assert cast.key.get(f"/lead/{lead.pk}").status == 400
    assert cast.key.post("/lead/restore", {"ids": [lead.pk]}).data == {"restoredCount": 1, "failed": []}
    assert cast.key.get(f"/lead/{lead.pk}").data["isDeleted"] is False


def test_ids_that_name_no_deleted_record_are_refused(cast: Cast, outsiders: Cast, ids: list[str]) -> None:
    for body in ({"ids": [ids[3]]}, {"ids": ["0" * 24]}):
        answer = cast.key.post("/contact/restore", body)
        assert (answer.status, answer.body["message"]) == (400, "Contact not found.")
    assert outsiders.key.post("/contact/restore", {"ids": ids[:1]}).status == 400
    assert outsiders.key.post("/contact/restore", {"selectAll": True}).data["restoredCount"] == 0
    assert cast.key.post("/contact/restore", {}).status == 400
    assert cast.narrow_session.post("/contact/restore", {"ids": ids[:1]}).status == 403


def test_a_taken_key_is_told_for_each_record(cast: Cast, ids: list[str]) -> None:
    take_address(cast, 1)
    answer = cast.key.post("/contact/restore", {"ids": ids[:3]})
    assert (answer.status, answer.data["restoredCount"]) == (200, 2)
    (failed,) = answer.data["failed"]
    assert (failed["_id"], failed["name"]) == (ids[1], "ContactAlreadyExists_400")
    assert (failed["message"], failed["warning"]) == ("This contact already exists.", TAKEN)
    assert names(cast.key.get("/contact", filters=DELETED)) == ["Ann 1"]


def test_of_deleted_records_with_one_key_the_first_comes_back(cast: Cast, ids: list[str]) -> None:
    again = take_address(cast, 0)
    cast.key.delete("/contact", {"ids": [again]})
    answer = cast.key.post("/contact/restore", {"ids": [again, ids[0]]})
    assert (answer.data["restoredCount"], [one["_id"] for one in answer.data["failed"]]) == (1, [again])


def test_a_session_restores_as_many_as_the_plan_allows(cast: Cast, ids: list[str]) -> None:
    with cast.scope():
        limit(cast, contact=used_quota("contact") + 2)
    answer = cast.session.post("/contact/restore", {"ids": ids[:3]})
    assert (answer.status, answer.data["restoredCount"]) == (200, 2)
    (failed,) = answer.data["failed"]
    assert (failed["_id"], failed["name"]) == (max(ids[:3]), "PlanSubscriptionLimitExceeded_403")
    assert failed["warning"] == "your subscription allows 3 contacts, and there is room for 0 more"
    assert cast.key.post("/contact/restore", {"ids": ids[:3]}).data["restoredCount"] == 1, "keys know no limits"


def test_undoing_a_deletion_stays_within_the_plan(cast: Cast, ids: list[str]) -> None:
    job = cast.key.get("/bulk-job", filters={"action": "delete"}).data[0]["_id"]
    with cast.scope():
        limit(cast, contact=used_quota("contact") + 1)
    undoing = done(cast, cast.session.post(f"/bulk-job/{job}/undo").data["_id"])
    assert (undoing["status"], undoing["changed"], undoing["failed"]) == ("completed", 1, 2)
    told = "your subscription allows 2 contacts, and there is room for 0 more"
    assert undoing["report"]["failed"] == dict.fromkeys(sorted(ids[:3])[1:], told)
    with cast.scope():
        assert used_quota("contact") == 2


def test_very_many_are_restored_by_a_worker(cast: Cast, ids: list[str], settings: Any) -> None:
    settings.BULK_AT_ONCE, settings.BULK_BATCH_ROWS = 2, 2
    take_address(cast, 1)
    with cast.scope():
        limit(cast, contact=used_quota("contact") + 1)
    answer = cast.session.post("/contact/restore", {"selectAll": True})
    assert (answer.status, answer.data) == (200, {"restoredCount": None, "failed": None})
    found = done(cast, answer.body["bulkJob"])
    assert found["action"] == "restore"
    assert (found["status"], found["total"], found["changed"], found["failed"]) == ("completed", 3, 1, 2)
    assert found["report"]["failed"][ids[1]] == TAKEN
    assert found["canUndo"] is True
    with cast.scope():
        assert BulkJob.objects.get(pk=answer.body["bulkJob"]).limited is True
        assert Contact.objects.filter(is_deleted=False).count() == 3


def test_the_back_office_restores(cast: Cast, ids: list[str]) -> None:
    staff = Client()
    staff.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    take_address(cast, 1)
    with cast.scope():
        lead = LeadFactory(contact=Contact.objects.get(pk=ids[3]), is_deleted=True)
    for address, chosen in (("contact", ids[:2]), ("lead", [lead.pk])):
        changelist = reverse(f"admin:crm_{address}_changelist")
        page = staff.post(changelist, {"action": "restore", "_selected_action": chosen}, follow=True).content.decode()
        assert "Restored: 1" in page
        assert (TAKEN in page) is (address == "contact")
    with cast.scope():
        assert Contact.objects.get(pk=ids[0]).is_deleted is False
        assert Contact.objects.get(pk=ids[1]).is_deleted is True
        assert Lead.objects.get(pk=lead.pk).is_deleted is False
