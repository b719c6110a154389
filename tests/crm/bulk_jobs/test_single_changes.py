"""Changes and deletions of one record, which can be undone like those of many"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.jobs import WORK
from core.tenancy import unscoped
from crm.models import BulkJob, Contact, Journal
from tests.crm.bulk_jobs.helpers import done
from tests.crm.bulk_jobs.test_journal import everything
from tests.crm.contacts.helpers import add_field, form
from tests.crm.leads.helpers import make, product
from tests.kit.cast import SESSION, Caller, Cast, session_headers
from tests.kit.factories import ContactFactory, MemberFactory, RoleFactory, TagFactory


def rows(cast: Cast) -> dict[str, Any]:
    with cast.scope():
        return everything()


def undo(cast: Cast, job: str) -> dict[str, Any]:
    answer = cast.key.post(f"/bulk-job/{job}/undo")
    assert answer.status == 201, answer.body
    return done(cast, answer.data["_id"])


def changes(cast: Cast) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Return name -> method, path and body of a change of one record of each kind."""
    with cast.scope():
        add_field("city")
        tag, item = TagFactory().pk, product("Bean").pk
    contact = cast.key.post("/contact", {"formData": form(1, name="Ann", city="Bonn")}).data["_id"]
    lead = make(cast, 2, productServices=[item])["_id"]
    return {
        "contact": ("put", f"/contact/{contact}", {"formData": {"name": "Bob", "city": "Ulm"}, "tags": [tag]}),
        "contacts": ("put", "/contact", {"ids": [contact], "formData": {"city": "Ulm"}}),
        "deleted contact": ("delete", "/contact", {"ids": [contact]}),
        "lead": ("put", f"/lead/{lead}", {"formData": {"status": "won", "value": 12}, "productServices": []}),
        "lead and contact": ("put", f"/lead/{lead}", {"formData": {"status": "won", "name": "Cid"}}),
        "lead's contact": ("put", f"/lead/{lead}", {"formData": {"name": "Cid"}}),
        "leads": ("put", "/lead", {"ids": [lead], "formData": {"notes": "x"}}),
        "deleted lead": ("delete", "/lead", {"ids": [lead]}),
        "product": ("put", f"/product-service/{item}", {"formData": {"name": "Pea", "price": 2.5}}),
        "products": ("put", "/product-service", {"ids": [item], "formData": {"price": 2.5}}),
        "deleted product": ("delete", "/product-service", {"ids": [item]}),
    }


def test_each_change_and_deletion_of_one_record_is_undone_to_the_byte(cast: Cast) -> None:
    for name, (method, path, body) in changes(cast).items():
        was = rows(cast)
        answer = getattr(cast.key, method)(path, body)
        assert answer.status == 200, (name, answer.body)
        assert rows(cast) != was, name
        job = cast.key.get(f"/bulk-job/{answer.body['bulkJob']}").data
        assert (job["status"], job["total"], job["canUndo"]) == ("completed", 1, True), name
        assert undo(cast, job["_id"])["failed"] == 0, name
        assert rows(cast) == was, name


def test_creations_that_overwrite_are_undone_too(cast: Cast) -> None:
    ids = [cast.key.post("/contact", {"formData": form(n, name=f"Ann {n}")}).data["_id"] for n in range(2)]
    was = rows(cast)
    one = cast.key.post("/contact", {"formData": form(0, name="Bea"), "existingError": False})
    assert (one.status, one.data["name"]) == (200, "Bea")
    items = [form(n, name="Cid") for n in range(2)]
    many = cast.key.post("/contact/bulk", {"formData": items, "existingError": False})
    assert [contact["_id"] for contact in many.data["updated"]] == ids
    assert [undo(cast, answer.body["bulkJob"])["changed"] for answer in (many, one)] == [2, 1]
    assert rows(cast) == was
    for answer in (
        cast.key.post("/contact", {"formData": form(0, name="Ann 0"), "existingError": False}),
        cast.key.post("/contact", {"formData": form(7), "existingError": False}),
        cast.key.post("/contact", {"formData": form(8)}),
    ):
        assert (answer.status, "bulkJob" in answer.body) == (200, False)


