"""The navigation: the side bar, the tabs of places, the list of settings, and that every page can be reached."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from accounts.models import Member, Role
from config.urls.web import PAGES
from core.web.navigation.menu import first_pages
from core.web.navigation.places import PLACES, SETTINGS
from core.web.pages import Page
from tests.kit.cast import Cast
from tests.kit.factories import MemberFactory
from tests.kit.html import html_of
from tests.kit.rows import kept_for_module
from tests.web.helpers import at, enter
from tests.web.test_guards import opens
from tests.web.world import ROLES, World, address, make_world

MAX_LINKS = 14
PARENTS = {
    "first-steps": "home",
    "contact-samples": "import-new",
    "ai-built-in": "ai",
    "search": "home",
    "keys-help": "home",
    "job-tray": "home",
    "pipeline": "home",
    "card-scan-new": "contact-new",
    "meeting-people": "meeting-new",
    "outreach-find-cost": "outreach-find",
    "outreach-audience": "outreach-new",
    "outreach-people": "outreach-new",
    "contact-pick": "lead-new",
    "task-record": "follow-up-new",
    "organization-names": "contact-new",
    "outreach-steps": "outreach-new",
    "outreach-samples": "outreach-new",
    "campaign-audience": "campaign-new",
    "vendor-new": "sender-new",
    "workflow-of": "contact",
    "segment-new-fixed": "segment-new",
}
"""Page -> the page that links to it. For others it is the first page of their entry."""
UNLINKED = {
    "activities": "numbers of reports lead there: tests/web/test_reports.py",
    "submissions": "numbers of reports lead there: tests/web/test_reports.py",
    "transactions": "numbers of reports lead there: tests/web/test_reports.py",
    "mentions": "fields of comments ask it for members: tests/browser/test_comments.py",
    "email-draft": "the form of an email keeps its draft there: tests/browser/test_emails.py",
    "organization-merge": "a bulk action of the list leads there",
    "calendar-return": "another service leads back there after a log-in",
    "vendor-return": "another service leads back there after a log-in",
    "plan-seats": "linked while a paid subscription runs: tests/browser/test_subscription.py",
    "plan-pause": "linked while a paid subscription runs: tests/browser/test_subscription.py",
    "plan-cancel": "linked while a paid subscription runs: tests/browser/test_subscription.py",
    "parts": "samples for those who change parts, in the demo only",
}
"""Page -> the reason why it is linked from no page of the world."""
NEEDS = {
    "contacts-start": ("workflow", "POST"),
    "contact-pick": ("lead", "POST"),
    "leads-start": ("workflow", "POST"),
    "workflow-of": ("workflow", "POST"),
    "contacts-change": ("contact", "PUT"),
    "leads-change": ("lead", "PUT"),
    "organizations-change": ("contact", "PUT"),
    "contact-merge": ("contact", "DELETE"),
}
"""Page -> the permission of those to whom it is linked, where it is not POST on the page's own module."""
TARGET = re.compile(r'\s(?:href|action|formaction|hx-get)="([^"?#]*)')


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with kept_for_module(django_db_blocker):
        yield make_world()


def bar_of(response: Any) -> list[tuple[str, str]]:
    """Return (label, address) of the links of the side bar, the bell and the search among them."""
    return links_in(response, r'<nav class="side".*?</nav>', without=r'<div class="menu".*?</div>')


def tabs_of(response: Any) -> list[tuple[str, str]]:
    """Return (label, address) of the tabs of the page's place."""
    return links_in(response, r'<nav class="bar tabs place-tabs".*?</nav>')


def settings_of(response: Any) -> list[tuple[str, str]]:
    """Return (label, address) of the list of settings at a page."""
    return links_in(response, r'<nav class="settings-list".*?</nav>')


def links_in(response: Any, pattern: str, without: str = "$.") -> list[tuple[str, str]]:
    part = re.search(pattern, html_of(response), re.DOTALL)
    text = re.sub(without, "", part[0], flags=re.DOTALL) if part else ""
    found = re.findall(r'<a\b[^>]*href="([^"]*)"[^>]*>(.*?)</a>', text, re.DOTALL)
    return [(" ".join(unescape(re.sub(r"<[^>]+>", " ", label)).split()), target) for target, label in found]


