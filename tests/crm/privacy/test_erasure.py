"""Erasure: nothing personal stays anywhere in the database but the address that is never written to again."""

from __future__ import annotations

import re

import pytest
from django.apps import apps
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import Mail
from core.ids import new_id
from core.models import Event, EventDelivery
from core.tenancy.row_security import company_references
from crm.models import (
    Contact,
    CustomField,
    Export,
    File,
    Import,
    ImportRowError,
    Journal,
    Lead,
    Meeting,
    Merge,
    SavedView,
)
from crm.privacy.registry import PERSONAL_DATA
from crm.privacy.tables import PERSONAL_MAILS
from outreach.messaging.delivery.privacy import not_erased
from outreach.models import (
    LeadGeneration,
    SendJob,
    Smtp,
    Suppression,
)
from tests.crm.exports import helpers as exporting
from tests.crm.privacy.helpers import EMAIL, FORM, NAME, NUMBER, erase, scatter, traces
from tests.kit.cast import SESSION, Caller, Cast, session_headers
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory, RoleFactory, SmtpFactory
from tests.kit.sending import commit_intent


def test_nothing_is_left_but_the_suppressed_address(scope: Cast) -> None:
    id = scatter(scope)
    before = traces()
    assert len(before) >= 18, sorted(before)
    told = scope.key.get(f"/contact/{id}/access-request")
    assert told.status == 200, told.body
    answer = erase(scope.key, id)
    assert answer.status == 200, answer.body
    left = traces()
    assert sorted(left) == ["outreach_chatoptout", "outreach_suppression"], {
        table: rows[:2] for table, rows in left.items()
    }
    assert sorted(Suppression.objects.values_list("email", "reason", "source", "details")) == [
        (f"2.{EMAIL}", "manual", "erasure", {}),
        (EMAIL, "bounced", "", {}),
    ]
    counts = answer.data["counts"]
    assert (counts["contacts"], counts["leads"], counts["messages"], counts["meetings"], counts["mails"]) == (
        2,
        1,
        9,
        1,
        3,
    )
    assert answer.data["fileCount"] == 1
    assert [file["name"] for file in answer.data["sourceFiles"]] == ["people.csv"]


def test_what_belongs_to_others_stays(scope: Cast) -> None:
    id = scatter(scope)
    kept = {row.pk for row in Contact.objects.exclude(name__startswith=NAME)}
    assert erase(scope.key, id).status == 200
    assert {row["_id"] for row in scope.key.get("/contact").data} == kept
    assert Import.objects.get().sample[-2:] == [
        [f"Person {n}", f"person{n}@example.org", "+49", f"151{n:08}"] for n in (1, 2)
    ]
    assert list(ImportRowError.objects.values_list("values", "message")) == [([], "Erased on request.")]
    assert [(mail.subject, mail.text) for mail in Mail.objects.filter(kind="meeting_invitation")] == [
        ("Soon: Fair", "with Third")
    ]
    (fair,) = Meeting.objects.all()
    assert list(fair.attendees.values_list("email", flat=True)) == ["third@example.org"]
    assert [found["reason"] for found in LeadGeneration.objects.get().found] == ["digs"]
    assert LeadGeneration.objects.get().candidates == [{"email": "beside@example.org"}]
    assert [view.name for view in SavedView.objects.all()] == ["Town"]
    assert SendJob.objects.count() == 9
    assert sorted(SendJob.objects.values_list("status", flat=True).distinct()) == [
        "cancelled",
        "failed",
        "sent",
        "suppressed",
        "unknown",
    ]
    assert Smtp.objects.get().last_error == ""
    assert not File.objects.filter(is_deleted=False).exclude(name="people.csv").exists()
    assert Journal.objects.count() == Merge.objects.count() == Export.objects.count() == Lead.objects.count() == 0
    (event,) = Event.objects.filter(kind="contact.erased")
    assert event.object_id == id
    assert event.payload["contacts"] == sorted(event.payload["contacts"])
    assert not EventDelivery.objects.filter(event__object_id=id).exclude(event=event).exists()


def test_the_second_call_says_missing_and_a_new_contact_may_take_the_address(scope: Cast) -> None:
    contact = scope.key.post("/contact", {"formData": FORM}).data
    assert erase(scope.key, contact["_id"]).status == 200
    again = erase(scope.key, contact["_id"])
    assert (again.status, again.body["warning"]) == (400, "id: there is no such contact in this company")
    assert scope.key.get(f"/contact/{contact['_id']}/access-request").body == again.body
    assert scope.key.get(f"/contact/{contact['_id']}").status == 400
    assert scope.key.post("/contact", {"formData": FORM}).status == 200
    assert Suppression.objects.get().email == EMAIL


