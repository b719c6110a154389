"""Members with own records: the work that they start, new records, unique keys, and rows of shared things."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from core.tenancy import OwnRecords, company_scope
from crm.models import BulkJob, Comment, Contact, FollowUp, Lead, Organization, Tag
from tests.contracts.own_world import limit, own_records
from tests.crm.bulk_jobs.helpers import done
from tests.crm.exports.helpers import content_of
from tests.crm.exports.helpers import work as export
from tests.crm.imports.helpers import csv_of, people
from tests.crm.imports.helpers import run as run_import
from tests.kit.cast import KEY, Answer, Caller, Cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory, TagFactory

PERSON = {"name": "Ann Lee", "email": "ann.lee@example.org", "countryCode": "+44", "number": "7400123456"}


@pytest.fixture
def limited(cast: Cast) -> Caller:
    """The session of a member who meets a contact, a lead and an organization of their own, beside those of others."""
    limit(cast)
    with cast.scope():
        own_records(cast)
        for number in range(3):
            contact = ContactFactory(name=f"Zara {number}", email=f"zara{number}@example.net", owner=cast.owner)
            LeadFactory(contact=contact, team_member=cast.owner)
        OrganizationFactory(name="Zara Ltd", owner=cast.owner)
        ContactFactory(name="Nobody's")
    return cast.narrow_session


def names(cast: Cast, **conditions: Any) -> list[str]:
    with cast.scope():
        return sorted(Contact.objects.filter(**conditions).values_list("name", flat=True))


def refused_field(answer: Answer) -> tuple[int, list[str]]:
    return answer.status, [error["field"] for error in answer.body.get("errors", [])]


@pytest.fixture
def queued(settings: Any) -> None:
    """Leave every change of records to a worker."""
    settings.BULK_AT_ONCE = 0


def test_bulk_jobs_and_their_undo(cast: Cast, limited: Caller, queued: None) -> None:
    job = limited.delete("/contact", {"selectAll": True}).body["bulkJob"]
    assert done(cast, job)["changed"] == 1
    assert names(cast, is_deleted=True) == ["Own Contact"]
    everybody = cast.session.put("/contact", {"selectAll": True, "formData": {"name": "Changed"}}).body["bulkJob"]
    assert done(cast, everybody)["changed"] == 4
    assert limited.get(f"/bulk-job/{everybody}").status == limited.get(f"/bulk-job/{'f' * 24}").status == 404
    assert limited.post(f"/bulk-job/{everybody}/undo").status == 404
    undo = limited.post(f"/bulk-job/{job}/undo").data
    done(cast, undo["_id"])
    assert names(cast, is_deleted=True) == []


def test_a_job_obeys_the_role_of_its_start_and_of_now(cast: Cast, limited: Caller, queued: None) -> None:
    limit(cast, {})
    job = limited.put("/contact", {"selectAll": True, "formData": {"name": "Changed"}}).body["bulkJob"]
    limit(cast)
    assert done(cast, job)["changed"] == 1


def test_exports(cast: Cast, limited: Caller) -> None:
    for resource, own in (("contact", b"Own Contact"), ("organization", b"Own Organization"), ("lead", b"Own Contact")):
        made = limited.post("/export", {"resource": resource}).data
        export()
        content = content_of(limited, limited.get(f"/export/{made['_id']}").data)
        assert (own in content, b"Zara" in content) == (True, False), resource
    others = cast.session.post("/export", {"resource": "contact"}).data
    export()
    file = cast.session.get(f"/export/{others['_id']}").data["file"]["_id"]
    for path in (f"/export/{others['_id']}", f"/file/{file}"):
        assert limited.get(path).status in (400, 404), path
    assert [row["_id"] for row in limited.get("/export").data if row["_id"] == others["_id"]] == []


def test_imports(cast: Cast, limited: Caller) -> None:
    with cast.scope():
        Contact.objects.filter(name="Zara 0").update(email="person1@example.org", email_key="person1@example.org")
    caller = replace(cast, key=limited)
    job = run_import(caller, csv_of(people(3)), options={"existing": "update"})
    assert (job["status"], job["created"], job["updated"]) == ("completed", 2, 0)
    assert names(cast, owner=cast.narrow) == ["Own Contact", "Person 2", "Person 3"]
    assert "Zara 0" in names(cast)
    assert "Zara" not in str(job)


def test_new_records_and_owners(cast: Cast, limited: Caller) -> None:
    made = limited.post("/contact", {"formData": PERSON})
    assert made.data["owner"]["_id"] == cast.narrow.pk
    firm = limited.post("/organization", {"formData": {"name": "Acme"}})
    assert firm.data["owner"]["_id"] == cast.narrow.pk
    lead = limited.post("/lead", {"contact": made.data["_id"]})
    assert lead.data["owner"]["_id"] == cast.narrow.pk
    for path, one in (("contact", made), ("organization", firm), ("lead", lead)):
        for owner in (cast.owner.pk, None):
            body = {"owner": owner}
            single = limited.put(f"/{path}/{one.data['_id']}", body)
            assert refused_field(single) == (400, ["owner"]), (path, owner, single.body)
            many = limited.put(f"/{path}", {"ids": [one.data["_id"]], **body})
            assert refused_field(many)[0] == 400, (path, owner, many.body)
        assert limited.get(f"/{path}/{one.data['_id']}").data["owner"]["_id"] == cast.narrow.pk
    person = {**PERSON, "email": "b@example.org", "number": "7400123457"}
    refused = limited.post("/contact", {"formData": person, "owner": cast.owner.pk})
    assert refused_field(refused) == (400, ["owner"])
    assert "stay with you" in refused.body["warning"]


def test_a_unique_key_of_others_is_refused_without_their_contact(cast: Cast, limited: Caller) -> None:
    with cast.scope():
        other = Contact.objects.get(name="Zara 0")
        own = Contact.objects.get(name="Own Contact")
    for answer in (
        limited.post("/contact", {"formData": {**PERSON, "email": "ZARA0@example.net"}}),
        limited.post("/contact", {"formData": {**PERSON, "email": "zara0@example.net"}, "existingError": False}),
        limited.put(f"/contact/{own.pk}", {"formData": {"email": "zara0@example.net"}}),
        limited.post("/lead", {"formData": {**PERSON, "email": "zara0@example.net"}}),
    ):
        assert (answer.status, answer.body["name"]) == (400, "ContactAlreadyExists_400"), answer.body
        assert not {other.pk, "Zara"} & set(str(answer.body).replace('"', " ").split())
        assert other.pk not in str(answer.body)


def test_rows_follow_their_records(cast: Cast, limited: Caller) -> None:
    with cast.scope():
        other, own = Contact.objects.get(name="Zara 0"), Contact.objects.get(name="Own Contact")
        task = {"title": "Ring", "due_at": "2090-01-01T10:00:00Z"}
        FollowUp.objects.create(contact=other, **task)
        on_task = Comment.objects.create(task=FollowUp.objects.get(), text="about a task", created_by=cast.owner)
        FollowUp.objects.create(contact=own, **task)
    assert len(limited.get("/task").data) == 1
    assert limited.get(f"/comment/{on_task.pk}").status in (400, 404, 405)
    with company_scope(cast.company.pk, OwnRecords(cast.narrow.pk, frozenset({"contact", "lead"}))):
        assert not Comment.objects.filter(pk=on_task.pk).exists()
        assert Contact.objects.count() == 1
        assert Organization.objects.count() == 1
        with pytest.raises(DatabaseError, match="row-level"), transaction.atomic():
            Contact.objects.create(name="x", owner=cast.owner)
        with connection.cursor() as cursor:
            cursor.execute("UPDATE crm_contact SET name = 'stolen' WHERE id = %s RETURNING id", [other.pk])
            assert cursor.fetchall() == []


def test_one_module_alone(cast: Cast, limited: Caller) -> None:
    limit(cast, {"contact": "own", "lead": "all"})
    assert (len(limited.get("/contact").data), len(limited.get("/lead").data)) == (1, 4)
    with cast.scope():
        lead = Lead.objects.filter(team_member=cast.owner).first()
    assert limited.get(f"/lead/{lead.pk}").data["contact"]["name"].startswith("Zara")
    assert limited.get(f"/contact/{lead.contact_id}").status == limited.get(f"/contact/{'f' * 24}").status
    limit(cast, {"contact": "all", "lead": "own"})
    assert (len(limited.get("/contact").data), len(limited.get("/lead").data)) == (5, 1)


def test_no_role_limits_owners_and_keys_that_are_not_strict(cast: Cast, limited: Caller, settings: Any) -> None:
    with cast.scope():
        cast.owner.role = cast.narrow.role
        cast.owner.save()
    assert len(cast.session.get("/contact").data) == 5
    key = Caller(KEY, {"apikey": cast.session.post("/api", {"type": "permanent"}).data["key"]})
    assert len(key.get("/contact").data) == 5
    made = limited.post("/api", {"type": "permanent"})
    strict = Caller(KEY, {"apikey": made.data["key"]})
    assert len(strict.get("/contact").data) == 1
    settings.STRICT_KEYS = False
    assert len(strict.get("/contact").data) == 5


def test_shared_rows_stay_while_records_of_others_use_them(cast: Cast, limited: Caller) -> None:
    with cast.scope():
        used, free = TagFactory(), TagFactory()
        Contact.objects.get(name="Zara 0").tag_links.create(tag=used)
    assert limited.delete("/tag", {"ids": [free.pk]}).status == 200
    with transaction.atomic():
        limited.delete("/tag", {"ids": [used.pk]})
        with pytest.raises(IntegrityError), transaction.atomic():
            connection.check_constraints()  # as a commit does, which the request answers with 403
        transaction.set_rollback(True)
    with cast.scope():
        assert list(Tag.objects.values_list("pk", flat=True)) == [used.pk]
    field = cast.session.post("/custom-field", {"name": "Size", "fieldType": "number"}).data["_id"]
    assert limited.delete("/custom-field", {"ids": [field]}).status == 403
    assert limited.put("/settings", {"contactUniqueKey": "email"}).status == 403


def test_workflows_are_published_by_who_meets_all_records(cast: Cast, limited: Caller) -> None:
    nodes = [{"id": "trigger", "type": "trigger", "data": {"config": {}}}]
    made = limited.post("/workflow", {"name": "W", "triggerEventType": "contact.created", "nodes": nodes, "edges": []})
    assert made.status in (200, 201), made.body
    answer = limited.post(f"/workflow/{made.data['_id']}/publish")
    assert answer.status == 400
    assert "contact.GET" in str(answer.body)


def test_the_walk_notices_a_scope_that_is_missing(cast: Cast, limited: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.access.actor.Actor.own_records", None)
    assert "Zara" in str(limited.get("/contact").body)


def test_jobs_of_others_stay_hidden(cast: Cast, limited: Caller, queued: None) -> None:
    cast.session.delete("/contact", {"selectAll": True})
    with cast.scope():
        job = BulkJob.objects.get()
    assert limited.get(f"/bulk-job/{job.pk}").status == 404
    assert limited.put(f"/bulk-job/{job.pk}", {"status": "cancelled"}).status == 404