def test_a_change_that_changes_nothing_has_nothing_to_undo(cast: Cast) -> None:
    contact = cast.key.post("/contact", {"formData": form(1, name="Ann")}).data["_id"]
    lead = make(cast, 2)["_id"]
    with cast.scope():
        item = product("Bean").pk
    for path, values in (
        (f"/contact/{contact}", {"name": "Ann"}),
        (f"/lead/{lead}", {"status": "new", "name": "Person 2"}),
        (f"/product-service/{item}", {"name": "Bean"}),
    ):
        answer = cast.key.put(path, {"formData": values})
        assert (answer.status, "bulkJob" in answer.body) == (200, False)
    with cast.scope():
        assert (BulkJob.objects.count(), Journal.objects.count()) == (0, 0)


def test_what_somebody_changed_since_stays(cast: Cast) -> None:
    contact = cast.key.post("/contact", {"formData": form(1, name="Ann")}).data["_id"]
    job = cast.key.put(f"/contact/{contact}", {"formData": {"name": "Bob", "number": "1709999999"}}).body["bulkJob"]
    cast.key.put(f"/contact/{contact}", {"formData": {"name": "Cid"}})
    found = undo(cast, job)
    assert (found["changed"], found["report"]["kept"]) == (1, {contact: ["name"]})
    now = cast.key.get(f"/contact/{contact}").data
    assert (now["name"], now["number"]) == ("Cid", "1701000001")


def test_undoing_a_lead_with_its_contact_takes_the_right_to_both(cast: Cast) -> None:
    lead = make(cast, 1)["_id"]
    both = cast.key.put(f"/lead/{lead}", {"formData": {"status": "won", "name": "Cid"}}).body["bulkJob"]
    own = cast.key.put(f"/lead/{lead}", {"formData": {"status": "new"}}).body["bulkJob"]
    leads = dict.fromkeys(("GET", "POST", "PUT"), True)
    with cast.scope():
        member = MemberFactory(status="accepted", role=RoleFactory(permission={"lead": leads}))
    session = Caller(SESSION, session_headers(member))
    refused = session.post(f"/bulk-job/{both}/undo")
    assert (refused.status, refused.body["warning"]) == (403, "your role lacks the permission contact.PUT")
    assert session.post(f"/bulk-job/{own}/undo").status == 201


def test_the_change_of_an_erased_contact_is_forgotten(cast: Cast) -> None:
    with cast.scope():
        contact = ContactFactory(email="ann@example.org", name="Ann")
    job = cast.key.put(f"/contact/{contact.pk}", {"formData": {"name": "Ann Secret"}}).body["bulkJob"]
    assert cast.key.post(f"/contact/{contact.pk}/erase", {"confirm": contact.pk}).status == 200
    with cast.scope():
        assert (BulkJob.objects.get(pk=job).change, Journal.objects.count()) == ({}, 0)


@pytest.mark.parametrize(("days", "kept"), [(30, True), (32, False)])
def test_jobs_of_one_record_go_with_their_journals(cast: Cast, days: int, kept: bool) -> None:
    contact = cast.key.post("/contact", {"formData": form(1, name="Ann")}).data["_id"]
    job = cast.key.put(f"/contact/{contact}", {"formData": {"name": "Bob"}}).body["bulkJob"]
    undo(cast, job)
    with cast.scope():
        then = timezone.now() - timedelta(days=days)
        Journal.objects.update(created_at=then)
        BulkJob.objects.update(finished_at=then)
    with unscoped(reason="test: the periodic task works for all companies"):
        assert WORK["periodic:journals"].run() is False
        WORK["periodic:journals"].run()
    with cast.scope():
        assert Contact.objects.count() == 1
        assert BulkJob.objects.count() == (2 if kept else 0)