@pytest.mark.parametrize("confirm", [EMAIL.upper(), NUMBER, f"+49{NUMBER}", "+49 170 1987654"])
def test_the_contact_is_named_once_more(scope: Cast, confirm: str) -> None:
    contact = scope.key.post("/contact", {"formData": FORM}).data
    for wrong in ("", "x", "zorbaxia", new_id(), "+49", f"x{NUMBER}", f"0{NUMBER}"):
        answer = erase(scope.key, contact["_id"], wrong)
        assert answer.status == 400, (wrong, answer.body)
        assert answer.body["warning"].startswith("confirm"), answer.body
    assert Contact.objects.get().erased_at is None
    assert erase(scope.key, contact["_id"], confirm).status == 200
    assert Contact.objects.get().name == ""


def test_a_deleted_contact_can_be_erased_and_one_without_address_by_its_id(scope: Cast) -> None:
    contact = ContactFactory(name=NAME, email=None, email_key=None, is_deleted=True)
    assert erase(scope.key, contact.pk, contact.pk).status == 200
    assert traces() == {}


def test_a_contact_that_was_merged_is_erased_with_the_other(scope: Cast) -> None:
    winner, loser = ContactFactory(), ContactFactory(name=NAME, email=EMAIL, is_deleted=True)
    Contact.objects.filter(pk=loser.pk).update(merged_into=winner)
    answer = erase(scope.key, loser.pk)
    assert (answer.status, answer.body["warning"]) == (
        400,
        f"id: the contact was merged into {winner.pk}, which holds what is known of it",
    )
    assert sorted(erase(scope.key, winner.pk, winner.pk).data["contactIds"]) == sorted([winner.pk, loser.pk])
    assert list(traces()) == ["outreach_suppression"]


def test_a_lead_of_another_contact_that_was_merged_into_one_of_its_leads_stays(scope: Cast) -> None:
    lead = LeadFactory(contact__email=EMAIL)
    other = LeadFactory(merged_into=lead, is_deleted=True)
    assert erase(scope.key, lead.contact_id).status == 200
    assert list(Lead.objects.values_list("pk", "merged_into")) == [(other.pk, None)]


def test_while_a_message_is_going_out_it_is_refused_and_nothing_changes(scope: Cast) -> None:
    contact = ContactFactory(name=NAME, email=EMAIL)
    smtp = SmtpFactory()
    SendJob.objects.create(contact=contact, smtp=smtp, status="sending", subject="Now")
    waiting = SendJob.objects.create(contact=contact, smtp=smtp, status="approved", subject="Later", step=2)
    answer = erase(scope.key, contact.pk)
    assert (answer.status, answer.body["warning"]) == (
        400,
        "a message to the contact is going out at this moment; try again in a minute",
    )
    waiting.refresh_from_db()
    assert (waiting.status, waiting.subject) == ("approved", "Later")
    assert Contact.objects.get().name == NAME


def test_a_message_that_a_worker_has_claimed_does_not_go_any_more(scope: Cast) -> None:
    contact = ContactFactory(name=NAME, email=EMAIL)
    job = SendJob.objects.create(contact=contact, smtp=SmtpFactory(), status="claimed", lease=new_id(), text="Hello")
    held = SendJob.objects.get(pk=job.pk)
    assert erase(scope.key, contact.pk).status == 200
    assert commit_intent(held, recipient=EMAIL) is False
    job.refresh_from_db()
    assert (job.status, job.reason, job.recipient, job.text) == ("cancelled", "erased", "", "")
    assert not_erased([contact.pk, ContactFactory().pk]) == {Contact.objects.get(erased_at=None).pk}


def test_an_export_at_work_begins_anew_and_finished_ones_go(scope: Cast) -> None:
    contact = scope.key.post("/contact", {"formData": FORM}).data
    done = exporting.make(scope.key)
    exporting.work()
    busy = exporting.make(scope.key)
    Export.objects.filter(pk=busy["_id"]).update(status="running", lease=new_id(), worker=1)
    assert erase(scope.key, contact["_id"]).data["exportCount"] == 1
    assert scope.key.get(f"/export/{done['_id']}").status == 404
    exporting.work()
    found = scope.key.get(f"/export/{busy['_id']}").data
    assert exporting.table(exporting.content_of(scope.key, found))[1:] == []


