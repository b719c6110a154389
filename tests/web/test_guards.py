"""Over every page of the URL map: roles, policy, what it asks, what it weighs, and what its templates must not have."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from config.serving.headers import WEB
from config.urls.web import PAGES
from core.web import ask
from core.web.pages import Page, PersonPage
from tests.kit.cast import make_cast
from tests.kit.examples import EVERY, walked
from tests.kit.factories import ContactFactory
from tests.kit.html import html_of
from tests.kit.plans import allow
from tests.kit.rows import kept_for_module, row
from tests.web.helpers import at, enter
from tests.web.world import FRAMED, KEYS, REDIRECTS, ROLES, World, address, make_world

TEMPLATES = [*(settings.BASE_DIR / "templates" / "web").rglob("*.html")]
PLAIN = [*(settings.BASE_DIR / "templates" / "pages").rglob("*.html"), *settings.BASE_DIR.glob("templates/[45]*.html")]
TAG = re.compile(r"{%.*?%}", re.DOTALL)
FORBIDDEN = re.compile(r"\sstyle=|<style|<script>|hx-on|js:|javascript:|\|\s*safe\b|mark_safe|autoescape off", re.I)
HANDLER = re.compile(r"\son\w+=", re.I)
BESIDE = re.compile('SAVEPOINT|RELEASE|SET |SELECT set_config|SELECT "core_responsemessage"')
"""Statements that every test or transaction brings along, and the texts of answers, read now and then."""
MAX_ASKS, MAX_QUERIES = 5, 14
OF_ONE = {"plan-cancel": 24, "invoices": 19, "payment-methods": 16, "contact-related": 18}
"""They show the whole subscription, which no list has, or orders and credit notes beside invoices, or four short lists,
which a record's page asks for after it is shown."""


class Plain(HTMLParser):
    """What of a page needs a script."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: set[str] = set()
        self.loose: list[tuple[str, str]] = []
        self.wrong: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.inside = True
            self.forms.add(given.get("id", ""))
            if given.get("method", "").lower() not in ("get", "post", "dialog"):
                self.wrong.append(f"a form without method: {given}")
            if "hx-post" in given and given.get("action", given["hx-post"]) == "":
                self.wrong.append(f"a form that htmx alone sends: {given}")
        elif tag == "button" and given.get("type", "submit") == "submit":
            if "form" in given:
                self.loose.append((given["form"], str(given)))
            elif not self.inside:
                self.wrong.append(f"a button without form: {given}")
        elif tag == "a" and given.get("href", "#") in ("", "#"):
            self.wrong.append(f"a link that leads nowhere: {given}")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "form"

    def troubles(self) -> list[str]:
        return self.wrong + [f"a button of no form: {button}" for form, button in self.loose if form not in self.forms]


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with kept_for_module(django_db_blocker):
        yield make_world()


@dataclass(frozen=True)
class Shown:
    """A page as the owner got it: the answer, what it asked of the API, and the statements. `by_role` has what another
    role got."""

    answer: Any
    by_role: dict[str, Any]
    asked: list[str]
    sql: list[str]


def role_in_turn(world: World, page: type[Page], place: int) -> str:
    """Return a role that opens the page: another one for the next page, and the owner where no other may."""
    others = ROLES[1:]
    start = place % len(others)
    return next((role for role in (*others[start:], *others[:start]) if opens(page, world.members[role])), "Owner")


@pytest.fixture(scope="module")
def shown(world: World) -> dict[str, Shown]:
    """Each page by its name, opened twice, so that the second time shows what it takes each time.

    Another role opens it first, in turn of those that may.
    """
    found = {}
    asked: list[str] = []
    original = ask.ask

    def counted(actor: Any, mount: str, method: str, path: str, *rest: Any, **more: Any) -> Any:
        asked.append(f"{method} {path}")
        return original(actor, mount, method, path, *rest, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ask, "ask", counted)
        # Else what a process keeps for some seconds is read anew in the middle, on whichever page comes then.
        patch.setattr("core.messages.services.KEEP_SECONDS", 3600.0)
        patch.setattr("accounts.members.readers.LOOK_KNOWN_FOR", 3600)
        patch.setattr("accounts.settings.formats.ZONE_SECONDS", 10**9)
        for place, page in enumerate(walked(PAGES)):
            other = role_in_turn(world, page, place)
            with transaction.atomic():
                by_role = {other: world.clients[other].get(address(world, page))}
                world.clients["Owner"].get(address(world, page))
                asked.clear()
                with CaptureQueriesContext(connection) as queries:
                    answer = world.clients["Owner"].get(address(world, page))
                transaction.set_rollback(True)
            sql = [one["sql"] for one in queries if not BESIDE.match(one["sql"])]
            found[page.name] = Shown(answer, {**by_role, "Owner": answer}, list(asked), sql)
    return found


def opens(page: type[Page], member: Member) -> bool:
    """Whether the role opens the page, from the role itself."""
    modules = [one for one in (page.module, *page.alternate_modules) if one]
    permission = member.permissions()
    return (
        not modules
        or member.status == Member.Status.OWNER
        or any(permission.get(one, {}).get("GET") for one in modules)
    )


OWN = {"assistant-thread"}
"""Pages of records of one member, which are the owner's here."""


