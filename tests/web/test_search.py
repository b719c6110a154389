"""The search over everything, the keys, the menu's groups, and what is under way."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Member, Role
from config.urls.web import PAGES
from core.global_search import SEARCH_KINDS
from core.web.navigation.places import NOTIFICATIONS, PLACES, SETTINGS
from core.web.pages import PersonPage
from crm.models import BulkJob, Export, File, Import, Stage, Tag
from outreach.models import GenieScheduler
from tests.crm.pipelines.helpers import make_pipeline, stage_ids
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of

EVIL = '"><script>alert(1)</script>'


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def hits(response: Any) -> list[tuple[str, str]]:
    """The (words, address) of what was found."""
    found = re.findall(r'role="option"[^>]*href="([^"]*)">.*?<span>(.*?)</span>', html_of(response), re.DOTALL)
    return [(unescape(words), address) for address, words in found]


def test_records_pages_and_deeds_are_found(scope: Cast, client: Any) -> None:
    elsa = ContactFactory(name="Elsa Hedlund")
    lead = LeadFactory(contact=elsa)
    tag = Tag.objects.create(name=f"Hedlund {EVIL}")
    path = at(scope.owner, "search")
    page = client.get(path + "?q=hedlund")
    assert hits(page) == [
        ("Elsa Hedlund", at(scope.owner, f"contacts/{elsa.pk}")),
        ("Elsa Hedlund", at(scope.owner, f"leads/{lead.pk}")),
        (tag.name, at(scope.owner, f"tags/{tag.pk}")),
    ]
    assert "<script>alert" not in html_of(page)
    assert "3 results" in text_of(page)
    assert hits(client.get(path + "?q=start+o")) == [("Start outreach", at(scope.owner, "outreach/new"))]
    assert hits(client.get(path + "?q=time+of")) == []
    assert "No results for “zzz”" in text_of(client.get(path + "?q=zzz"))
    words = [words for words, _ in hits(client.get(path))]
    assert words.index("New contact") < words.index("Scan a card")
    assert {"New contact", "Start outreach", "Import contacts", "Contacts", "Settings"} <= set(words)

    # More than are shown lead to their list.
    for number in range(6):
        ContactFactory(name=f"Hedlund {number}")
    assert ("All results for “hedlund”", at(scope.owner, "contacts?q=hedlund")) in hits(client.get(path + "?q=hedlund"))

    # A viewer finds what they may read, and nothing to do.
    viewer = enter(MemberFactory(status=Member.Status.ACCEPTED, role=Role.objects.get(name="Viewer")))
    assert [words for words, _ in hits(viewer.get(path + "?q=new+con"))] == []
    assert ("Elsa Hedlund", at(scope.owner, f"leads/{lead.pk}")) in hits(viewer.get(path + "?q=elsa"))


def test_the_action_or_report_of_a_text_comes_first(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "search")
    for text, title in (("new lead", "New lead"), ("New contact", "New contact"), ("leads", "Leads")):
        assert hits(client.get(path, {"q": text}))[0][0] == title
    report = ("Outreach", at(scope.owner, "reports?reportType=outreach"))
    for text in ("outreach report", "reports outreach"):
        assert report in hits(client.get(path, {"q": text}))
    titles = [title for title, _ in hits(client.get(path, {"q": "reports"}))]
    assert "Reports" in titles
    assert "Outreach" not in titles


def test_leads_are_found_with_their_stage(scope: Cast, client: Any) -> None:
    elsa = ContactFactory(name="Elsa Hedlund")
    LeadFactory(contact=elsa, stage=Stage.objects.get(status="proposal"))
    LeadFactory(contact=elsa, stage=Stage.objects.get(pk=stage_ids(make_pipeline(scope))["Offered"]))
    LeadFactory(contact=elsa, status="gone-by", stage=None)
    said = text_of(client.get(at(scope.owner, "search") + "?q=hedlund"))
    for text in ("Elsa Hedlund Proposal", "Elsa Hedlund Offered", "Elsa Hedlund gone-by"):
        assert text in said


def test_each_kind_has_a_page_and_each_deed_an_address() -> None:
    shown = [page.record_kind[0] for page in PAGES if page.record_kind[0]]
    assert set(SEARCH_KINDS) <= set(shown)
    assert len(set(shown)) == len(shown)
    actions = [page for page in PAGES if page.action]
    assert len(actions) > 8
    assert [page.name for page in actions if "<" in page.path or not page.module] == []
    assert len({page.action for page in actions}) == len(actions)


SOUGHT = {
    "API keys": "keys",
    "webhooks": "webhooks",
    "users": "members",
    "permissions": "roles",
    "domain": "senders",
    "dkim": "deliverability",
    "unsubscribes": "suppressions",
    "blocklist": "suppressions",
    "do not contact": "suppressions",
    "bounces": "suppressions",
    "invoice": "invoices",
    "billing": "plan",
    "dark": "account",
    "password": "account",
    "time zone": "company",
    "trash": "recycle-bin",
    "whatsapp": "chat-apps",
    "audit": "log",
    "deals": "leads",
    "todo": "follow-ups",
    "newsletters": "campaigns",
    "automation": "workflows",
    "live chat": "widgets",
    "sign-up": "forms",
    "custom fields": "fields",
    "csv": "imports",
    "merge": "duplicates",
    "analytics": "reports",
    "mailboxes": "senders",
    "gemini": "ai",
    "chatgpt": "ai",
    "dark mode": "account",
    "logout": "sessions",
    "sign out": "sessions",
    "mail server": "senders",
    "dns": "deliverability",
    "stages": "leads",
    "to do": "follow-ups",
    "utm": "tracking",
    "utm tags": "tracking",
    "new task": "follow-up-new",
    "add task": "follow-up-new",
    "create task": "follow-up-new",
    "log a call": "call-new",
    "add contact": "contact-new",
}
"""Words that people use -> the name of a page that the palette finds by them."""


def test_each_kind_of_record_in_the_side_bar_has_its_action() -> None:
    """The first page of an entry lists records; the entry's page for a new one is an action of the palette."""
    forms = [page for page in PAGES if page.name.endswith("-new") and page.menu and page.menu.place != SETTINGS]
    with_action = {page.menu for page in PAGES if page.action}
    assert len(forms) > 8
    assert [page.name for page in forms if page.menu not in with_action] == []


