"""Home: the numbers of the last two weeks, each with the list that it counts, what was sent by day, what waits."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from html import unescape
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Company
from crm.models import Contact, FollowUp
from outreach.models import ImapMailbox, MailApp, SendJob, Smtp
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory, SmtpFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of
from tests.web.test_guards import BESIDE

KIRITIMATI = ZoneInfo("Pacific/Kiritimati")  # 14 hours ahead, so that its days are not those of UTC


@pytest.fixture
def midnight(scope: Cast) -> Callable[[int], datetime]:
    """Fill the company; return the beginning of the day so many days ago on its clock."""
    Company.objects.filter(pk=scope.company.pk).update(timezone=KIRITIMATI.key)
    today = timezone.now().astimezone(KIRITIMATI).replace(hour=0, minute=0, second=0, microsecond=0)

    def day(ago: int) -> datetime:
        return today - timedelta(days=ago)

    people = ContactFactory.create_batch(4)
    LeadFactory(contact=people[0])
    ages = (0, 13, 14)
    for person, ago in zip(people, ages, strict=False):
        Contact.objects.filter(pk=person.pk).update(created_at=day(ago), replied_at=day(ago))
        SendJob.objects.create(contact=person, status="sent", sending_at=day(ago), occurrence=ago + 1)
    for number in range(2):
        SendJob.objects.create(contact=people[3], status="draft", occurrence=100 + number)
    SmtpFactory(verified=False)
    return day


def test_numbers_are_those_of_the_companys_days(scope: Cast, midnight: Callable[[int], datetime]) -> None:
    found = scope.key.get("/company/overview").data
    assert datetime.fromisoformat(found["since"]) == midnight(13)
    assert found["timezone"] == KIRITIMATI.key
    assert found["numbers"] == {
        "newContacts": 3,  # two of today, one of the first day; the one of the day before counts no more
        "newLeads": 1,
        "answered": 2,
        "contactImportsToMend": 0,
        "leadImportsToMend": 0,
        "sent": 2,
        "drafts": 2,
        "unreadReplies": 0,
        "failingSenders": 1,
        "approvals": 0,
    }
    sent = {one["day"]: one["numbers"] for one in found["days"] if any(one["numbers"].values())}
    days = [midnight(ago).date().isoformat() for ago in (13, 0)]
    assert sent == dict.fromkeys(days, {"answered": 1, "sent": 1})
    assert len(found["days"]) == 14
    assert scope.session.get("/company/overview", days="1").data["numbers"]["sent"] == 1
    for name in ("outreach", "deliverability"):  # those of today were planned; all tell when they went out
        query = {"reportType": name, "startDate": days[0], "endDate": days[1]}
        rows = scope.key.get("/logs/report", **query).data["rows"]
        assert {row["key"]: row["sent"] for row in rows if row["sent"]} == dict.fromkeys(days, 1), name
    refused = scope.session.get("/company/overview", days="0")
    assert (refused.status, refused.body["warning"][:5]) == (400, "days:")

    # Who reads contacts alone is told of these alone, and of what is their own.
    seen = scope.narrow_session.get("/company/overview").data
    assert {name for name, count in seen["numbers"].items() if count is not None} == {
        "newContacts",
        "answered",
        "contactImportsToMend",
        "approvals",
    }
    assert seen["days"][0]["numbers"] == {"answered": 1, "sent": None}


def test_each_number_leads_to_what_it_counts(scope: Cast, midnight: Callable[[int], datetime]) -> None:
    client = enter(scope.owner)
    client.get(at(scope.owner))
    with CaptureQueriesContext(connection) as queries:
        page = client.get(at(scope.owner))
    assert len([one for one in queries if not BESIDE.match(one["sql"])]) <= 12

    html, text = html_of(page), text_of(page)
    numbers = re.findall(
        r'<a class="card stat" href="([^"]+)"><span\s+class="muted">([^<]+)</span><span class="stat-value num">(\d+)',
        html,
    )
    assert [(label, int(number)) for _, label, number in numbers] == [
        ("New contacts", 3),
        ("Messages sent", 2),
        ("Contacts who replied", 2),
        ("New leads", 1),
    ]
    for link, label, number in numbers:
        listed = html_of(client.get(unescape(link)))
        total = re.search(r'role="status">\s*([\d,]+)', listed)
        assert total is not None, label
        assert total[1] == number, label
        assert 'class="chip"' in listed
    assert "2 drafts to approve" in text
    drafts = re.search(r'href="([^"]+)">2 drafts to approve', html)
    assert drafts is not None
    assert "2 messages" in text_of(client.get(unescape(drafts[1])))
    assert "1 sender or mailbox with an error" in text
    assert html.count('class="series-1"') == 3  # two days, and the legend
    assert "Sent: 1, Replied: 1" in html
    assert re.search(r'<th[^>]*scope="col"[^>]*>Replied</th>', html)

    # Who may not see messages has no chart of them, and numbers of contacts alone.
    narrow = enter(scope.narrow).get(at(scope.narrow))
    assert "Messages" not in text_of(narrow)
    assert "New contacts 3" in text_of(narrow)


def test_only_what_the_reader_may_act_on_waits_for_them(db: None) -> None:
    cast = make_cast({module: {"GET": True} for module in ("genie", "apps", "lead", "lead-activity", "contact")})
    with cast.scope():
        lead = LeadFactory()
        SendJob.objects.create(contact=lead.contact, status="draft")
        SmtpFactory(verified=False)
        due = timezone.now()
        FollowUp.objects.create(lead=lead, title="Call the owner's lead", due_at=due)
        FollowUp.objects.create(lead=lead, title="Call mine", due_at=due, assignee=cast.owner)
    assert "You are up to date." in text_of(enter(cast.narrow).get(at(cast.narrow)))
    mine = text_of(enter(cast.owner).get(at(cast.owner)))
    assert ("1 draft to approve" in mine, "Call mine" in mine, "Call the owner's lead" in mine) == (True, True, False)


def test_senders_off_are_no_trouble(scope: Cast) -> None:
    SmtpFactory()
    SmtpFactory(verified=False, is_active=False)
    assert scope.key.get("/company/overview").data["numbers"]["failingSenders"] == 0
    Smtp.objects.filter(is_active=True).update(failures=2)
    assert scope.key.get("/company/overview").data["numbers"]["failingSenders"] == 1
    MailApp.objects.create(from_email="me@example.org", from_name="Me", api_key="key", verified=False)
    ImapMailbox.objects.create(smtp=Smtp.objects.get(is_active=True), host="h", username="u", password="p")
    assert scope.key.get("/company/overview").data["numbers"]["failingSenders"] == 3
