"""SpamAssassin finds next to nothing in what this service adds to mails: its own ones, and outreach of every kind."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.mails.services import render_mail
from accounts.mails.worker import message_of
from accounts.models import Mail
from accounts.settings.branding import Brand
from core.ids import new_id
from core.text.formats import Formats
from crm.models import ContactTag
from outreach.models import SendJob
from tests.accounts.mails.samples import SAMPLES
from tests.kit.cast import Cast
from tests.kit.examples import in_make_check
from tests.kit.factories import ContactFactory, TagFactory
from tests.kit.spamassassin import needs_spamassassin, points_of
from tests.outreach.helpers import Post, planned, work
from tests.outreach.runs.campaigns.helpers import begun
from tests.workflows.helpers import node, published
from tests.workflows.helpers import work as run_workflows

pytestmark = [needs_spamassassin, in_make_check]
MOST = 1.0
SHORT = {"subject": "A question about Tuesday", "body": "Hello {{contact.firstName}},\n\nwhen does it suit you?\n\nAnn"}
MJML = (
    "<mjml><mj-head><mj-preview>Three dates in spring, and one is near you.</mj-preview></mj-head><mj-body>"
    '<mj-section background-color="#f3f4f6"><mj-column><mj-text>Dear {{contact.firstName}}, we show the new press in'
    " three cities this spring. Bring a colleague and a question.</mj-text>"
    '<mj-button href="https://acme.example/dates">See the dates</mj-button></mj-column></mj-section></mj-body></mjml>'
)
HTML = (
    '<div style="display:none;font-size:0px;color:#ffffff;opacity:0">The spring letter of the workshop</div>'
    "<h1>Spring letter</h1><p>Dear {{contact.name}},</p><p>The workshop has moved. "
    '<a href="https://acme.example/new">See the new rooms</a>.</p>'
    '<img src="https://acme.example/press.jpg" width="300" height="200" alt="The new press">'
)

CALENDAR = "\r\n".join(
    (
        *("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Leadwright//EN", "METHOD:REQUEST", "BEGIN:VEVENT"),
        *("UID:1@leads.acme.example", "DTSTAMP:20261127T080000Z", "DTSTART:20261201T090000Z", "DURATION:PT30M"),
        *("SUMMARY:Talk", "END:VEVENT", "END:VCALENDAR", ""),
    )
)


@pytest.fixture(autouse=True)
def _public(settings: Any) -> None:
    settings.BASE_URL = "https://leads.acme.example"


def _people(cast: Cast) -> dict[str, Any]:
    with cast.scope():
        tag = TagFactory()
        contact = ContactFactory(name="Ann Lee", email="ann@example.org", custom={})
        ContactTag.objects.create(contact=contact, tag=tag)
    return {"tags": [tag.pk]}


def _send(cast: Cast, post: Post) -> bytes:
    before = len(post.server.received)
    work("send")
    assert len(post.server.received) == before + 1
    return post.server.received[-1]


def _outreach(cast: Cast, post: Post) -> dict[str, bytes]:
    """Send one mail of each kind, with opens and clicks tracked."""
    assert cast.key.put("/genie/settings", {"trackOpens": True, "trackClicks": True}).status == 200
    people = _people(cast)
    campaign = {**people, "smtp": post.smtp.pk}
    found: dict[str, bytes] = {}
    follow_up = {"delay": {"amount": 3, "unit": "days"}, "body": "Dear {{contact.firstName}}, have you seen it?"}
    id = begun(cast, campaign, name="Text", **SHORT, outreachCadence={"steps": [follow_up]})
    found["text"] = _send(cast, post)
    with cast.scope():
        SendJob.objects.filter(run__of_campaign=id, next_step_at__isnull=False).update(next_step_at=timezone.now())
    work("follow-ups")
    work("genie")
    found["follow-up"] = _send(cast, post)
    for name, body in (("mjml", MJML), ("newsletter", HTML)):
        begun(cast, campaign, name=name, subject="New dates in spring", body=body)
        found[name] = _send(cast, post)
    planned(cast, 1)
    found["ai"] = _send(cast, post)
    words = {"subject": "Your request", "body": "Dear {{ contact.name }}, thank you. We answer within a day."}
    workflow = published(cast, [node("a", "mail", words)], [], triggerEventType="manual")
    with cast.scope():
        contact = ContactFactory(name="Ann Lee", custom={})
    assert cast.key.post(f"/workflow/{workflow}/enrol", {"ids": [contact.pk]}).status == 201
    run_workflows()
    found["workflow"] = _send(cast, post)
    trial = {"to": [cast.owner.user.email], "subject": "New dates in spring", "body": MJML}
    assert cast.session.post("/campaign/test/smtp", trial).status == 200
    found["test"] = post.server.received[-1]
    return found


def _own(kind: str, number: int) -> bytes:
    """Return a mail of the service itself, as it goes out."""
    context = {**SAMPLES[kind][number], "brand": Brand(name="Leadwright"), "formats": Formats()}
    subject, text, html = render_mail(kind, context)
    mail = Mail(pk=new_id(), kind=kind, to="ann@example.org", subject=subject, text=text, html=html)
    if kind.startswith("meeting"):
        mail.calendar = CALENDAR
    return message_of(mail).message().as_bytes()


def test_outreach_of_every_kind(cast: Cast, post: Post, tmp_path: Path) -> None:
    mails = _outreach(cast, post)
    assert len(mails) == 7
    found = dict(zip(mails, points_of([*mails.values()], tmp_path), strict=True))
    assert all("HTML_MESSAGE" in points for points in found.values())  # it has read them
    for name, points in found.items():
        added = {rule: number for rule, number in points.items() if number > 0}
        assert sum(added.values()) <= MOST, (name, added)
        assert not re.search("LIST_PARTIAL|INVIS|LOW_CONTRAST|IMAGE_ONLY", " ".join(points)), (name, points)


def test_mails_of_the_service_itself(tmp_path: Path, settings: Any) -> None:
    settings.DEFAULT_FROM_EMAIL = "hello@leads.acme.example"
    mails = {(kind, number): _own(kind, number) for kind in SAMPLES for number in range(len(SAMPLES[kind]))}
    assert {"invite", "verify_email", "meeting_invitation", "notice_run_finished"} <= {kind for kind, _ in mails}
    for kind, points in zip(mails, points_of([*mails.values()], tmp_path), strict=True):
        added = {rule: number for rule, number in points.items() if number > 0}
        assert sum(added.values()) <= MOST, (kind, added)


def test_it_would_be_seen(cast: Cast, post: Post, tmp_path: Path) -> None:
    """These mails would meet the rules without what this service does."""
    planned(cast, 1)
    mail = _send(cast, post)
    without_list = re.sub(rb"List-Id: .*\r\n( .*\r\n)*", b"", mail)
    pale = without_list.replace(b"<p style", b'<p style=3D"color:#ffffff">Hidden words</p><p style', 1)
    assert len({mail, without_list, pale}) == 3
    [first], [second] = points_of([without_list], tmp_path), points_of([pale], tmp_path)
    assert "LIST_PARTIAL_SHORT_MSG" in first
    assert "HTML_FONT_LOW_CONTRAST" in second
