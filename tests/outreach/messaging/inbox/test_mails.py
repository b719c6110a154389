"""What received mails are taken for: mails of our own making in the shapes of known programs, and hostile ones."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from outreach.messaging.inbox.analysis.classification import Kind, calendar_part, classify
from outreach.messaging.inbox.analysis.matching import first_known, messages_named_in
from outreach.messaging.inbox.analysis.parsing import MAX_BYTES, Mail, read_mail
from outreach.messaging.inbox.analysis.reports import Report, read_bounce, read_complaint
from outreach.messaging.inbox.analysis.words import asks_to_stop, reply_and_quote, split_reply
from outreach.messaging.suppression.addresses import is_address

MAILS = Path(__file__).parent / "mails"
SENT = "65f0c0ffee65f0c0ffee65f0"
OWN = {"maria@example.com"}
PUBLIC = Path(os.environ.get("PUBLIC_MAILS", Path(__file__).parents[5] / "shared" / "mime")) / "set-of-emails"
"""Bounces that others have published, as data beside the checkout."""

REPLIES = {
    "reply-gmail": ("in_reply_to", "Thanks, Tuesday works for me.\n\nAnn"),
    "reply-gmail-html-only": ("in_reply_to", "Yes, please send details."),
    "reply-outlook": ("in_reply_to", "Please call me on Friday."),
    "reply-outlook-german": ("in_reply_to", "Gerne am Mittwoch."),
    "reply-thunderbird-german": ("in_reply_to", "Danke, passt."),
    "reply-apple-french": ("in_reply_to", "Oui, avec plaisir."),
    "reply-spanish": ("in_reply_to", "De acuerdo."),
    "reply-italian": ("in_reply_to", "Va bene, grazie."),
    "reply-phone": ("in_reply_to", "Sounds good"),
    "reply-below-the-quotation": ("in_reply_to", "Yes, on Thursday."),
    "reply-references-only": ("references", "I forward this to a colleague."),
    "reply-from-another-address": ("in_reply_to", "Ann asked me to answer: yes."),
    "reply-plus-address": ("plus_address", "Fine with me."),
    "reply-delivered-to": ("plus_address", "Fine with me, too."),
    "reply-without-a-trace": ("", "Are you still open on Sundays?"),
    "reply-auto-submitted-no": ("in_reply_to", "A person wrote this."),
    "reply-stop": ("in_reply_to", "STOP."),
    "reply-unsubscribe-german": ("in_reply_to", "Abmelden!"),
    "reply-stop-in-a-sentence": ("in_reply_to", "Please don't stop: I want to hear more about it."),
    "reply-helpdesk-person": ("in_reply_to", "I shall come, thank you."),
    "reply-mentions-mailer-daemon": ("in_reply_to", None),
    "broken-charset": ("in_reply_to", "Grüße, gern am Dienstag."),
    "broken-headers": ("in_reply_to", "Yes please."),
    "broken-no-end": ("in_reply_to", "Yes, we do."),
}
"""File -> how it is matched, and its new words."""

BOUNCES = {
    "bounce-postfix": ("hard", "5.1.1"),
    "bounce-exchange": ("hard", "5.1.10"),
    "bounce-forwarded": ("hard", "5.0.0"),
    "bounce-mailbox-full": ("soft", "5.2.2"),
    "bounce-policy": ("blocked", "5.7.1"),
    "bounce-greylisted-for-days": ("soft", "4.4.7"),
    "bounce-delayed": ("delayed", "4.4.1"),
    "bounce-delivered": ("delayed", "2.0.0"),
    "bounce-replaced-message-id": ("hard", "5.1.1"),
    "bounce-exim": ("hard", ""),
    "bounce-qmail": ("hard", "5.1.1"),
    "bounce-bare-cr": ("hard", "5.1.1"),
    "bounce-no-reply": ("hard", ""),
}
"""File -> severity and status of the failure to ann@example.org."""


def mail(name: str) -> Mail:
    return read_mail((MAILS / f"{name}.eml").read_bytes())


def matched(one: Mail, report: Report | None = None) -> str:
    """Return how the mail is matched with the message that was sent, or empty."""
    found = first_known(messages_named_in(one, report.message_ids if report else ()), {SENT: f"<{SENT}@example.com>"})
    return found.how if found else ""


@pytest.mark.parametrize("file", sorted(MAILS.glob("*.eml")), ids=lambda file: file.stem)
def test_each_mail_is_what_its_name_says(file: Path) -> None:
    found, name = mail(file.stem), file.stem
    kind = classify(found, OWN)
    if name in REPLIES:
        how, words = REPLIES[name]
        said, quoted = reply_and_quote(found)
        assert (kind, matched(found)) == (Kind.REPLY, how)
        assert words is None or said == words
        assert asks_to_stop(said) is (name in ("reply-stop", "reply-unsubscribe-german"))
        assert "Hello Ann" not in said
        assert ("Hello Ann" in quoted) is ("Hello Ann" in found.text)
    elif name in BOUNCES:
        severity, status = BOUNCES[name]
        report = read_bounce(found)
        [failure] = report.failures
        assert (kind, failure.recipient, failure.severity, failure.status) == (
            Kind.BOUNCE,
            "ann@example.org",
            severity,
            status,
        )
        assert matched(found, report) == ("" if name == "bounce-replaced-message-id" else "report")
    elif name.startswith("auto-") or name == "complaint-not-spam":
        assert kind == Kind.AUTO
    elif name.startswith("own-"):
        assert kind == Kind.OWN
    elif name.startswith("complaint"):
        report = read_complaint(found)
        assert (kind, matched(found, report)) == (Kind.COMPLAINT, "report")
        assert [one.recipient for one in report.failures] == (["ann@example.org"] if name == "complaint" else [])
    else:
        assert name == "calendar-accepted"
        assert kind == Kind.CALENDAR
        assert "PARTSTAT=ACCEPTED" in calendar_part(found)


def test_a_message_of_another_domain_is_not_ours() -> None:
    forged = read_mail(f"From: a@example.org\nIn-Reply-To: <{SENT}@example.net>\n\nyes".encode())
    assert matched(forged) == ""
    assert matched(read_mail(f"From: a@b.c\nReferences: <{SENT}@example.com> <{'0' * 24}@example.com>\n\n".encode()))


NESTED = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (depth, depth) for depth in range(3000))
HOSTILE = {
    "nothing": b"",
    "only line ends": b"\r\r\n\n\r",
    "binary": bytes(range(256)) * 40,
    "too long": b"From: ann@example.org\nSubject: long\n\n" + b"word " * (MAX_BYTES // 4),
    "nested multiparts": b"From: ann@example.org\n" + NESTED,
    "nested mails": b"From: ann@example.org\n" + b"Content-Type: message/rfc822\n\n" * 3000,
    "many parts": b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\nContent-Type: text/plain\n\nx\n" * 20_000,
    "many boundaries": b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 50_000,
    "endless headers": b"X-Header: x\n" * 100_000 + b"\nbody",
    "comments in comments": b"From: " + b"(" * 5000 + b"ann@example.org\n\nx",
    "encoded words": b"Subject: " + b"=?utf-8?q?=" * 2000 + b"\n\nx",
    "quoted lines": b"From: a@b.c\n\n" + b"> On a wrote:\n" * 20_000,
    "headings": b"From: a@b.c\n\n" + b"On Mon, x " * 9_000,
    "blanks": b"From: a@b.c\n\nhello" + b" \n\t" * 30_000,
    "html": b"From: a@b.c\nContent-Type: text/html\n\n" + b"<a href='x'><div><blockquote " * 20_000,
    "bad base64": b"From: a@b.c\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n%%%%=",
    "bad charset": b"From: =?nonsense?b?////?= <a@b.c>\nContent-Type: text/plain; charset=\xff\xfe\n\n\xff\xfe",
    "status without parts": b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\nx",
    "status in base64": b"Content-Type: message/delivery-status\nContent-Transfer-Encoding: base64\n\nRmluYWw=\n",
    "feedback alone": b"Content-Type: message/feedback-report\n\nFeedback-Type: abuse\n",
}


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_mails_are_read_in_bounded_time(raw: bytes) -> None:
    began = time.process_time()
    found = read_mail(raw)
    kind = classify(found, OWN)
    read_bounce(found), read_complaint(found), list(messages_named_in(found))
    said, quoted = reply_and_quote(found)
    assert kind in (*Kind,)
    assert "\0" not in found.subject + said + quoted + found.sender[0]
    assert time.process_time() - began < 3


def test_words_below_a_quotation_and_plain_ones_are_new() -> None:
    assert split_reply("Yes.") == ("Yes.", "")
    assert split_reply("") == ("", "")
    said, quoted = split_reply("> shall we?\nYes.\n> when?\nToday.")
    assert said == "Yes.\nToday."
    assert "shall we" in quoted


@pytest.mark.skipif(not PUBLIC.is_dir(), reason="the public bounces are not beside the checkout (PUBLIC_MAILS)")
def test_public_bounces_name_their_recipients() -> None:
    """None of them is taken for a reply, which would stop what is planned for a person."""
    files = sorted(PUBLIC.glob("*.eml"))
    found, replies = 0, []
    for file in files:
        one = read_mail(file.read_bytes())
        report = read_complaint(one) if classify(one) == Kind.COMPLAINT else read_bounce(one)
        found += bool(report.failures)
        replies += [file.stem] if classify(one) == Kind.REPLY else []
        assert all(is_address(failure.recipient) for failure in report.failures), file.stem
    print(f"recipients found in {found} of {len(files)} public bounces")
    assert len(files) == 126
    assert (found >= 0.84 * len(files), replies) == (True, [])
