"""Threads of a mail to one person: replies, timelines, conversations."""

from __future__ import annotations

from crm.models import Contact
from outreach.models import (
    ImapMailbox,
    InboundMessage,
    SendJob,
)
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.kit.imap_server import ImapServer
from tests.outreach.helpers import Post, work
from tests.outreach.messaging.inbox.test_polling import mail as received
from tests.outreach.messaging.inbox.test_polling import poll
from tests.outreach.messaging.personal_mail.test_messages import WORDS, to


def test_a_thread_goes_on(cast: Cast, post: Post, ada: Contact, mailbox: ImapMailbox, imap: ImapServer) -> None:
    cast.key.post("/message", {**to(ada), **WORDS})
    work("send")
    with cast.scope():
        first = SendJob.objects.select_related("contact").get()
    imap.put(received("reply-gmail", first))
    poll(cast)
    with cast.scope():
        reply = InboundMessage.objects.get()
        assert (reply.send_job_id, reply.contact_id) == (first.pk, ada.pk)
    answered = cast.key.post("/message", {**to(ada), "text": "Tuesday it is.", "inReplyTo": reply.pk}).data
    assert (answered["inReplyTo"], answered["subject"][:4]) == (reply.pk, "Re: ")
    work("send")
    assert f"In-Reply-To: <{reply.message_id}>".encode() in post.server.received[1]
    assert first.message_id.encode() in post.server.received[1]
    with cast.scope():
        assert InboundMessage.objects.get().read_at is not None
        other = ContactFactory(custom={})
    # After one's own mail too; of another person none.
    after = cast.key.post("/message", {**to(ada), "text": "One more thing.", "inReplyTo": first.pk}).data
    assert after["subject"] == "Re: Hello Ada"
    work("send")
    assert f"In-Reply-To: {first.message_id}".encode() in post.server.received[2]
    assert cast.key.post("/message", {**to(other), "text": "X", "inReplyTo": reply.pk}).status == 404


def test_the_thread_stands_in_the_timelines_with_its_words(
    cast: Cast, post: Post, ada: Contact, mailbox: ImapMailbox, imap: ImapServer
) -> None:
    with cast.scope():
        lead, newer = LeadFactory(contact=ada), LeadFactory(contact=ada)
    cast.key.post("/message", {"to": {"kind": "lead", "id": lead.pk}, **WORDS})
    work("send")
    with cast.scope():
        job = SendJob.objects.select_related("contact").get()
    imap.put(received("reply-gmail", job))
    poll(cast)
    work("events")
    work("events")
    for path in (f"/contact/{ada.pk}/timeline", f"/lead/{lead.pk}/timeline"):
        entries = cast.key.get(path, kind="mail").data
        assert [entry["data"]["event"] for entry in entries] == ["replied", "sent"]
        reply, sent = entries
        assert (sent["actor"]["_id"], sent["lead"]) == (cast.owner.pk, lead.pk)
        assert sent["data"]["text"] == "Dear Ada Lovelace,\n\nshall we talk?"
        assert sent["data"]["message"] == job.pk
        assert reply["data"]["text"].startswith("Thanks, Tuesday works for me.")
        assert reply["data"]["quoted"]
    assert cast.key.get(f"/lead/{newer.pk}/timeline", kind="mail").data == []


def test_it_stands_in_the_conversation_and_answers_what_waited(
    cast: Cast, post: Post, ada: Contact, mailbox: ImapMailbox, imap: ImapServer
) -> None:
    cast.key.post("/message", {**to(ada), **WORDS})
    work("send")
    work("events")
    [begun] = cast.key.get("/conversation").data
    assert (begun["channel"], begun["state"], begun["contact"]["_id"]) == ("mail", "closed", ada.pk)
    path = f"/conversation/{begun['_id']}"
    [said] = cast.key.get(f"{path}/messages").data
    assert (said["direction"], said["author"], said["state"]) == ("out", "member", "sent")
    with cast.scope():
        first = SendJob.objects.select_related("contact").get()
    imap.put(received("reply-gmail", first))
    poll(cast)
    work("events")
    work("events")
    assert cast.key.get(path).data["state"] == "queued"
    with cast.scope():
        reply = InboundMessage.objects.get()
    cast.key.post("/message", {**to(ada), "text": "Fine.", "inReplyTo": reply.pk})
    work("send")
    work("events")
    taken = cast.key.get(path).data
    assert (taken["state"], taken["assignee"]["_id"], taken["unread"]) == ("human", cast.owner.pk, 0)
    said = cast.key.get(f"{path}/messages").data
    assert sorted(one["direction"] for one in said) == ["in", "out", "out"]