def current_of(response: Any, pattern: str) -> list[str]:
    """Return the labels of the marked links in a part of a page."""
    part = re.search(pattern, html_of(response), re.DOTALL)
    found = re.findall(r"<a\b[^>]*aria-current[^>]*>(.*?)</a>", part[0] if part else "", re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", label).split()) for label in found]


def test_the_side_bar_is_short(world: World) -> None:
    """The owner, who may open everything, has all places; nobody has more."""
    page = world.clients["Owner"].get(at(world.cast.owner))
    links = bar_of(page)
    assert [label for label, _ in links[2:]] == [place.label for place in PLACES]
    assert len(links) <= MAX_LINKS
    assert len({target for _, target in links}) == len(links)
    for role in ROLES[1:]:
        assert {*bar_of(world.clients[role].get(at(world.cast.owner)))} <= {*links}
    assert len({place.key for place in PLACES}) == len(PLACES)


@pytest.mark.parametrize("role", ROLES)
def test_every_page_is_linked(world: World, subtests: pytest.Subtests, role: str) -> None:
    """Each page without a record in its address is in the side bar, a row of tabs, the list of settings or a parent."""
    client, member = world.clients[role], world.members[role]
    home = client.get(at(world.cast.owner))
    navigation = {target for _, target in bar_of(home)}
    for target in sorted(navigation):
        navigation |= {link for _, link in tabs_of(client.get(target))}
    navigation |= {target for _, target in settings_of(client.get("/account"))}
    pages = {page.name: page for page in PAGES}
    firsts = first_pages()
    links: dict[str, set[str]] = {}
    count = 0
    for page in PAGES:
        if "<" in page.path or page.name in UNLINKED or not opens(page, member):
            continue
        if page.menu and page.menu.needs != "GET" and not member_has(member, page.module, page.menu.needs):
            continue
        count += 1
        parent = pages[PARENTS[page.name]] if page.name in PARENTS else firsts.get(page.menu) if page.menu else None
        with subtests.test(page.name):
            if address(world, page) in navigation:
                continue
            assert parent not in (None, page), "in no part of the navigation, and without a parent"
            if not may_use(page, member):
                continue
            if parent.name not in links:
                links[parent.name] = set(TARGET.findall(html_of(client.get(address(world, parent)))))
            assert address(world, page) in links[parent.name], f"not linked from {parent.name}"
    assert count > 50


def may_use(page: type[Page], member: Member) -> bool:
    """Return whether the role may send the form of a page. To others it need not be linked."""
    module, method = NEEDS.get(page.name, (page.module, "POST"))
    return not module or member_has(member, module, method)


def member_has(member: Member, module: str, method: str) -> bool:
    return member.status == Member.Status.OWNER or bool(member.permissions().get(module, {}).get(method))


@pytest.mark.parametrize("role", ROLES)
def test_every_card_of_the_settings_opens(world: World, subtests: pytest.Subtests, role: str) -> None:
    """No role is shown a card that it cannot open, or that it can only look at where nothing is to be seen."""
    client = world.clients[role]
    index = html_of(client.get(at(world.cast.owner, "settings")))
    main = re.sub(r"<nav.*?</nav>", "", index[index.index("<main") :], flags=re.DOTALL)
    cards = [target for target in TARGET.findall(main) if "/settings/" in target or "/account" in target]
    assert len(cards) > 5
    for target in cards:
        with subtests.test(target):
            assert client.get(target).status_code == 200
    member = world.members[role]
    for name, module, method in (
        ("secrets", "workflow", "POST"),
        ("storage", "apps", "PUT"),
        ("deliverability", "genie", "PUT"),
    ):
        shown = at(world.cast.owner, f"settings/{name}") in cards
        assert shown == member_has(member, module, method), name


def test_a_place_opens_its_first_allowed_tab(scope: Cast) -> None:
    role = Role.objects.create(name="Products only", permission={"product-service": {"GET": True}})
    client = enter(MemberFactory(status=Member.Status.ACCEPTED, role=role))
    page = client.get(at(scope.owner))
    links = dict(bar_of(page)[2:])
    assert links == {
        "Home": at(scope.owner),
        "Leads": at(scope.owner, "products"),
        "Tasks": at(scope.owner, "workflow-approvals"),
        "Settings": at(scope.owner, "settings"),
    }
    products = client.get(links["Leads"])
    assert tabs_of(products) == [], "one tab is no row"
    assert current_of(products, r'<nav class="side".*?</nav>') == ["Leads"]


def test_tabs_and_settings_mark_the_page(scope: Cast) -> None:
    client = enter(scope.owner)
    segments = client.get(at(scope.owner, "segments"))
    assert [label for label, _ in tabs_of(segments)] == [
        "All contacts",
        "Organizations",
        "Segments",
        "Duplicates",
        "Suggestions",
    ]
    assert current_of(segments, r'<nav class="bar tabs place-tabs".*?</nav>') == ["Segments"]
    assert tabs_of(client.get(at(scope.owner, "segments/new"))) == [], "a form has its own way back"
    tag = client.get(at(scope.owner, "tags/new"))
    assert current_of(tag, r'<nav class="settings-list".*?</nav>') == ["Tags"]
    assert current_of(tag, r'<nav class="side".*?</nav>') == ["Settings"]
    listed = settings_of(tag)
    assert ("Profile and preferences", "/account") in listed
    assert listed == settings_of(client.get("/account"))
    index = html_of(client.get(at(scope.owner, "settings")))
    assert settings_of(client.get(at(scope.owner, "settings"))) == []
    assert all(f'href="{target}"' in index for _, target in listed)


def test_a_person_without_a_company_sees_their_account_only(scope: Cast) -> None:
    client = enter(scope.narrow)
    scope.narrow.delete()
    page = client.get("/account")
    assert [label for label, _ in settings_of(page)] == ["Profile and preferences", "Sessions", "Refer a friend"]
    assert bar_of(page) == []


def test_each_entry_has_one_order_and_a_purpose() -> None:
    entries = list(first_pages())
    assert len(entries) > 50
    assert len({(entry.place, entry.group, entry.order) for entry in entries}) == len(entries)
    without = [
        page.name
        for entry, page in first_pages().items()
        if entry.place == SETTINGS and entry.group and not page.purpose
    ]
    assert without == []
    assert [page.name for page in first_pages().values() if "<" in page.path] == []


def test_each_page_has_a_title_for_its_tab() -> None:
    assert len(PAGES) > 100
    nameless = [page.name for page in PAGES if not (page.tab_name or page.title or page.name == "home")]
    assert nameless == []