def test_pages_are_found_by_their_usual_names(scope: Cast, client: Any, subtests: pytest.Subtests) -> None:
    pages = {page.name: page for page in PAGES}
    for text, name in SOUGHT.items():
        with subtests.test(text):
            page = pages[name]
            target = f"/{page.path}" if issubclass(page, PersonPage) else at(scope.owner, page.path)
            found = hits(client.get(at(scope.owner, "search"), {"q": text}))
            assert target in [address for _, address in found], found
    # What is called so comes before what is only meant by it.
    assert hits(client.get(at(scope.owner, "search"), {"q": "templates"}))[0][0] == "Email templates"
    assert hits(client.get(at(scope.owner, "search"), {"q": "members"}))[0][0] == "Members"


def test_the_palette_opens_with_recent_records_actions_and_pages(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "search")
    contacts = [ContactFactory(name=f"Ann {number}") for number in range(8)]
    tag = Tag.objects.create(name="Warm")
    client.get(at(scope.owner, f"tags/{tag.pk}"))
    for contact in [*contacts, contacts[5]]:
        client.get(at(scope.owner, f"contacts/{contact.pk}"))
    client.get(at(scope.owner, f"contacts/{contacts[0].pk}"), headers={"HX-Request": "true"})
    found = hits(client.get(path))
    recent = [contacts[number] for number in (5, 7, 6, 4, 3, 2)]
    assert found[:6] == [(contact.name, at(scope.owner, f"contacts/{contact.pk}")) for contact in recent]
    labels = [label for label, _ in found]
    assert labels.index("New contact") < labels.index("Inbox") < labels.index("API keys")
    heads = re.findall(r'role="group" aria-label="([^"]*)"', html_of(client.get(path)))
    assert heads == ["Recent", "Actions", "Pages", "Settings"]

    # They end with the session, and with the permission.
    viewer = MemberFactory(status=Member.Status.ACCEPTED, role=Role.objects.get(name="Viewer"))
    other = enter(viewer)
    other.get(at(scope.owner, f"contacts/{contacts[0].pk}"))
    assert ("Ann 0", at(scope.owner, f"contacts/{contacts[0].pk}")) in hits(other.get(path))
    viewer.role.permission = {}
    viewer.role.save()
    assert "Ann 0" not in text_of(other.get(path))
    client.post("/logout")
    assert "recent" not in client.session


