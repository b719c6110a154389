"""A campaign by Debian's Postfix and Dovecot: what goes out, arrives, comes back and is answered, to the last mail."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from crm.models import Contact, ContactTag
from outreach.models import Conversation, ImapMailbox, InboundMessage, SendJob, Suppression
from tests.kit.cast import Cast
from tests.kit.debian_mail import DOMAIN, PASSWORD, USER, MailServers, mail_servers, needs_mail_servers, wait_for
from tests.kit.factories import ContactFactory, TagFactory
from tests.kit.spamassassin import PROGRAM, points_of
from tests.outreach.helpers import work
from tests.outreach.runs.campaigns.helpers import begun

pytestmark = [pytest.mark.slow, needs_mail_servers]
BOXES = [f"p{number:02}" for number in range(1, 25)]
REFUSED = {
    "gone@remote.example": "550 5.1.1 No such user here",
    "left@remote.example": "550 5.4.1 Recipient address rejected: Access denied. AS(201806281)",
    "full@remote.example": "552 5.2.2 The mailbox is full",
    "blocked@remote.example": "550 5.7.1 Message blocked by our policy",
    "spf@remote.example": "550 5.7.23 SPF validation failed for the sender",
}
PEOPLE = [*(f"{box}@people.example" for box in BOXES), "ghost@people.example", *REFUSED]
SEVERITIES = {
    "ghost@people.example": "hard",
    "gone@remote.example": "hard",
    "left@remote.example": "hard",
    "full@remote.example": "soft",
    "blocked@remote.example": "blocked",
    "spf@remote.example": "blocked",
}
MJML = (
    "<mjml><mj-head><mj-preview>Three dates in spring</mj-preview></mj-head><mj-body><mj-section><mj-column>"
    "<mj-text>Guten Tag {{contact.firstName}}, wir zeigen die neue Presse in drei Städten.</mj-text>"
    '<mj-button href="https://acme.example/dates">Termine</mj-button></mj-column></mj-section></mj-body></mjml>'
)
DELAY = {"amount": 3, "unit": "days"}
STEPS = [
    {"delay": DELAY, "body": "Guten Tag {{contact.firstName}}, haben Sie meine Mail gesehen?"},
    {"delay": DELAY, "body": "Guten Tag {{contact.firstName}}, dies ist die letzte Mail."},
]
MAX_POINTS = 1.0


@pytest.fixture(scope="module")
def servers() -> Iterator[MailServers]:
    with mail_servers(BOXES, REFUSED) as running:
        yield running


def _connect(cast: Cast, servers: MailServers) -> str:
    """Connect a sender and its mailbox, whose certificate signs itself; returns the sender's id."""
    account = {"username": USER, "password": PASSWORD}
    sender = {"name": "Acme", "host": "localhost", "port": servers.submission, "secure": True, **account}
    sender_answer = cast.key.post("/apps/smtp", {**sender, "fromEmail": f"{USER}@{DOMAIN}", "fromName": "Ann of Acme"})
    assert (sender_answer.status, sender_answer.data["verified"]) == (201, True), sender_answer.body
    box = {"smtp": sender_answer.data["_id"], "host": "127.0.0.1", "port": servers.imap, "secure": False, **account}
    mailbox = cast.key.post("/apps/imap", box)
    assert (mailbox.status, mailbox.data["verified"]) == (201, True), mailbox.body
    tested = cast.key.post(f"/apps/imap/{mailbox.data['_id']}/test").data
    assert (tested["ok"], tested["encryption"]) == (True, "TLSv1.3")
    return str(sender_answer.data["_id"])


def _start(cast: Cast, sender: str) -> str:
    with cast.scope():
        tag = TagFactory()
        for email in PEOPLE:
            name = f"Jörg {email.partition('@')[0].title()}"
            ContactTag.objects.create(contact=ContactFactory(name=name, email=email, custom={}), tag=tag)
    words = {"subject": "Eine Frage zu Ihrer Presse", "body": MJML, "outreachCadence": {"steps": STEPS}}
    return begun(cast, {"smtp": sender, "tags": [tag.pk]}, **words)


def _send(servers: MailServers, *, accepted: int) -> None:
    """Let messages go out, and wait until so many in all were accepted and are where they belong."""
    work("send")
    wait_for(lambda: servers.log().count("sasl_username=") >= accepted)
    assert servers.log().count("sasl_username=") == accepted
    servers.settle()


def _follow(cast: Cast, servers: MailServers, *, accepted: int) -> None:
    """Let the time of the next step come, and send what it makes."""
    with cast.scope():
        SendJob.objects.filter(next_step_at__isnull=False).update(next_step_at=timezone.now())
    work("follow-ups")
    work("genie")
    _send(servers, accepted=accepted)


def _poll(cast: Cast, servers: MailServers, *, received: int) -> None:
    """Wait until so many mails in all lie in the sender's mailbox, and read it."""
    wait_for(lambda: len(servers.mails(USER)) >= received)
    with cast.scope():
        ImapMailbox.objects.update(due_at=timezone.now())
    work("mailboxes")
    work("events")


