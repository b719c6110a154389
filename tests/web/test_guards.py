"""Over every page of the URL map: roles, policy, what it asks, what it weighs, and what its templates must not have."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import ApiKey, Member, Role
from config.headers import WEB
from config.urls.web import PAGES
from core.web import ask
from core.web.pages import Page, PersonPage
from crm.models import (
    BulkJob,
    Contact,
    ContactCategory,
    CustomField,
    CustomSection,
    Export,
    File,
    Import,
    Lead,
    ProductService,
    Segment,
    Tag,
    Team,
)
from outreach.models import GenieScheduler, SendJob, Smtp
from tests.guards.population import populate
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, MemberFactory
from tests.kit.plans import allow
from tests.kit.rows import kept_for_module, row
from tests.web.helpers import at, enter

PARAMETER = re.compile(r"<str:\w+>")
TEMPLATES = [*(settings.BASE_DIR / "templates" / "web").rglob("*.html")]
PLAIN = [*(settings.BASE_DIR / "templates" / "pages").rglob("*.html"), *settings.BASE_DIR.glob("templates/4*.html")]
FORBIDDEN = re.compile(
    r"\sstyle=|<style|<script>|\son\w+=|hx-on|js:|javascript:|\|\s*safe\b|mark_safe|autoescape off", re.I
)
BESIDE = re.compile("SAVEPOINT|RELEASE|SET |SELECT set_config")
"""Statements that every test or transaction brings along."""
MOST_ASKS, MOST_QUERIES = 4, 16
FRAMED = ("message-preview",)
"""What others wrote, as it is, in a frame with a policy of its own."""
EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
ROLES = ("Owner", "Manager", "Member", "Viewer")

ADDRESSES: dict[str, type[Any]] = {
    "category": ContactCategory,
    "contact": Contact,
    "export": Export,
    "field": CustomField,
    "file": File,
    "import": Import,
    "import-check": Import,
    "import-columns": Import,
    "job": BulkJob,
    "job-progress": BulkJob,
    "key": ApiKey,
    "lead": Lead,
    "member": Member,
    "message": SendJob,
    "message-preview": SendJob,
    "outreach-draft": SendJob,
    "outreach-review": GenieScheduler,
    "outreach-run": GenieScheduler,
    "product": ProductService,
    "role": Role,
    "section": CustomSection,
    "segment": Segment,
    "segment-filters": Segment,
    "sender": Smtp,
    "tag": Tag,
    "team": Team,
}
"""The page's name -> the model of the record that its parameter is the id of."""


@dataclass
class World:
    cast: Cast
    ids: dict[type[Any], str]
    members: dict[str, Member]
    clients: dict[str, Client]


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """A company with a record of everything, texts that try to break out, and a member of each role."""
    with kept_for_module(django_db_blocker):
        cast = make_cast()
        ids = populate(cast)
        with cast.scope():
            Contact.objects.update(name=EVIL)
            Export.objects.update(resource="contact")
            ContactFactory.create_batch(10)
            members = {"Owner": cast.owner} | {
                name: MemberFactory(status=Member.Status.ACCEPTED, role=Role.objects.get(name=name))
                for name in ROLES[1:]
            }
        yield World(cast, ids, members, {name: enter(member) for name, member in members.items()})


def address(world: World, page: type[Page]) -> str:
    path = PARAMETER.sub(lambda _: world.ids[ADDRESSES[page.name]], page.path)
    return f"/{path}" if issubclass(page, PersonPage) else at(world.cast.owner, path)


def opens(page: type[Page], member: Member) -> bool:
    """Whether the role opens the page, from the role itself."""
    modules = [one for one in (page.module, *page.also) if one]
    permission = member.permissions()
    return (
        not modules
        or member.status == Member.Status.OWNER
        or any(permission.get(one, {}).get("GET") for one in modules)
    )