def test_keys_lead_to_places(scope: Cast, client: Any) -> None:
    keys = text_of(client.get(at(scope.owner, "help/keys")))
    assert all(words in keys for words in ("Ctrl K", "G C Contacts", "G H Home", "G L Leads", "Approve the draft"))
    shell = html_of(client.get(at(scope.owner, "contacts")))
    assert {*re.findall(r'data-go="(\w)"', shell)} == {place.key for place in (*PLACES, NOTIFICATIONS)}


def test_what_is_under_way_is_seen(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "jobs/tray")
    assert "every 3s" not in html_of(client.get(path))
    BulkJob.objects.create(panel="contact", action="delete", status="running", total=2000, processed=500)
    BulkJob.objects.create(panel="contact", action="delete", status="completed", total=7)
    file = File.objects.create(name=f"people {EVIL}.csv", size=1, mime="text/csv")
    Import.objects.create(import_type="contact", file=file, status="queued")
    Import.objects.create(import_type="lead", file=file, status="running", total=200, processed=50)
    Export.objects.create(resource="product-service", status="running", total=4, processed=2)
    GenieScheduler.objects.create(name="Stopped", ai_type="offline", status="queued", cancelled_at=timezone.now())
    assert "Importing leads from people" in text_of(client.get(path))
    GenieScheduler.objects.create(prompt="Invite them", ai_type="offline", status="running", total=8, processed=7)
    found = {one["resource"]: one for one in scope.session.get("/bulk-job/under-way").data["work"]}
    assert {name: one["percent"] for name, one in found.items()} == {
        "bulk-job": 25.0,
        "contact/import": 0.0,
        "lead/import": 25.0,
        "export": 50.0,
        "genie": 87.5,
    }
    assert found["genie"]["title"] == "Invite them"
    narrow = scope.narrow_session.get("/bulk-job/under-way").data["work"]
    assert {one["resource"] for one in narrow} == {"bulk-job", "contact/import"}
    page = client.get(path)
    assert "every 3s" in html_of(page)
    text = text_of(page)
    assert all(words in text for words in ("Writing messages: Invite them", "88%", "Exporting: Products", "and 1 more"))
    assert "Deleted" not in text
    assert "<script>alert" not in html_of(page)


def test_background_work_leaves_out_changes_of_one_record(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "jobs")
    BulkJob.objects.create(panel="lead", action="update", status="completed", total=1, changed=1)
    BulkJob.objects.create(panel="contact", action="delete", status="completed", total=7, changed=7)
    BulkJob.objects.create(panel="contact", action="restore", status="queued")
    everything = ["Deleted: 7 contacts", "Restoring: contacts", "Changed: 1 lead"]
    for query, shown in (("", everything[:2]), ("?only=every", everything)):
        text = text_of(client.get(path + query))
        assert [words for words in everything if words in text] == shown


def test_reports_are_found_by_their_titles(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "search")
    for text in ("forecast", "Forec"):
        assert hits(client.get(f"{path}?q={text}"))[0] == ("Forecast", at(scope.owner, "reports?reportType=forecast"))
    assert "Stage conversion" in [words for words, _ in hits(client.get(f"{path}?q=conversion"))]
    assert hits(client.get(f"{path}?q=leads"))[0][0] == "Leads"


def test_reports_about_other_records_are_not_found(db: None) -> None:
    cast = make_cast({"report": {"GET": True}, "contact": {"GET": True}})
    with cast.scope():
        found = hits(enter(cast.narrow).get(at(cast.owner, "search?q=forecast")))
        contacts = hits(enter(cast.narrow).get(at(cast.owner, "search?q=contacts")))
    assert found == []
    assert ("Contacts", at(cast.owner, "reports?reportType=contacts")) in contacts