def test_a_file_that_another_record_has_stays(scope: Cast) -> None:
    CustomField.objects.create(name="Passport", unique_field_id="passport", field_type="file", value_type="file")
    own, shared = (
        scope.key.upload("/upload", SimpleUploadedFile(f"{n}.txt", n.encode())).data["_id"] for n in ("own", "shared")
    )
    first = scope.key.post("/contact", {"formData": {**FORM, "passport": own}}).data
    for file, number in ((shared, "1701000001"), (shared, "1701000002")):
        made = scope.key.post(
            "/contact",
            {"formData": {"email": f"{number}@example.org", "countryCode": "+49", "number": number, "passport": file}},
        )
        assert made.status == 200, made.body
    assert erase(scope.key, first["_id"]).data["fileCount"] == 1
    assert erase(scope.key, made.data["_id"], made.data["_id"]).data["fileCount"] == 0
    assert [file["_id"] for file in scope.key.get("/file").data] == [shared]


def test_who_may(cast: Cast, outsiders: Cast) -> None:
    contact = cast.key.post("/contact", {"formData": FORM}).data["_id"]
    missing = erase(outsiders.key, new_id())
    assert erase(outsiders.key, contact).body == missing.body
    with cast.scope():
        role = RoleFactory(permission={"contact": {"GET": True, "POST": True}})
        member = Caller(SESSION, session_headers(MemberFactory(status="accepted", role=role)))
    refused = erase(member, contact)
    assert (refused.status, refused.body["warning"]) == (403, "your role lacks the permission contact.DELETE")
    assert cast.narrow_session.post(f"/contact/{contact}/erase", {"confirm": EMAIL}).status == 403
    for body in ({}, {"confirm": 5}, {"confirm": EMAIL, "more": 1}, []):
        assert cast.session.post(f"/contact/{contact}/erase", body).status == 400
    assert erase(cast.session, "xyz").status == 400
    with cast.scope():
        role.permission["contact"]["DELETE"] = True
        role.save()
    assert erase(member, contact).status == 200


def test_whatever_refers_to_contacts_or_leads_is_erased_and_told() -> None:
    referring = {
        model._meta.label
        for model in apps.get_models()
        for reference in company_references(model)
        if reference.related_model in (Contact, Lead)
    }
    assert {"crm.Lead", "crm.CallLog", "crm.MeetingAttendee", "outreach.SendJob"} <= referring
    assert referring - {table.model._meta.label for table in PERSONAL_DATA.values()} == set()
    untold = {table.model._meta.label for table in PERSONAL_DATA.values() if not table.exported}
    assert untold & referring == {"crm.CustomFieldValue", "crm.LeadValue"}, "their values are told with the records"


def test_the_columns_of_a_contact_are_blank_afterwards(scope: Cast) -> None:
    contact = scope.key.post("/contact", {"formData": FORM}).data
    erase(scope.key, contact["_id"])
    row = Contact.objects.values().get()
    left = {name for name, value in row.items() if value not in (None, "", {}, [])}
    assert left <= {"id", "company_id", "created_at", "updated_at", "is_deleted", "deleted_at", "erased_at"}, left


@pytest.mark.parametrize("kind", PERSONAL_MAILS)
def test_no_mail_of_the_service_keeps_the_name(scope: Cast, kind: str) -> None:
    contact = ContactFactory(name=NAME, email=EMAIL)
    shared = {"kind": kind, "to": "us@example.org", "company_id": scope.company.pk}
    Mail.objects.create(subject=f"About {NAME}", status="sent", **shared)
    Mail.objects.create(subject="Soon", text=f"About {NAME}", status="queued", **shared)
    other = Mail.objects.create(subject="About others", text="Soon", status="queued", **shared)
    assert erase(scope.key, contact.pk).data["counts"]["mails"] == 2
    assert NAME not in str([(mail.subject, mail.text) for mail in Mail.objects.all()])
    other.refresh_from_db()
    assert (other.subject, other.status) == ("About others", "queued")


def test_every_mail_whose_template_names_a_contact_is_listed() -> None:
    word = re.compile(r"\b(contact|conversation|inbound|task|follow_up|comment|meeting|lead|quote)\b[.|} ]")
    parts = {"meeting_facts", "task_facts"}
    # One is about a connected app, the other about a visit of staff.
    others = {"notice_social_app_failing", "notice_staff_visited"}
    named = {
        path.name.partition(".")[0]
        for path in (settings.BASE_DIR / "templates" / "mails").glob("*.txt")
        if word.search(path.read_text())
    }
    assert named - parts - others == set(PERSONAL_MAILS)