def check_answer(world: World, page: type[Page], role: str, answer: Any) -> None:
    """Check status, policy and markup of a page that the role has opened."""
    if page.name in REDIRECTS:
        assert answer.status_code == (302 if opens(page, world.members[role]) else 403)
        return
    private = page.name in OWN and role != "Owner"
    assert answer.status_code == ((404 if private else 200) if opens(page, world.members[role]) else 403)
    if page.name in FRAMED:
        assert "sandbox" in answer["Content-Security-Policy"]
        return
    assert answer["Content-Security-Policy"] == WEB
    assert answer["Cache-Control"] == "no-store"
    text = html_of(answer)
    assert "<img src=x" not in text
    assert "<script>" not in text
    assert text.count("<h1") == 1


@pytest.mark.parametrize("role", ROLES)
def test_every_page_answers_as_the_role_may(
    world: World, shown: dict[str, Shown], subtests: pytest.Subtests, role: str
) -> None:
    """The owner opens all pages, and each of them is opened by one other role in turn; all that may not are refused."""
    assert len(PAGES) >= 8
    opened = 0
    for page in walked(PAGES):
        answer = shown[page.name].by_role.get(role)
        if answer is None and opens(page, world.members[role]):
            continue
        opened += answer is not None
        with row(subtests, page.name):
            check_answer(world, page, role, answer or world.clients[role].get(address(world, page)))
    assert opened > 3


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES[1:])
def test_every_page_answers_as_every_role_may(world: World, subtests: pytest.Subtests, role: str) -> None:
    for page in PAGES:
        with row(subtests, page.name):
            check_answer(world, page, role, world.clients[role].get(address(world, page)))


def test_pages_ask_little(shown: dict[str, Shown], subtests: pytest.Subtests) -> None:
    for name, page in shown.items():
        with subtests.test(name):
            assert len(page.asked) <= MAX_ASKS, page.asked
            assert len(page.sql) <= OF_ONE.get(name, MAX_QUERIES), page.sql


def test_pages_of_others_are_not_there(world: World, subtests: pytest.Subtests) -> None:
    """A record of another company in one's own address, and another company's address."""
    others = make_cast()
    stranger = enter(others.owner)
    for page in walked(PAGES):
        if issubclass(page, PersonPage):
            continue
        with row(subtests, page.name):
            assert stranger.get(address(world, page)).status_code == 404
            if "<" in page.path and page.name not in KEYS:
                own = address(world, page).replace(world.cast.company.pk, others.company.pk, 1)
                assert stranger.get(own).status_code == 404


def test_unknown_buttons_are_refused(world: World, subtests: pytest.Subtests) -> None:
    for page, name in zip(walked(PAGES), cycle(("nothing", "__init__", "<b>")), strict=False):
        with row(subtests, page.name):
            assert world.clients["Owner"].post(address(world, page), {"do": name}).status_code == 400