def _answer(servers: MailServers, box: str, text: str, *, sender: str = "", subject: str = "", head: str = "") -> None:
    """Answer the last mail of a mailbox as its owner, or as another sender."""
    mail = servers.mails(box)[-1]
    person = sender or f"{box}@people.example"
    lines = [
        f"From: <{person}>",
        f"To: Ann of Acme <{USER}@{DOMAIN}>",
        f"Subject: {subject or 'AW: Eine Frage zu Ihrer Presse'}",
        f"Message-ID: <answer-{box}@people.example>",
        "Content-Type: text/plain; charset=utf-8",
        head.replace("{id}", str(mail["Message-ID"])) or f"In-Reply-To: {mail['Message-ID']}",
    ]
    servers.come_in(person, f"{USER}@{DOMAIN}", "\r\n".join([*lines, "", text, ""]))


def _unsubscribe(mail: EmailMessage) -> None:
    """Unsubscribe as a mail program does, by one POST."""
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = re.fullmatch(r"<https://leads\.acme\.example(/api/public/unsubscribe/[^>]+)>", mail["List-Unsubscribe"])
    assert address is not None
    form = "application/x-www-form-urlencoded"
    assert Client().post(address[1], b"List-Unsubscribe=One-Click", content_type=form).status_code == 200


def _check_bounces(cast: Cast) -> None:
    with cast.scope():
        bounces = InboundMessage.objects.filter(kind="bounce")
        assert dict(bounces.values_list("recipient", "severity")) == SEVERITIES
        assert bounces.count() == len(SEVERITIES)
        listed = Suppression.objects.filter(reason="bounced").values_list("email", flat=True)
        assert sorted(listed) == sorted(one for one, severity in SEVERITIES.items() if severity == "hard")
        returned = SendJob.objects.filter(delivery_status="bounced").values_list("contact__email", flat=True)
        assert sorted(returned) == sorted(SEVERITIES)


def _check_arrivals(servers: MailServers) -> list[EmailMessage]:
    """Check that each mail has arrived once, and in its thread; returns the mails of p04, who got all."""
    mails = {box: servers.mails(box) for box in BOXES}
    once, twice = {"p01", "p02", "p03", "p05", "p06", "p07"}, {"p08"}
    expected = {**dict.fromkeys(BOXES, 3), **dict.fromkeys(once, 1), **dict.fromkeys(twice, 2)}
    assert {box: len(found) for box, found in mails.items()} == expected
    ids = Counter(str(mail["Message-ID"]) for found in mails.values() for mail in found)
    assert (len(ids), max(ids.values())) == (59, 1)
    for found in mails.values():
        chain = [str(mail["Message-ID"]) for mail in found]
        assert [mail["In-Reply-To"] for mail in found] == [None, *chain[:-1]]
        assert [str(mail["References"] or "").split() for mail in found] == [chain[:n] for n in range(len(chain))]
        lists = {re.sub(r"\s+", " ", str(mail["List-Id"])) for mail in found}
        assert len(lists) == 1
        assert lists.pop().endswith(f".{DOMAIN}>")
    return mails["p04"]


def _check_spam(mails: list[EmailMessage], folder: Path) -> None:
    for points in points_of([mail.as_bytes() for mail in mails], folder):
        assert sum(number for number in points.values() if number > 0) <= MAX_POINTS, points


def test_every_mail_is_accounted_for(cast: Cast, servers: MailServers, settings: Any, tmp_path: Path) -> None:
    settings.BASE_URL = "https://leads.acme.example"
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8", "::1"]
    settings.OUTBOUND_CA_FILE = servers.ca_file
    _start(cast, _connect(cast, servers))
    _send(servers, accepted=30)
    _poll(cast, servers, received=6)
    _check_bounces(cast)

    _answer(servers, "p01", "Ja gern, bitte am Dienstag um zehn.")
    _answer(servers, "p02", "Was kostet sie?", head="References: <x@y.example> {id}")
    _answer(servers, "p03", "Ich antworte für die Kollegin.", sender="colleague@people.example")
    away = "Auto-Submitted: auto-replied\r\nIn-Reply-To: {id}"
    _answer(servers, "p04", "Ich bin im Urlaub.", subject="Abwesenheitsnotiz", head=away)
    _answer(servers, "p05", "Please remove me.")
    _unsubscribe(servers.mails("p06")[0])
    _answer(servers, "p07", "Stop")
    _poll(cast, servers, received=12)
    with cast.scope():
        assert Counter(InboundMessage.objects.values_list("kind", flat=True)) == {"bounce": 6, "reply": 5, "auto": 1}
        assert Conversation.objects.count() == 5

    _follow(cast, servers, accepted=30 + 18)
    _answer(servers, "p08", "Jetzt habe ich sie gesehen, danke.")
    _poll(cast, servers, received=13)
    _follow(cast, servers, accepted=30 + 18 + 17)
    whole = _check_arrivals(servers)
    with cast.scope():
        assert Conversation.objects.count() == 6
        unsubscribed = Contact.objects.filter(unsubscribed_at__isnull=False).values_list("email", flat=True)
        assert sorted(unsubscribed) == [f"{box}@people.example" for box in ("p05", "p06", "p07")]
        replied = Contact.objects.filter(replied_at__isnull=False).values_list("email", flat=True)
        assert sorted(replied) == [f"{box}@people.example" for box in ("p01", "p02", "p03", "p05", "p07", "p08")]
        assert SendJob.objects.filter(status="sent").count() == 65 - 3  # what came back for good is failed
        assert SendJob.objects.filter(status="failed", reason="came_back").count() == 3
    if PROGRAM:
        _check_spam(whole, tmp_path)
