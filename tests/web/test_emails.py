"""The pages of emails that members write to one person: composer, drafts, what was sent."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from accounts.models import Member
from crm.models import Contact, FollowUp, LeadActivity
from outreach.models import InboundMessage, PersonalMail, SendJob, Suppression
from tests.kit.cast import Cast
from tests.kit.factories import (
    ContactFactory,
    LeadFactory,
    MemberFactory,
    OrganizationFactory,
    RoleFactory,
    SmtpFactory,
)
from tests.web.helpers import at, enter, text_of, toast_of

HTMX = {"HX-Request": "true"}


@pytest.fixture
def ada(cast: Cast) -> Contact:
    with cast.scope():
        SmtpFactory()
        contact: Contact = ContactFactory(name="Ada Lovelace", email="ada@example.com", custom={})
    return contact


def sent(body: dict[str, Any]) -> dict[str, Any]:
    return {"do": "save", "subject": "Hello", "body": "Shall we talk, {{contact.firstName}}?", **body}


def test_an_email_is_sent_from_a_contact_and_taken_back(cast: Cast, ada: Contact) -> None:
    browser = enter(cast.owner)
    here = at(cast.owner, f"contacts/{ada.pk}")
    shown = browser.get(here)
    assert f"emails/new?contact={ada.pk}" in shown.content.decode()
    form = browser.get(at(cast.owner, f"emails/new?contact={ada.pk}"))
    assert "Email to Ada Lovelace" in text_of(form)
    assert "ada@example.com" in text_of(form)
    answer = browser.post(at(cast.owner, "emails/new"), sent({"contact": ada.pk}))
    assert (answer.status_code, answer["Location"]) == (303, here)
    assert "Email sent" in toast_of(browser, answer)
    with cast.scope():
        mail = PersonalMail.objects.get()
        job = SendJob.objects.get()
        assert (job.text, job.status) == ("Shall we talk, Ada?", "approved")
        assert job.due_at > timezone.now()  # for ten seconds it can be taken back
    undone = browser.post(at(cast.owner, f"emails/{mail.pk}"), {"do": "undo"})
    assert "It is in your drafts." in toast_of(browser, undone)
    assert "Shall we talk, {{contact.firstName}}?" in browser.get(undone["Location"]).content.decode()
    with cast.scope():
        assert set(SendJob.objects.values_list("status", flat=True)) == {"cancelled"}
    listed = browser.get(at(cast.owner, "emails"))
    assert "Ada Lovelace" in text_of(listed)
    deleted = browser.post(at(cast.owner, f"emails/{mail.pk}"), {"do": "delete"})
    assert "Email deleted" in toast_of(browser, deleted)
    assert "No emails here" in text_of(browser.get(deleted["Location"]))


def test_what_is_wrong_stands_at_its_field_and_nothing_typed_is_lost(cast: Cast, ada: Contact) -> None:
    browser = enter(cast.owner)
    here = at(cast.owner, "emails/new")
    refused = browser.post(here, sent({"contact": ada.pk, "subject": "", "body": "Some words"}))
    assert refused.status_code == 422
    assert "nter a subject" in text_of(refused)
    assert "Some words" in refused.content.decode()
    with cast.scope():
        Contact.objects.filter(pk=ada.pk).update(unsubscribed_at=timezone.now())
    assert "has unsubscribed" in text_of(browser.get(f"{here}?contact={ada.pk}"))
    refused = browser.post(here, sent({"contact": ada.pk}))
    assert refused.status_code == 422
    assert "The contact has unsubscribed." in text_of(refused)
    assert "The email was not sent." in text_of(refused)
    for gone in ("x", "0" * 24):
        assert "This contact no longer exists" in text_of(browser.get(f"{here}?contact={gone}"))


def test_an_email_to_a_suppressed_address_stays_a_draft(cast: Cast, ada: Contact) -> None:
    with cast.scope():
        Suppression.objects.create(email="ada@example.com", reason=Suppression.Reason.MANUAL)
    browser = enter(cast.owner)
    here = at(cast.owner, "emails/new")
    key = "a" * 24
    for _time in range(2):
        refused = browser.post(here, sent({"contact": ada.pk, "key": key}))
        assert refused.status_code == 422
        text = text_of(refused)
        assert "The email was not sent. It is saved as a draft." in text
        assert "The address is on the suppression list." in text
        assert ("Not saved yet" in text, "The message was not sent" in text, "To :" in text) == (False, False, False)
        assert f'href="{at(cast.owner, "suppressions")}"' in refused.content.decode()
    with cast.scope():
        [mail] = PersonalMail.objects.all()
        assert (mail.subject, mail.send_job) == ("Hello", None)
        Suppression.objects.all().delete()
    # The stored draft is sent by the same form.
    assert browser.post(here, sent({"contact": ada.pk, "key": key})).status_code == 303
    with cast.scope():
        assert PersonalMail.objects.get().send_job is not None


def test_a_draft_is_kept_while_it_is_written(cast: Cast, ada: Contact) -> None:
    browser = enter(cast.owner)
    keep = at(cast.owner, "emails/draft")
    kept = browser.post(keep, {"contact": ada.pk, "body": "Half a"}, headers=HTMX)
    assert "Draft saved" in text_of(kept)
    id = re.search(r'name="id" value="(\w+)"', kept.content.decode())
    assert id is not None
    again = browser.post(keep, {"contact": ada.pk, "id": id[1], "body": "Half a sentence"}, headers=HTMX)
    assert "Draft saved" in text_of(again)
    with cast.scope():
        assert list(PersonalMail.objects.values_list("text", flat=True)) == ["Half a sentence"]
    # Send then sends the draft, and makes no second email.
    browser.post(at(cast.owner, "emails/new"), sent({"contact": ada.pk, "id": id[1]}))
    with cast.scope():
        assert PersonalMail.objects.get().send_job is not None
    assert browser.post(keep, {"contact": ada.pk, "id": id[1], "body": "Later"}, headers=HTMX).status_code == 204


def test_a_draft_is_saved_with_a_template_files_and_a_time(cast: Cast, ada: Contact) -> None:
    browser = enter(cast.owner)
    template = cast.key.post(
        "/template/email", {"name": "Offer", "subject": "An offer", "body": "Dear {{contact.name}}"}
    )
    here = at(cast.owner, "emails/new")
    filled = browser.post(here, {"do": "template", "template": template.data["_id"], "contact": ada.pk, "body": ""})
    assert "Dear {{contact.name}}" in filled.content.decode()
    file = SimpleUploadedFile("price.txt", b"ten", "text/plain")
    saved = browser.post(here, {**sent({"contact": ada.pk}), "do": "draft", "sendAt": "2026-12-24T10:00", "file": file})
    assert "Draft saved" in toast_of(browser, saved)
    assert "price.txt" in text_of(browser.get(saved["Location"]))
    with cast.scope():
        mail = PersonalMail.objects.get()
        assert (len(mail.attachments), mail.send_at is not None) == (1, True)
    preview = browser.post(at(cast.owner, f"emails/{mail.pk}"), {**sent({}), "do": "preview"})
    assert "Shall we talk, Ada?" in preview.content.decode()


def test_a_lead_gets_an_email_and_a_task(cast: Cast, ada: Contact) -> None:
    browser = enter(cast.owner)
    with cast.scope():
        lead = LeadFactory(contact=ada)
    shown = browser.get(at(cast.owner, f"leads/{lead.pk}"))
    assert f"emails/new?lead={lead.pk}" in shown.content.decode()
    assert "Send and create task" in text_of(browser.get(at(cast.owner, f"emails/new?lead={lead.pk}")))
    answer = browser.post(at(cast.owner, "emails/new"), {**sent({"lead": lead.pk}), "do": "task"})
    assert "Email sent. Task added, due in 3 days." in toast_of(browser, answer)
    with cast.scope():
        assert FollowUp.objects.get().title == "Follow up: Hello"
        assert PersonalMail.objects.get().lead_id == lead.pk


def test_the_signature_of_the_profile_is_offered(cast: Cast, ada: Contact) -> None:
    browser = enter(cast.owner)
    saved = browser.post("/account", {"do": "signature", "signature": "<b>Grace</b>\nExample Ltd"})
    assert "Saved" in toast_of(browser, saved)
    form = browser.get(at(cast.owner, f"emails/new?contact={ada.pk}"))
    assert "&lt;b&gt;Grace&lt;/b&gt;" in form.content.decode()


def test_what_was_sent_is_only_read(cast: Cast, ada: Contact) -> None:
    browser = enter(cast.owner)
    id = cast.session.post(
        "/message", {"to": {"kind": "contact", "id": ada.pk}, "subject": "Hi", "text": "Gone words"}
    ).data["_id"]
    with cast.scope():
        SendJob.objects.update(status="sent", sent_at=timezone.now())
    shown = browser.get(at(cast.owner, f"emails/{id}"))
    assert "Gone words" in text_of(shown)
    assert "Save draft" not in text_of(shown)
    assert "Hi" in text_of(browser.get(at(cast.owner, "emails?only=sent")))
    refused = browser.post(at(cast.owner, f"emails/{id}"), {"do": "undo"})
    assert "Too late to undo" in toast_of(browser, refused)


def test_who_may_not_send_has_no_button(cast: Cast, ada: Contact) -> None:
    with cast.scope():
        role = RoleFactory(permission={"contact": {"GET": True}, "genie": {"GET": True}})
        member = MemberFactory(status=Member.Status.ACCEPTED, role=role)
    browser = enter(member)
    assert "emails/new" not in browser.get(at(member, f"contacts/{ada.pk}")).content.decode()
    assert "can't send emails" in text_of(browser.get(at(member, f"emails/new?contact={ada.pk}")))


def test_the_person_is_chosen_where_none_is_named(cast: Cast, ada: Contact) -> None:
    browser = enter(cast.owner)
    here = at(cast.owner, "emails/new")
    for place in ("emails", "inbox"):
        assert here in browser.get(at(cast.owner, place)).content.decode()
    assert "Name, email, phone" in browser.get(here).content.decode()
    found = browser.post(here, {"do": "find", "find": "ada"})
    assert f'value="{ada.pk}"' in found.content.decode()
    chosen = browser.post(here, {"do": "choose", "contact": ada.pk})
    assert (chosen.status_code, chosen["Location"]) == (303, f"{here}?contact={ada.pk}")
    assert "Choose a contact first" in toast_of(browser, browser.post(here, {"do": "choose"}))


def test_the_words_of_a_thread_stand_in_the_timeline(cast: Cast, ada: Contact) -> None:
    browser = enter(cast.owner)
    with cast.scope():
        job = SendJob.objects.create(contact=ada, subject="Hello", text="Long words. " * 30, status="sent")
        values = {"uid_validity": 1, "uid": 1, "digest": "a", "received_at": timezone.now()}
        reply = InboundMessage.objects.create(
            kind="reply", text="Fine <b>.", quoted="> Hello Ada", contact=ada, send_job=job, **values
        )
        for event, id in (("sent", job.pk), ("replied", reply.pk)):
            details = {"event": event, "message": id, "subject": "Hello"}
            LeadActivity.objects.create(kind="mail", contact=ada, details=details, happened_at=timezone.now())
    page = browser.get(at(cast.owner, f"contacts/{ada.pk}")).content.decode()
    assert "Fine &lt;b&gt;." in page
    assert "&gt; Hello Ada" in page
    assert page.count("<summary") >= 2  # the long words and the quoted ones are folded
    assert f"emails/new?contact={ada.pk}&amp;reply={reply.pk}" in page
    assert f"emails/new?contact={ada.pk}&amp;reply={job.pk}" in page


@pytest.mark.parametrize("first", ["draft", "send"])
def test_a_draft_that_is_kept_while_the_email_is_sent_is_no_second_email(cast: Cast, ada: Contact, first: str) -> None:
    browser = enter(cast.owner)
    keep, here = at(cast.owner, "emails/draft"), at(cast.owner, "emails/new")
    key = re.search(r'name="key" value="(\w+)"', browser.get(f"{here}?contact={ada.pk}").content.decode())
    assert key is not None
    form = {"contact": ada.pk, "key": key[1]}
    requests = [
        lambda: browser.post(keep, {**form, "subject": "Hello", "body": "Half a"}, headers=HTMX),
        lambda: browser.post(here, sent(form)),
    ]
    for request in requests if first == "draft" else reversed(requests):
        assert request().status_code in (200, 204, 303)
    with cast.scope():
        mail = PersonalMail.objects.get()
        assert (mail.text, mail.send_job.status) == (sent({})["body"], "approved")
    # A second Send of the same form sends nothing more.
    assert browser.post(here, sent(form)).status_code == 303
    with cast.scope():
        assert SendJob.objects.count() == 1


def test_a_stored_draft_that_was_sent_is_not_taken_back_by_a_late_change(cast: Cast, ada: Contact) -> None:
    browser = enter(cast.owner)
    draft = {"to": {"kind": "contact", "id": ada.pk}, "text": "Half a", "draft": True}
    id = cast.session.post("/message", draft).data["_id"]
    here = at(cast.owner, f"emails/{id}")
    assert f'name="key" value="{id}"' in browser.get(here).content.decode()
    browser.post(here, sent({}))
    late = browser.post(at(cast.owner, "emails/draft"), {"id": id, "key": id, "body": "Half a"}, headers=HTMX)
    assert late.status_code == 204
    with cast.scope():
        assert PersonalMail.objects.get().send_job is not None


def test_drafts_are_deleted_together(cast: Cast, ada: Contact) -> None:
    browser = enter(cast.owner)
    draft = {"to": {"kind": "contact", "id": ada.pk}, "text": "Half a", "draft": True}
    ids = [cast.session.post("/message", {**draft, "subject": f"Draft {place}"}).data["_id"] for place in range(4)]
    browser.post(at(cast.owner, "emails/new"), sent({"contact": ada.pk}))
    here = at(cast.owner, "emails")
    assert "Select Draft 0" in browser.get(here).content.decode()
    assert 'name="ids"' not in browser.get(f"{here}?only=scheduled").content.decode()
    deleted = browser.post(here, {"do": "delete", "ids": ids[:1]})
    assert "Deleted 1 draft" in toast_of(browser, deleted)
    assert "It may have been deleted" in toast_of(browser, browser.post(here, {"do": "delete", "ids": ids[:1]}))
    deleted = browser.post(f"{here}?q=Draft+3", {"do": "delete", "all": "1"})
    assert "Deleted 1 draft" in toast_of(browser, deleted)
    assert "Deleted 2 drafts" in toast_of(browser, browser.post(here, {"do": "delete", "all": "1"}))
    with cast.scope():
        assert PersonalMail.objects.get().send_job is not None


def test_an_email_to_an_organization_goes_to_a_contact_that_is_chosen(cast: Cast, ada: Contact) -> None:
    browser = enter(cast.owner)
    with cast.scope():
        organization = OrganizationFactory(name="Analytical Engines")
        Contact.objects.filter(pk=ada.pk).update(organization=organization)
        ContactFactory(name="No Address", email=None, organization=organization, custom={})
        ContactFactory(name="Somebody Else", email="else@example.com", custom={})
    here = f"{at(cast.owner, 'emails/new')}?organization={organization.pk}"
    assert here in browser.get(at(cast.owner, f"organizations/{organization.pk}")).content.decode()
    page = browser.get(here)
    assert "Ada Lovelace (ada@example.com)" in text_of(page)
    assert "No Address" not in text_of(page)
    assert "Somebody Else" not in text_of(page)
    none = browser.post(here, {"do": "choose"})
    assert none["Location"] == here
    chosen = browser.post(here, {"do": "choose", "contact": ada.pk})
    assert chosen["Location"].endswith(f"emails/new?contact={ada.pk}")
    with cast.scope():
        Contact.objects.filter(pk=ada.pk).update(organization=None)
    page = browser.get(here)
    assert "No contact of this organization has an email address." in text_of(page)
    assert 'name="find"' in page.content.decode()
    assert browser.get(f"{here[:-24]}{'x' * 24}").status_code == 404
