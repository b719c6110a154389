"""Which headers make a mail automatic, and which do not."""

from __future__ import annotations

import pytest

from outreach.connections.smtp.refusals import Severity
from outreach.messaging.inbox.analysis.classification import Kind, classify
from outreach.messaging.inbox.analysis.parsing import Mail, read_mail
from outreach.messaging.inbox.analysis.reports import read_bounce

OURS = "In-Reply-To: <65f0c0ffee65f0c0ffee65f0@example.com>"


def mail(*headers: str, sender: str = "Ann <ann@example.org>", body: str = "Gern am Dienstag um zehn.") -> Mail:
    lines = [f"From: {sender}", "Message-ID: <x@example.org>", *headers]
    return read_mail(("\n".join(lines) + f"\n\n{body}").encode())


@pytest.mark.parametrize(
    "headers",
    [
        ("X-Autoreply: no",),
        ("X-Autorespond: false", "Auto-Submitted: no"),
        ("X-Auto-Response-Suppress: None",),
        ("X-Auto-Response-Suppress: ",),
        ("Auto-Submitted: No; owner=ann",),
        ("X-Loop: no",),
        ("X-Loop: sales@e2e.example",),
        ("X-MS-Exchange-Inbox-Rules-Loop: ann@example.org",),
        ("X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent",),
        ("Precedence: bulk",),
        ("Precedence: list", "List-Id: Sales <sales.people.example>"),
        ("List-Id: <a.example>", "X-Loop: a@lists.example", "Precedence: junk"),
        ("Precedence: first-class",),
        ("Return-Path: <ann@example.org>",),
    ],
)
@pytest.mark.parametrize("subject", ["Re: Out of office tastings", "Antw: Automated answers for your team", "Tuesday"])
def test_what_a_person_answers_is_a_reply(headers: tuple[str, ...], subject: str) -> None:
    assert classify(mail(OURS, f"Subject: {subject}", *headers)) == Kind.REPLY


@pytest.mark.parametrize(
    "headers",
    [
        ("Auto-Submitted: auto-replied",),
        ("Auto-Submitted: auto-generated; owner=x",),
        ("X-Autoreply: yes",),
        ("X-Autorespond: Re: Coffee",),
        ("X-Auto-Response-Suppress: All",),
        ("X-Auto-Response-Suppress: DR, OOF, AutoReply",),
        ("Precedence: auto_reply",),
        ("X-Loop: ann@example.org", "Auto-Submitted: auto-replied"),
        ("X-MS-Exchange-Inbox-Rules-Loop: ann@example.org", "X-Auto-Response-Suppress: All"),
        ("X-FC-MachineGenerated: true",),
        ("Return-Path: <>",),
        ("List-Id: <a.example>", "Auto-Submitted: auto-replied"),
        ("List-Id: <a.example>", "Return-Path: <>"),
    ],
)
def test_what_a_program_answers_is_automatic(headers: tuple[str, ...]) -> None:
    assert classify(mail(OURS, "Subject: Re: Coffee", *headers)) == Kind.AUTO


@pytest.mark.parametrize(
    "headers", [("Precedence: bulk",), ("X-Loop: ann@example.org",), ("List-Id: <a.example>",), ("Precedence: list",)]
)
def test_what_comes_by_a_list_and_answers_nothing_of_ours_is_automatic(headers: tuple[str, ...]) -> None:
    assert classify(mail("Subject: Coffee", *headers)) == Kind.AUTO


@pytest.mark.parametrize(
    "sender",
    [
        "Ann Admin <postmaster@example.org>",
        "Mail Administrator <ann@example.org>",
        "Postmaster <ann@example.org>",
        "postmaster@example.org",
    ],
)
@pytest.mark.parametrize("body", ["Gern am Dienstag.", "We need 450 cups.\n\nann@example.org\n\n> To: bob@example.org"])
def test_a_name_alone_makes_nobody_a_program(sender: str, body: str) -> None:
    assert classify(mail(OURS, "Subject: Re: Coffee", sender=sender, body=body)) == Kind.REPLY
    assert classify(mail("Subject: Re: Coffee", sender=sender, body=body)) == Kind.REPLY


def test_a_postmaster_who_reports_a_failure_is_a_mail_server() -> None:
    body = "Could not deliver to:\n\nbob@example.net\n\n550 5.1.1 no such user"
    assert classify(mail("Subject: Undeliverable: Coffee", sender="postmaster@example.org", body=body)) == Kind.BOUNCE
    assert classify(mail("Subject: Coffee", sender="postmaster@example.org", body=body)) == Kind.BOUNCE
    daemon = "Mail Delivery System <MAILER-DAEMON@example.org>"
    assert classify(mail(OURS, "Subject: Re: Coffee", sender=daemon)) == Kind.AUTO


def test_the_subject_that_was_sent_is_compared() -> None:
    answer = mail(OURS, "Subject: Re: Out of office")
    assert classify(answer, original="Coffee") == Kind.AUTO
    assert classify(answer, original="Out of office") == Kind.REPLY
    assert classify(answer) == Kind.REPLY


EXIM = """This message was created automatically by mail delivery software.
A message that you sent has not yet been delivered to one or more of its
recipients after more than 48 hours on the queue on mx.example.com.

The message identifier is:     1sAbcd-0001Ef-2G
The subject of the message is: New opening hours

The address to which the message has not yet been delivered is:

  bob@example.net
    host mx.example.net [192.0.2.7]
    Delay reason: SMTP error from remote mail server after RCPT TO: 450 4.1.1 user unknown

No action is required on your part. Delivery attempts will continue for
some time, and this warning may be repeated at intervals.
"""


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ("Warning: message 1sAbcd-0001Ef-2G delayed 48 hours", EXIM),
        ("Warning: could not send message for past 4 hours", "Still trying:\n\nbob@example.net\n\nDeferred: timeout"),
        (
            "Zustellung verzögert",
            "Noch nicht zugestellt an:\n\nbob@example.net\n\nDie Zustellung wird weiter versucht.",
        ),
    ],
)
def test_a_servers_warning_is_a_delayed_bounce(subject: str, body: str) -> None:
    daemon = "Mail Delivery System <Mailer-Daemon@mx.example.com>"
    warning = mail(f"Subject: {subject}", "Auto-Submitted: auto-replied", sender=daemon, body=body)
    assert classify(warning) == Kind.BOUNCE
    assert [(one.recipient, one.severity) for one in read_bounce(warning).failures] == [
        ("bob@example.net", Severity.DELAYED)
    ]


def test_a_person_who_writes_of_a_delay_is_no_server() -> None:
    assert classify(mail(OURS, "Subject: Delivery delayed?", body="bob@example.net waits")) == Kind.REPLY


def test_a_failure_after_a_delay_is_no_delay() -> None:
    body = "bob@example.net\n    550 5.1.1 user unknown, after a delay of 4 days"
    daemon = "Mail Delivery System <Mailer-Daemon@mx.example.com>"
    failed = mail("Subject: Mail delivery failed: returning message to sender", sender=daemon, body=body)
    assert [one.severity for one in read_bounce(failed).failures] == [Severity.HARD]