@pytest.mark.parametrize("role", ROLES)
def test_every_page_answers_as_the_role_may(world: World, subtests: pytest.Subtests, role: str) -> None:
    assert len(PAGES) >= 8
    for page in PAGES:
        with row(subtests, page.name):
            answer = world.clients[role].get(address(world, page))
            assert answer.status_code == (200 if opens(page, world.members[role]) else 403)
            if page.name in FRAMED:
                assert "sandbox" in answer["Content-Security-Policy"]
                continue
            assert answer["Content-Security-Policy"] == WEB
            assert answer["Cache-Control"] == "no-store"
            text = answer.content.decode()
            assert "<img src=x" not in text
            assert "<script>" not in text
            assert text.count("<h1") == 1


def test_pages_ask_little(world: World, subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    original = ask.ask

    def counted(actor: Any, mount: str, method: str, path: str, *rest: Any, **more: Any) -> Any:
        asked.append(f"{method} {path}")
        return original(actor, mount, method, path, *rest, **more)

    monkeypatch.setattr(ask, "ask", counted)
    for page in PAGES:
        world.clients["Owner"].get(address(world, page))
        with row(subtests, page.name):
            asked.clear()
            with CaptureQueriesContext(connection) as queries:
                world.clients["Owner"].get(address(world, page))
            assert len(asked) <= MOST_ASKS, asked
            sql = [one["sql"] for one in queries if not BESIDE.match(one["sql"])]
            assert len(sql) <= MOST_QUERIES, sql


def test_pages_of_others_are_not_there(world: World, subtests: pytest.Subtests) -> None:
    """A record of another company in one's own address, and another company's address."""
    others = make_cast()
    stranger = enter(others.owner)
    for page in PAGES:
        if issubclass(page, PersonPage):
            continue
        with row(subtests, page.name):
            assert stranger.get(address(world, page)).status_code == 404
            if "<" in page.path:
                own = address(world, page).replace(world.cast.company.pk, others.company.pk, 1)
                assert stranger.get(own).status_code == 404


def test_unknown_buttons_are_refused(world: World, subtests: pytest.Subtests) -> None:
    for page in PAGES:
        with row(subtests, page.name):
            for name in ("nothing", "__init__", "<b>"):
                assert world.clients["Owner"].post(address(world, page), {"do": name}).status_code == 400


def test_a_lapsed_company_is_told(world: World, subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(monkeypatch, None)
    for page in PAGES:
        with row(subtests, page.name):
            answer = world.clients["Owner"].get(address(world, page))
            assert answer.status_code == (403 if page.needs_subscription else 200)


@pytest.mark.parametrize("template", [*TEMPLATES, *PLAIN], ids=lambda path: path.name)
def test_templates_have_nothing_inline(template: Path) -> None:
    found = FORBIDDEN.search(template.read_text())
    assert found is None or template.name == "unsubscribe.html", found  # it has a policy and a style of its own


def test_nothing_of_others_is_in_the_repository() -> None:
    files = [*settings.BASE_DIR.glob("*/static/**/*"), *(settings.BASE_DIR / "templates").rglob("*")]
    kept = [one for one in files if one.is_file()]
    assert len(kept) > 50
    for one in kept:
        assert one.suffix in (".html", ".txt", ".css", ".js", ".svg"), one
        assert ".min." not in one.name, one
        assert "licen" not in one.read_text().lower() or one.suffix == ".html", one


def packed(*names: str) -> int:
    paths = [finders.find(name) for name in names]
    return sum(len(gzip.compress(Path(path).read_bytes())) for path in paths)


def test_pages_stay_light(world: World) -> None:
    assert packed("web/web.css", "web/parts.css") <= 12_000
    assert packed("web/web.js", "django_htmx/htmx-4.min.js") <= 30_000
    with world.cast.scope():
        ContactFactory.create_batch(50)
    page = world.clients["Owner"].get(at(world.cast.owner, "contacts"))
    assert page.content.decode().count("<tr data-row") == 50
    assert len(gzip.compress(page.content)) <= 10_000


@pytest.mark.parametrize("path", ["/nothing", "/login", "/register", "/c/x/"])
def test_plain_pages_have_the_policy(db: None, path: str) -> None:
    answer = Client().get(path)
    assert answer["Content-Security-Policy"] == WEB
    assert b'href="/' in answer.content or answer.status_code == 302
