"""A mail that a member writes to one person: drafts, sending, taking back, refusals, threads."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Member
from core.models import Event
from crm.models import Contact
from outreach.models import (
    EmailTemplate,
    GenieSettings,
    PersonalMail,
    SendJob,
    SendJobTransition,
    Suppression,
)
from tests.kit.cast import SESSION, Caller, Cast, make_cast, session_headers
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory, RoleFactory
from tests.outreach.helpers import Post, work

WORDS = {"subject": "Hello {{contact.firstName}}", "text": "Dear {{contact.name}},\n\nshall we talk?"}


def to(contact: Contact) -> dict[str, Any]:
    return {"to": {"kind": "contact", "id": contact.pk}}


@pytest.mark.parametrize("path", ["key", "session"])
def test_it_goes_at_once_to_one_person(cast: Cast, post: Post, ada: Contact, path: str) -> None:
    caller: Caller = getattr(cast, path)
    written = caller.post("/message", {**to(ada), **WORDS, "signature": "Grace\nExample Ltd"})
    assert written.status == 201, written.body
    found = written.data
    assert (found["status"], found["draft"], found["subject"]) == ("scheduled", False, WORDS["subject"])
    assert (found["to"], found["contact"]["email"]) == ({"kind": "contact", "id": ada.pk}, "ada@example.com")
    work("send")
    assert post.recipients() == ["ada@example.com"]
    assert post.subjects() == ["Subject: Hello Ada"]
    [mail] = post.server.received
    head, _, body = mail.partition(b"\r\n\r\n")
    assert b"Dear Ada Lovelace," in body
    assert b"Example Ltd" in body
    # It is no mailing.
    assert b"List-" not in head
    assert b"nsubscribe" not in mail
    again = caller.get(f"/message/{found['_id']}").data
    assert (again["status"], again["sentAt"] is not None, again["smtp"]["_id"]) == ("sent", True, post.smtp.pk)
    with cast.scope():
        job = SendJob.objects.get()
        assert (job.personal, job.run_id, job.status) == (True, None, "sent")
        event = Event.objects.get(kind="mail.sent")
        assert (event.actor_id, event.payload["contact"]) == (cast.owner.pk, ada.pk)
    refused = caller.put(f"/message/{found['_id']}", {"subject": "Other"})
    assert (refused.status, refused.body["name"]) == (400, "CampaignCannotBeUpdated_400")
    assert caller.delete(f"/message/{found['_id']}").status == 400


def test_it_goes_at_any_hour_and_whatever_was_answered_meanwhile(cast: Cast, post: Post, ada: Contact) -> None:
    closed = (timezone.now() - timedelta(days=2)).isoweekday()
    with cast.scope():
        GenieSettings.objects.update_or_create(defaults={"window_days": [closed], "recipient_timezone": False})
    cast.key.post("/message", {**to(ada), **WORDS})
    with cast.scope():
        Contact.objects.filter(pk=ada.pk).update(replied_at=timezone.now() + timedelta(seconds=1))
    work("send")
    assert len(post.server.received) == 1


def test_the_company_may_want_a_link_to_unsubscribe(cast: Cast, post: Post, ada: Contact) -> None:
    assert cast.key.put("/genie/settings", {"personalUnsubscribe": True}).data["personalUnsubscribe"] is True
    cast.key.post("/message", {**to(ada), **WORDS})
    work("send")
    assert b"List-Unsubscribe: <" in post.server.received[0]


def test_a_draft_stays_until_it_is_sent(cast: Cast, post: Post, ada: Contact) -> None:
    draft = cast.session.post("/message", {**to(ada), "text": "Half a", "draft": True})
    assert (draft.status, draft.data["status"], draft.data["draft"]) == (201, "draft", True)
    id = draft.data["_id"]
    assert cast.session.get("/message", filters={"draft": True}).body["totalCount"] == 1
    changed = cast.session.put(f"/message/{id}", {"text": "A whole sentence."})
    assert (changed.data["draft"], changed.data["text"]) == (True, "A whole sentence.")
    assert cast.session.put(f"/message/{id}", changed.data).status == 200  # what GET gave can be put back
    work("send")
    assert post.server.received == []
    refused = cast.session.put(f"/message/{id}", {"draft": False})
    assert (refused.status, refused.body["errors"][0]["field"]) == (400, "subject")
    sent = cast.session.put(f"/message/{id}", {"draft": False, "subject": "Now"})
    assert sent.data["status"] == "scheduled"
    work("send")
    assert post.subjects() == ["Subject: Now"]
    assert cast.session.get("/message", filters={"draft": True}).body["totalCount"] == 0


def test_a_scheduled_mail_waits_and_can_be_taken_back(cast: Cast, post: Post, ada: Contact) -> None:
    at = (timezone.now() + timedelta(days=1)).isoformat()
    id = cast.key.post("/message", {**to(ada), **WORDS, "sendAt": at}).data["_id"]
    work("send")
    assert post.server.received == []
    moved = cast.key.put(f"/message/{id}", {"text": "Other words"})
    assert (moved.status, moved.data["status"]) == (200, "scheduled")
    with cast.scope():
        assert list(SendJob.objects.order_by("created_at").values_list("status", "text")) == [
            ("cancelled", "Dear Ada Lovelace,\n\nshall we talk?"),
            ("approved", "Other words"),
        ]
    back = cast.key.put(f"/message/{id}", {"draft": True})
    assert (back.data["status"], back.data["sendJob"], back.data["text"]) == ("draft", None, "Other words")
    with cast.scope():
        assert set(SendJob.objects.values_list("status", "reason")) == {("cancelled", "taken_back")}
        assert SendJobTransition.objects.filter(reason="taken_back", actor=cast.owner).count() == 2
    assert cast.key.delete(f"/message/{id}").status == 200
    assert cast.key.get(f"/message/{id}").status == 404


def test_it_can_be_undone_for_some_seconds(cast: Cast, post: Post, ada: Contact) -> None:
    id = cast.key.post("/message", {**to(ada), **WORDS, "delaySeconds": 10}).data["_id"]
    work("send")
    assert post.server.received == []
    assert cast.key.put(f"/message/{id}", {"draft": True}).data["status"] == "draft"
    sent = cast.key.put(f"/message/{id}", {"draft": False})
    assert sent.data["status"] == "scheduled"
    work("send")
    assert len(post.server.received) == 1


def test_who_may_get_none_is_named_with_the_reason(cast: Cast, post: Post, ada: Contact) -> None:
    with cast.scope():
        gone = ContactFactory(email="gone@example.com", custom={}, unsubscribed_at=timezone.now())
        nowhere = ContactFactory(email=None, custom={})
        Suppression.objects.create(email="ada@example.com", reason=Suppression.Reason.MANUAL)
    for person, reason, sentence in (
        (ada, "address_suppressed", "The address is on the suppression list."),
        (gone, "unsubscribed", "The contact has unsubscribed."),
        (nowhere, "no_valid_address", "The contact has no valid email address or chat number."),
    ):
        refused = cast.key.post("/message", {**to(person), **WORDS})
        assert (refused.status, refused.body["name"]) == (400, "NoMessagesSent_400")
        assert refused.body["warning"] == f"to: {sentence}"
        assert cast.key.post("/message", {**to(person), **WORDS, "draft": True}).status == 201, reason
    with cast.scope():
        assert not SendJob.objects.exists()
        # Who unsubscribes after the mail was scheduled gets none either.
        Suppression.objects.all().delete()
    cast.key.post("/message", {**to(ada), **WORDS})
    with cast.scope():
        Contact.objects.filter(pk=ada.pk).update(unsubscribed_at=timezone.now())
    work("send")
    assert post.server.received == []
    [mail] = cast.key.get("/message", filters={"contact": ada.pk, "draft": False}).data
    assert (mail["status"], mail["reason"]) == ("suppressed", "unsubscribed")


def test_another_address_holds_it(cast: Cast, post: Post, ada: Contact) -> None:
    id = cast.key.post("/message", {**to(ada), **WORDS}).data["_id"]
    with cast.scope():
        Contact.objects.filter(pk=ada.pk).update(email="other@example.com", email_key="other@example.com")
    work("send")
    held = cast.key.get(f"/message/{id}").data
    assert (held["status"], held["reason"]) == ("held", "approval_outdated")
    assert cast.key.put(f"/message/{id}", {"draft": False}).data["status"] == "scheduled"
    work("send")
    assert post.recipients() == ["other@example.com"]


def test_a_template_gives_the_words(cast: Cast, post: Post, ada: Contact) -> None:
    template = cast.key.post(
        "/template/email",
        {"name": "Offer", "subject": "For {{contact.name}}", "body": "<p>Hi {{contact.firstName}}</p>"},
    ).data["_id"]
    written = cast.key.post("/message", {**to(ada), "template": template, "signature": "<b>Grace</b>"}).data
    assert (written["html"], written["text"]) == ("<p>Hi {{contact.firstName}}</p>", "")
    work("send")
    assert post.subjects() == ["Subject: For Ada Lovelace"]
    assert b"<p>Hi Ada</p>" in post.server.received[0]
    assert b"<b>Grace</b>" in post.server.received[0]
    own = cast.key.post("/message", {**to(ada), "template": template, "text": "Mine", "draft": True}).data
    assert (own["html"], own["text"], own["subject"]) == ("", "Mine", "For {{contact.name}}")
    with cast.scope():
        EmailTemplate.objects.all().delete()
        assert PersonalMail.objects.filter(template=None).count() == 2
    assert cast.key.post("/message", {**to(ada), "template": template}).status == 404


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"subject": "S", "text": "{{nothing}}"}, "InvalidVariables_400"),
        ({"subject": "S", "text": " "}, "InvalidEmailTemplate_400"),
        ({"subject": "S", "text": "T", "smtp": "0" * 24}, "NoSMTPSelected_400"),
        ({"subject": "S", "text": "T", "attachments": ["0" * 24]}, "FileNotFound_400"),
        ({"subject": "S", "text": "T", "inReplyTo": "0" * 24}, "NotFound_404"),
        ({"subject": "S", "text": "T", "sendAt": "2099-01-01T00:00:00Z"}, "ValidationError_400"),
        ({"subject": "S", "text": "T", "to": {"kind": "lead", "id": "0" * 24}}, "LeadNotFound_400"),
        ({"subject": "S", "text": "T", "to": {"kind": "contact", "id": "0" * 24}}, "ContactNotFound_400"),
        ({"subject": "S", "text": "T", "to": {"kind": "file", "id": "0" * 24}}, "ValidationError_400"),
    ],
)
def test_what_cannot_go_is_refused(cast: Cast, post: Post, ada: Contact, body: dict[str, Any], name: str) -> None:
    refused = cast.key.post("/message", {**to(ada), **body})
    assert (refused.body["name"], refused.body["success"]) == (name, False)
    with cast.scope():
        assert not SendJob.objects.exists()
        assert not PersonalMail.objects.exists()


def test_a_lead_stands_for_its_contact(cast: Cast, post: Post, ada: Contact) -> None:
    with cast.scope():
        lead = LeadFactory(contact=ada)
    written = cast.key.post("/message", {"to": {"kind": "lead", "id": lead.pk}, **WORDS}).data
    assert (written["to"], written["contact"]["_id"]) == ({"kind": "lead", "id": lead.pk}, ada.pk)
    assert cast.key.get("/message", filters={"lead": lead.pk}).body["totalCount"] == 1


def test_drafts_are_their_writers_alone_and_roles_decide(cast: Cast, post: Post, ada: Contact) -> None:
    every = dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)
    with cast.scope():
        role = RoleFactory(permission={"genie": every, "lead": {"GET": True}})
        member = MemberFactory(status=Member.Status.ACCEPTED, role=role)
        lead = LeadFactory(contact=ada)
    other = Caller(SESSION, session_headers(member))
    id = cast.session.post("/message", {**to(ada), **WORDS, "draft": True}).data["_id"]
    assert other.get("/message").body["totalCount"] == 0
    for answer in (other.get(f"/message/{id}"), other.put(f"/message/{id}", {}), other.delete(f"/message/{id}")):
        assert answer.status == 404
    refused = other.post("/message", {**to(ada), **WORDS})
    assert (refused.status, "contact.GET" in refused.body["warning"]) == (403, True)
    assert other.post("/message", {"to": {"kind": "lead", "id": lead.pk}, **WORDS}).status == 201
    scheduled = cast.session.post("/message", {**to(ada), **WORDS}).data["_id"]
    assert other.put(f"/message/{scheduled}", {"draft": True}).data["createdBy"]["_id"] == member.pk
    assert cast.session.get(f"/message/{scheduled}").status == 404
    assert cast.narrow_session.post("/message", {**to(ada), **WORDS}).status == 403
    assert cast.narrow_session.get("/message").status == 403
    outsider = make_cast()
    assert outsider.key.get(f"/message/{id}").status == 404
    assert outsider.key.post("/message", {**to(ada), **WORDS}).body["name"] == "ContactNotFound_400"


def test_a_preview_saves_nothing(cast: Cast, post: Post, ada: Contact) -> None:
    shown = cast.key.post("/message/preview", {**to(ada), **WORDS, "signature": "Grace"}).data
    assert (shown["subject"], "Grace" in shown["html"], shown["missing"]) == ("Hello Ada", True, [])
    with cast.scope():
        assert not PersonalMail.objects.exists()


def test_a_repeated_request_writes_once(cast: Cast, post: Post, ada: Contact) -> None:
    for _ in range(2):
        answer = cast.key.call("POST", "/message", {**to(ada), **WORDS}, HTTP_IDEMPOTENCY_KEY="one-mail")
        assert answer.status == 201
    work("send")
    assert len(post.server.received) == 1


def test_erasure_deletes_drafts_and_an_access_request_has_them(cast: Cast, post: Post, ada: Contact) -> None:
    cast.key.post("/message", {**to(ada), "text": "Secret plans", "draft": True})
    export = cast.key.get(f"/contact/{ada.pk}/access-request")
    assert "Secret plans" in str(export.body)
    erased = cast.key.post(f"/contact/{ada.pk}/erase", {"confirm": ada.pk})
    assert erased.status == 200, erased.body
    with cast.scope():
        assert not PersonalMail.objects.exists()


@pytest.mark.parametrize("path", ["key", "session"])
def test_a_key_names_one_mail(cast: Cast, post: Post, ada: Contact, path: str) -> None:
    caller: Caller = getattr(cast, path)
    keyed = {**to(ada), **WORDS, "key": "form 1"}
    first = caller.post("/message", {**keyed, "draft": True})
    again = caller.post("/message", {**keyed, "text": "Other", "draft": True})
    assert (again.status, again.data["_id"], again.data["text"]) == (201, first.data["_id"], "Other")
    gone = caller.post("/message", keyed)
    assert (gone.data["_id"], gone.data["status"]) == (first.data["_id"], "scheduled")
    # One that goes stays as it is, whatever comes late.
    for late in ({"draft": True}, {}):
        answer = caller.post("/message", {**keyed, "text": "Late", **late})
        assert (answer.data["_id"], answer.data["status"], answer.data["text"]) == (
            first.data["_id"],
            "scheduled",
            WORDS["text"],
        )
    # Its id is a key as well, another key is another mail.
    assert caller.post("/message", {**keyed, "key": first.data["_id"]}).data["_id"] == first.data["_id"]
    assert caller.post("/message", {**keyed, "key": "form 2", "draft": True}).data["_id"] != first.data["_id"]
    with cast.scope():
        assert (PersonalMail.objects.count(), SendJob.objects.count()) == (2, 1)
    assert caller.post("/message", {**keyed, "key": "x" * 65}).status == 400


def test_a_key_of_another_member_or_company_is_not_theirs(cast: Cast, post: Post, ada: Contact) -> None:
    cast.session.post("/message", {**to(ada), **WORDS, "key": "form 1", "draft": True})
    with cast.scope():
        member = MemberFactory(
            status=Member.Status.ACCEPTED,
            role=RoleFactory(permission={"contact": {"GET": True}, "genie": {"POST": True}}),
        )
    colleague = Caller(SESSION, session_headers(member))
    refused = colleague.post("/message", {**to(ada), **WORDS, "key": "form 1", "draft": True})
    assert (refused.status, refused.body["name"]) == (400, "InvalidPayload_400")
    outsider = make_cast()
    with outsider.scope():
        theirs = ContactFactory(custom={})
    assert outsider.key.post("/message", {**to(theirs), **WORDS, "key": "form 1", "draft": True}).status == 201


@pytest.mark.parametrize("path", ["key", "session"])
def test_drafts_are_deleted_together_and_nothing_else(cast: Cast, post: Post, ada: Contact, path: str) -> None:
    caller: Caller = getattr(cast, path)
    ids = [caller.post("/message", {**to(ada), **WORDS, "draft": place != 0}).data["_id"] for place in range(4)]
    deleted = caller.delete("/message", {"ids": ids[:2]})
    assert (deleted.status, deleted.data) == (200, {"deletedCount": 1})
    assert caller.delete("/message", {"ids": ids[:2]}).status == 404
    assert caller.delete("/message", {"selectAll": True}).data == {"deletedCount": 2}
    assert caller.get("/message").body["totalCount"] == 1
    outsider = make_cast()
    assert outsider.key.delete("/message", {"ids": ids}).status == 404


def test_an_organization_is_no_recipient(cast: Cast, ada: Contact) -> None:
    for caller in (cast.key, cast.session):
        refused = caller.post("/message", {"to": {"kind": "organization", "id": ada.pk}, **WORDS})
        assert (refused.status, refused.body["name"]) == (400, "InvalidDataFormat_400")
        assert "name a contact of the organization" in refused.body["warning"]
