"""A reply to a mail as a conversation: it stands there once, is answered in its thread, and goes with the mail."""

from __future__ import annotations

from outreach.models import Conversation, ConversationMessage, ImapMailbox, InboundMessage, SendJob
from tests.kit.cast import Cast
from tests.kit.imap_server import ImapServer
from tests.outreach.helpers import Post, work
from tests.outreach.messaging.inbox.test_polling import mail, planned, poll


def test_a_reply_is_answered_in_its_thread(cast: Cast, post: Post, mailbox: ImapMailbox, imap: ImapServer) -> None:
    run = planned(cast, 1)
    work("send")
    with cast.scope():
        job = SendJob.objects.select_related("contact").get(run_id=run)
        job.contact.unsubscribed_at = job.sent_at
        job.contact.save()
    imap.put(mail("reply-gmail", job))
    poll(cast)
    work("events")
    work("events")
    [found] = cast.key.get("/conversation").data
    assert (found["channel"], found["state"], found["unread"]) == ("mail", "queued", 1)
    assert (found["address"], found["contact"]["_id"]) == (job.contact.email.lower(), job.contact_id)
    assert (found["canAnswer"], found["waits"], found["opensUntil"]) == (True, "", None)
    path = f"/conversation/{found['_id']}"
    [said] = cast.key.get(f"{path}/messages").data
    assert (said["direction"], said["kind"], said["state"]) == ("in", "mail", "")
    assert said["text"].startswith("Thanks, Tuesday works for me.")
    refused = cast.key.post(f"{path}/messages", {"template": "0" * 24})
    assert refused.status == 404

    answered = cast.key.post(f"{path}/messages", {"text": "See you on Tuesday."})
    assert (answered.status, answered.data["state"]) == (201, "queued")
    with cast.scope():
        assert InboundMessage.objects.get().read_at is not None
    work("send")
    newest = cast.key.get(f"{path}/messages").data[0]
    assert (newest["text"], newest["state"], newest["sentence"]) == ("See you on Tuesday.", "sent", "")
    with cast.scope():
        answer = SendJob.objects.get(conversation__isnull=False)
        inbound = InboundMessage.objects.get()
        first = SendJob.objects.get(run_id=run)
    assert answer.subject == f"Re: {inbound.subject.removeprefix('Re: ')}"
    assert answer.reference_ids.split() == [first.message_id, f"<{inbound.message_id}>"]
    assert f"In-Reply-To: <{inbound.message_id}>".encode() in post.server.received[-1]

    # The same person again, and the mail is deleted: what was said goes with it.
    assert cast.key.delete("/inbox", {"ids": [inbound.pk]}).status == 200
    with cast.scope():
        assert Conversation.objects.count() == 1
        assert [one.direction for one in ConversationMessage.objects.all()] == ["out"]