def test_a_lapsed_company_is_told(world: World, subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(monkeypatch, None)
    for page in walked(PAGES):
        with row(subtests, page.name):
            answer = world.clients["Owner"].get(address(world, page))
            assert answer.status_code == (403 if page.needs_subscription else 200)


@pytest.mark.parametrize("template", [*TEMPLATES, *PLAIN], ids=lambda path: path.name)
def test_templates_have_nothing_inline(template: Path) -> None:
    text = template.read_text()
    found = FORBIDDEN.search(text) or HANDLER.search(TAG.sub("", text))  # tags have variables such as only=
    assert found is None, found


def test_nothing_of_others_is_in_the_repository() -> None:
    files = [*settings.BASE_DIR.glob("*/static/**/*"), *(settings.BASE_DIR / "templates").rglob("*")]
    typeface = settings.BASE_DIR / "core/static/web/inter"  # cut to scripts: docs/web.md
    kept = [one for one in files if one.is_file() and one.parent != typeface]
    assert len(kept) > 50
    assert {one.suffix for one in typeface.iterdir()} == {"", ".woff2"}
    assert "SIL OPEN FONT LICENSE" in (typeface / "LICENSE").read_text().upper()
    for one in kept:
        assert one.suffix in (".html", ".txt", ".css", ".js", ".svg"), one
        assert ".min." not in one.name, one
        assert "licen" not in one.read_text().lower() or one.suffix == ".html", one


def test_everything_works_without_script(shown: dict[str, Shown], subtests: pytest.Subtests) -> None:
    """Each form has a method, and an address or the page's own; each button belongs to one; each link leads."""
    for name, page in shown.items():
        if name in (*FRAMED, *REDIRECTS):
            continue
        with subtests.test(name):
            found = Plain()
            found.feed(html_of(page.answer))
            assert found.troubles() == []


def test_the_page_of_parts_has_each_part(world: World) -> None:
    """Each part that pages include has a sample; those of the shell are on the page anyway.

    The rows of records are those of one list's columns.
    """
    shell = {"side", "tab_bar", "toasts", "summary", "field", "field_texts", "dialogs", "palette", "tray", "unread"}
    shell |= {
        "filter_field",
        "kept",
        "chip",
        "visit",
        "place_tabs",
        "settings_list",
        "list_menu",
        "unsaved",
        "cures",
    }  # of single pages
    folder = settings.BASE_DIR / "templates" / "web"
    shown = (folder / "samples" / "parts.html").read_text()
    tags = {"badge": "{% badge ", "empty": "{% empty_state "}
    missing = {
        one.stem for one in (folder / "parts").glob("*.html") if tags.get(one.stem, f"parts/{one.name}") not in shown
    }
    assert missing - shell == {"record_rows"}


FORM = re.compile(r'<form[^>]*method="post".*?</form>', re.DOTALL)
GROUPED = ("form-section", "form-row", "<h2", "<details", "matrix")
OF_DAYS = {"booking-hours", "booking-page-hours"}
OF_SCHEMAS = {"chatbot-step", "workflow-settings"}
"""Forms of one line a day, and forms that are drawn from JSON Schemas."""


def test_long_forms_have_sections_or_rows(shown: dict[str, Shown]) -> None:
    forms = [(name, form) for name, one in shown.items() for form in FORM.findall(html_of(one.answer))]
    long = [(name, form) for name, form in forms if form.count('class="field"') > 6]
    assert len(long) > 20 // EVERY
    assert {name for name, form in long if not any(mark in form for mark in GROUPED)} <= OF_DAYS | OF_SCHEMAS


def packed(*names: str) -> int:
    paths = [finders.find(name) for name in names]
    return sum(len(gzip.compress(Path(path).read_bytes())) for path in paths)


def test_pages_stay_light(world: World) -> None:
    assert packed("web/web.css", "web/parts.css") <= 12_500
    assert packed("web/web.js", "django_htmx/htmx-4.min.js") <= 30_000
    with world.cast.scope():
        ContactFactory.create_batch(50)
    page = world.clients["Owner"].get(at(world.cast.owner, "contacts"))
    assert html_of(page).count("<tr data-row") == 50
    assert len(gzip.compress(page.content)) <= 10_000


@pytest.mark.parametrize("path", ["/nothing", "/login", "/register", "/licences", "/c/x/"])
def test_plain_pages_have_the_policy(db: None, path: str) -> None:
    answer = Client().get(path)
    assert answer["Content-Security-Policy"] == WEB
    assert b'href="/' in answer.content or answer.status_code == 302


TITLE, HEADING = re.compile(r"<title>\s*(.*?)\s*</title>", re.DOTALL), re.compile(r"<h1[^>]*>(.*?)</h1>", re.DOTALL)


def test_each_page_has_a_title_of_its_own(shown: dict[str, Shown]) -> None:
    """People tell tabs, the history and headings apart by them: title and heading belong to one address."""
    places: dict[tuple[str, ...], list[str]] = {}
    for name, page in shown.items():
        if name in (*FRAMED, *REDIRECTS):
            continue
        text = html_of(page.answer)
        found = [pattern.search(text) for pattern in (TITLE, HEADING)]
        words = tuple(" ".join(re.sub(r"<[^>]+>", " ", one[1]).split()) for one in found if one)
        assert len(words) == 2, name
        assert all(words), name
        places.setdefault(words, []).append(name)
    assert len(places) >= 8
    assert {words: names for words, names in places.items() if len(names) > 1} == {}
