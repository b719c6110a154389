"""What lies in a mailbox, and what it does to messages, contacts, addresses and meetings."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Notification
from core.jobs import sweep
from core.models import Event
from crm.models import Contact, Meeting, MeetingAttendee
from outreach.messaging.inbox.receiving import effects, polling
from outreach.messaging.inbox.retention import purge_inbox
from outreach.models import GenieSettings, ImapMailbox, InboundMessage, SendJob, Smtp, Suppression
from tests.kit.cast import Cast
from tests.kit.imap_server import ImapServer
from tests.outreach.helpers import planned, statuses, work
from tests.outreach.messaging.inbox.test_mails import MAILS, SENT


@pytest.fixture
def sent(cast: Cast, mailbox: ImapMailbox) -> list[SendJob]:
    """Messages to five contacts, which have gone out."""
    run = planned(cast, 5)
    work("send")
    with cast.scope():
        return list(SendJob.objects.filter(run_id=run, status="sent").select_related("contact").order_by("id"))


def mail(name: str, job: SendJob, number: int = 0) -> bytes:
    """Return a mail of ours as if it were about the message."""
    text = (MAILS / f"{name}.eml").read_bytes().replace(b"\r\n", b"\n")
    text = text.replace(b"@mx.example.org>", b"%d@mx.example.org>" % number) if number else text
    text = text.replace(SENT.encode(), job.pk.encode()).replace(b"maria@example.com", b"sender@example.com")
    text = text.replace(b"MARIA@Example.com", b"Sender@Example.com")
    return text.replace(b"ann@example.org", (job.contact.email or "").encode())


def poll(cast: Cast) -> None:
    """Let a worker read the mailbox now."""
    with cast.scope():
        ImapMailbox.objects.update(due_at=timezone.now())
    work("mailboxes")


def test_each_kind_of_mail_does_what_it_has_to(cast: Cast, imap: ImapServer, sent: list[SendJob]) -> None:
    reply, hard, soft, away, complaint = sent
    with cast.scope():
        SendJob.objects.filter(pk=reply.pk).update(status="unknown", sent_at=None)
    for one in (
        mail("reply-gmail", reply),
        mail("bounce-postfix", hard),
        mail("bounce-mailbox-full", soft, 1),
        mail("bounce-policy", soft),
        mail("auto-exchange", away),
        mail("own-answer-in-sent", away),
        mail("complaint-blacked-out", complaint),
        b"From: stranger@example.net\nSubject: Private\nMessage-ID: <p@example.net>\n\nDinner?",
        (MAILS / "reply-gmail.eml").read_bytes().replace(b"<reply-gmail@", b"<other@"),  # to a message that is not ours
    ):
        imap.put(one)
    poll(cast)
    with cast.scope():
        kept = InboundMessage.objects.order_by("uid")
        assert [(one.kind, one.severity, one.send_job_id) for one in kept] == [
            ("reply", "", reply.pk),
            ("bounce", "hard", hard.pk),
            ("bounce", "soft", soft.pk),
            ("bounce", "blocked", soft.pk),
            ("auto", "", away.pk),
            ("complaint", "", complaint.pk),
        ]
        first = kept[0]
        assert (first.text, first.matched_by) == ("Thanks, Tuesday works for me.\n\nAnn", "in_reply_to")
        assert "we have new opening hours" in first.quoted
        replied = Contact.objects.filter(replied_at__isnull=False).values_list("pk", "replied_at")
        assert [pk for pk, _ in replied] == [reply.contact_id]
        reply.refresh_from_db()
        assert replied[0][1] > reply.sent_at
        assert (reply.status, reply.sent_at) == ("sent", reply.sending_at)  # a reply proves that it went
        assert "A reply to it has come" in reply.transitions.latest("created_at").detail
        hard.refresh_from_db()
        assert (hard.status, hard.reason, hard.next_step_at) == ("failed", "came_back", None)
        told = dict(SendJob.objects.exclude(delivery_status="").values_list("pk", "delivery_status"))
        assert told == {hard.pk: "bounced", soft.pk: "bounced", complaint.pk: "complained"}
        listed = {one.email: (one.reason, one.source) for one in Suppression.objects.all()}
        assert listed == {
            hard.contact.email.lower(): ("bounced", hard.pk),
            complaint.contact.email.lower(): ("complained", complaint.pk),
        }
        assert "poor reputation" in Smtp.objects.get().last_error
        kinds = Event.objects.filter(kind__startswith="mail.").exclude(kind="mail.sent").values_list("kind", flat=True)
        assert sorted(kinds) == ["mail.bounced"] * 3 + [
            "mail.complained",
            "mail.replied",
        ]
        told = Notification.objects.get(kind="reply.received")
        assert (told.text, told.resource, told.record_id) == ("Ann Example replied", "inbox", first.pk)
        assert ImapMailbox.objects.get().positions == {"INBOX": {"uidValidity": 1, "lastUid": 9}}
    work("events")
    entries = cast.key.get(f"/contact/{reply.contact_id}/timeline").data
    assert entries[0]["title"] == "Reply received: Re: New opening hours"
    assert not any(command.startswith(("SELECT", "UID STORE", "STORE")) for command in imap.commands)
    assert all("PEEK" in command for command in imap.commands if "FETCH" in command)
    fetched = [command for command in imap.commands if "BODY.PEEK[]" in command]
    assert len(fetched) == 6  # of the others only the headers were read


def test_a_reply_stops_the_follow_up_that_waits(cast: Cast, mailbox: ImapMailbox, imap: ImapServer) -> None:
    run = planned(cast, 2, outreachCadence={"steps": [{"delay": {"amount": 1, "unit": "seconds"}}]})
    work("send")
    with cast.scope():
        one, _ = SendJob.objects.filter(run_id=run).select_related("contact").order_by("id")
        SendJob.objects.update(next_step_at=timezone.now())
    work("follow-ups")
    work("genie")
    imap.put(mail("reply-gmail", one))
    poll(cast)
    work("send")
    with cast.scope():
        found = SendJob.objects.filter(run_id=run, step=2).values_list("contact_id", "status", "reason")
        assert {contact: (status, reason) for contact, status, reason in found if contact == one.contact_id} == {
            one.contact_id: ("cancelled", "reply_received")
        }
        assert sorted(status for _, status, _ in found) == ["cancelled", "sent"]


def follow_up_of(cast: Cast) -> tuple[str, SendJob]:
    """Send a message with a follow-up that waits; returns the run, and the message with its contact."""
    run = planned(cast, 1, outreachCadence={"steps": [{"delay": {"amount": 1, "unit": "seconds"}}]})
    work("send")
    with cast.scope():
        SendJob.objects.filter(run_id=run).update(
            subject="Abwesenheitsmanagement für Ihr Team", next_step_at=timezone.now()
        )
        return run, SendJob.objects.select_related("contact").get(run_id=run)


@pytest.mark.parametrize(
    ("status", "said", "severity"),
    [
        ("5.7.1", "550 5.7.1 <ann@example.org>: Relay access denied", "blocked"),
        ("5.2.2", "552 5.2.2 mailbox full", "soft"),
        ("4.4.7", "451 4.3.0 try again later", "soft"),
        ("5.4.1", "550 5.4.1 Recipient address rejected: Access denied. AS(201806281)", "hard"),
        ("5.0.0", "Unrouteable address", "hard"),
    ],
)
def test_nothing_follows_a_message_that_came_back_for_any_reason(
    cast: Cast, mailbox: ImapMailbox, imap: ImapServer, status: str, said: str, severity: str
) -> None:
    run, job = follow_up_of(cast)
    told = (MAILS / "bounce-policy.eml").read_text()
    told = re.sub(r"(?m)^Status: .*$", f"Status: {status}", told)
    told = re.sub(r"(?m)^Diagnostic-Code: .*$", f"Diagnostic-Code: smtp; {said}", told)
    told = told.replace(SENT, job.pk).replace("maria@example.com", "sender@example.com")
    imap.put(told.replace("ann@example.org", job.contact.email or "").encode())
    poll(cast)
    work("follow-ups")
    work("genie")
    work("send")
    with cast.scope():
        assert InboundMessage.objects.get().severity == severity
        assert Suppression.objects.exists() is (severity == "hard")
        assert not SendJob.objects.filter(run_id=run, step=2, status="sent").exists()
        later = SendJob.objects.filter(run_id=run, step=2).values_list("status", "reason")
        assert list(later) == ([] if severity == "hard" else [("cancelled", "bounced")])


@pytest.mark.parametrize(
    "headers",
    [
        "Subject: AW: Abwesenheitsmanagement für Ihr Team",
        "Subject: [Sales] Re: Abwesenheitsmanagement\nList-Id: <sales.example.org>\nPrecedence: list",
        "Subject: Re: x\nX-Autoreply: no\nAuto-Submitted: no\nPrecedence: bulk",
        "Subject: Abwesenheitsmanagement für Ihr Team",
    ],
)
def test_a_persons_answer_stops_what_follows_whatever_the_subject_was(
    cast: Cast, mailbox: ImapMailbox, imap: ImapServer, headers: str
) -> None:
    run, job = follow_up_of(cast)
    names = f"From: Postmaster <postmaster@example.org>\nMessage-ID: <a@example.org>\nIn-Reply-To: {job.message_id}"
    imap.put(f"{names}\n{headers}\n\nJa gern, am Dienstag um zehn.".encode())
    poll(cast)
    work("follow-ups")
    work("genie")
    work("send")
    with cast.scope():
        assert InboundMessage.objects.get().kind == "reply"
        assert Contact.objects.get(pk=job.contact_id).replied_at is not None
        assert not SendJob.objects.filter(run_id=run, step=2, status="sent").exists()


@pytest.mark.parametrize(
    "subject", ["Absence : Re: x", "自动回复: x", "Abwesenheit: Abwesenheitsmanagement für Ihr Team"]
)
def test_an_absence_notice_without_headers_stops_nothing(
    cast: Cast, mailbox: ImapMailbox, imap: ImapServer, subject: str
) -> None:
    run, job = follow_up_of(cast)
    imap.put(
        f"From: {job.contact.email}\nMessage-ID: <a@example.org>\nIn-Reply-To: {job.message_id}\n"
        f"Subject: {subject}\n\nBis 7. Januar.".encode()
    )
    poll(cast)
    work("follow-ups")
    work("genie")
    work("send")
    with cast.scope():
        assert InboundMessage.objects.get().kind == "auto"
        assert SendJob.objects.filter(run_id=run, step=2, status="sent").count() == 1


def test_nothing_is_taken_in_twice(cast: Cast, imap: ImapServer, sent: list[SendJob]) -> None:
    imap.put(mail("reply-gmail", sent[0]))
    imap.put(mail("bounce-mailbox-full", sent[1], 1))
    poll(cast)
    poll(cast)
    imap.validity = 7  # all have other UIDs, and are searched for by their day
    imap.mails = {uid + 40: one for uid, one in imap.mails.items()}
    poll(cast)
    with cast.scope():
        assert InboundMessage.objects.count() == 2
        assert Event.objects.filter(kind__startswith="mail.").exclude(kind="mail.sent").count() == 2
        assert ImapMailbox.objects.get().positions == {"INBOX": {"uidValidity": 7, "lastUid": 42}}
    imap.put(mail("bounce-mailbox-full", sent[1], 2))
    imap.put(mail("bounce-mailbox-full", sent[1], 3))
    poll(cast)
    with cast.scope():
        listed = Suppression.objects.get()
        assert (listed.email, listed.reason, listed.details["softBounces"]) == (
            sent[1].contact.email.lower(),
            "bounced",
            3,
        )


class Killed(BaseException):
    pass


@pytest.mark.parametrize("after", [False, True])
def test_a_worker_that_dies_takes_in_each_mail_once(
    cast: Cast, imap: ImapServer, sent: list[SendJob], monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    imap.put(mail("reply-gmail", sent[0]))
    imap.put(mail("bounce-postfix", sent[1]))

    def dies(*arguments: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        # Between the mail and its commit, or after the commit of the first.
        patched.setattr(*((effects, "_record_bounce", dies) if after else (effects, "_notify", dies)))
        with pytest.raises(Killed):
            poll(cast)
    with cast.scope():
        assert InboundMessage.objects.count() == int(after)
        assert Contact.objects.filter(replied_at__isnull=False).count() == int(after)
        ImapMailbox.objects.update(worker=1)  # as if its process had gone
    sweep()
    poll(cast)
    with cast.scope():
        assert sorted(InboundMessage.objects.values_list("kind", flat=True)) == ["bounce", "reply"]
        assert Notification.objects.filter(kind="reply.received").count() == 1
        assert Event.objects.filter(kind="mail.bounced").count() == 1


def test_a_mail_without_a_trace_is_a_guess_and_stop_unsubscribes(
    cast: Cast, imap: ImapServer, sent: list[SendJob]
) -> None:
    imap.put(mail("reply-without-a-trace", sent[0]))
    imap.put(mail("reply-stop", sent[1]))
    imap.put(mail("bounce-replaced-message-id", sent[2]))
    with cast.scope():
        Contact.objects.filter(pk=sent[3].contact_id).update(erased_at=timezone.now(), is_deleted=True)
    imap.put(mail("reply-phone", sent[3]))  # from somebody whose data were erased
    poll(cast)
    with cast.scope():
        kept = InboundMessage.objects.order_by("uid")
        assert [(one.kind, one.matched_by, one.send_job_id, one.unsubscribes) for one in kept] == [
            ("reply", "guess", sent[0].pk, False),
            ("reply", "in_reply_to", sent[1].pk, True),
            ("bounce", "guess", sent[2].pk, False),
        ]
        assert Contact.objects.get(pk=sent[0].contact_id).replied_at is not None
        assert Contact.objects.get(pk=sent[1].contact_id).unsubscribed_at is not None


def test_an_answer_to_an_invitation_reaches_the_meeting(cast: Cast, imap: ImapServer, mailbox: ImapMailbox) -> None:
    now = timezone.now()
    with cast.scope():
        meeting = Meeting.objects.create(
            title="Opening day",
            organizer=cast.owner,
            starts_at=now + timedelta(days=1),
            ends_at=now + timedelta(days=1, hours=1),
            timezone="UTC",
        )
        MeetingAttendee.objects.create(meeting=meeting, email="ann@example.org", name="Ann Example")
    text = (MAILS / "calendar-accepted.eml").read_bytes()
    imap.put(text.replace(b"65f0c0ffee65f0c0ffee65f1", meeting.pk.encode()))
    poll(cast)
    shown = cast.key.get(f"/meeting/{meeting.pk}").data["attendees"]
    assert [(one["email"], one["answer"]) for one in shown] == [("ann@example.org", "accepted")]
    with cast.scope():
        assert InboundMessage.objects.values_list("kind", "answer", "meeting_id").get() == (
            "calendar",
            "accepted",
            meeting.pk,
        )
        assert Notification.objects.filter(member=cast.owner, kind="reply.received").exists()


def test_a_mailbox_that_fails_says_why_and_is_asked_less_often(
    cast: Cast, imap: ImapServer, mailbox: ImapMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    imap.put(b"From: a@b.example\n\nx")
    imap.floods = True
    poll(cast)
    with cast.scope():
        found = ImapMailbox.objects.get()
        assert "more than was asked for" in found.last_error
        assert (found.status, found.failures, found.positions) == ("waiting", 1, {})
    imap.floods, imap.refuses = False, "EXAMINE"
    with cast.scope():
        assert not Notification.objects.exists()  # a server that is away for a minute concerns nobody
    poll(cast)
    poll(cast)
    with cast.scope():
        found = ImapMailbox.objects.get()
        assert found.last_error.startswith("The folder 'INBOX' could not be opened")
        assert found.due_at > timezone.now() + timedelta(seconds=200)
        told = Notification.objects.get()
        assert (told.kind, told.member_id, told.record_id) == ("mailbox.failing", cast.owner.pk, mailbox.pk)
    imap.refuses = ""

    def breaks(*arguments: object) -> None:
        raise ValueError("a mail that nobody has thought of")

    imap.put(b"From: postmaster@example.org\nSubject: x\n\nx")
    monkeypatch.setattr(polling.Reader, "read", breaks)
    poll(cast)
    with cast.scope():
        found = ImapMailbox.objects.get()
        assert (found.last_error, found.positions["INBOX"]["lastUid"]) == ("", 2)


def test_received_mail_is_kept_as_long_as_the_company_says(cast: Cast, imap: ImapServer, sent: list[SendJob]) -> None:
    imap.put(mail("reply-gmail", sent[0]))
    imap.put(mail("reply-phone", sent[1]))
    poll(cast)
    assert cast.key.put("/genie/settings", {"inboxDays": 30}).data["inboxDays"] == 30
    with cast.scope():
        assert GenieSettings.objects.get().inbox_days == 30
        InboundMessage.objects.filter(uid=1).update(received_at=timezone.now() - timedelta(days=31))
        InboundMessage.objects.filter(uid=2).update(received_at=timezone.now() - timedelta(days=29))
        assert purge_inbox() is False
        assert InboundMessage.objects.values_list("uid", flat=True).get() == 2


def test_the_inbox_lists_marks_and_deletes(cast: Cast, imap: ImapServer, sent: list[SendJob]) -> None:
    imap.put(mail("reply-gmail", sent[0]))
    imap.put(mail("auto-exchange", sent[1]))
    poll(cast)
    for client in (cast.key, cast.session):
        shown = client.get("/inbox", filters={"kind": "reply", "isRead": False})
        assert [(one["contact"]["_id"], one["sendJob"]["_id"]) for one in shown.data] == [
            (sent[0].contact_id, sent[0].pk)
        ]
    [one] = shown.data
    assert (one["run"]["_id"], one["smtp"]["fromEmail"], one["isGuess"]) == (
        sent[0].run_id,
        "sender@example.com",
        False,
    )
    with cast.scope():
        now = timezone.now()
        InboundMessage.objects.filter(send_job=sent[0]).update(received_at=now)
        InboundMessage.objects.filter(send_job=sent[1]).update(received_at=now - timedelta(days=1))
    listed = [one["sendJob"]["_id"] for one in cast.key.get("/inbox").data]
    assert listed == [sent[0].pk, sent[1].pk], "by the time of receipt, not by that of reading the mailbox"
    of_second = {"run": sent[0].run_id, "contact": sent[1].contact_id}
    assert cast.key.get("/inbox", filters=of_second).body["totalCount"] == 1
    assert "Hello Ann" in cast.key.get(f"/inbox/{one['_id']}").data["quoted"]
    assert cast.key.get("/company/overview").data["numbers"]["unreadReplies"] == 1
    assert cast.key.put(f"/inbox/{one['_id']}", {"isRead": True}).data["isRead"] is True
    assert cast.key.get("/inbox", filters={"isRead": False, "kind": "reply"}).body["totalCount"] == 0
    assert cast.key.delete("/inbox", {"ids": [one["_id"]]}).data == {"deletedCount": 1}
    assert cast.key.get(f"/inbox/{one['_id']}").status == 404
    assert statuses(cast, sent[0].run_id or "") == {"sent": 5}
    told = cast.key.get(f"/contact/{sent[1].contact_id}/access-request").data["sections"]
    assert [row["kind"] for row in told["receivedMail"]] == ["auto"]
    assert cast.key.post(f"/contact/{sent[1].contact_id}/erase", {"confirm": sent[1].contact_id}).status in (200, 201)
    with cast.scope():
        assert not InboundMessage.objects.exists()
