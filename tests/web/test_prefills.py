"""Addresses that fill a form with a record which is gone: the form opens and says so, on every page without a record
in its path."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from config.urls.web import PAGES
from core.web.pages import Page, PersonPage
from crm.models import Contact
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory
from tests.kit.html import html_of
from tests.kit.rows import kept_for_module, row
from tests.web.helpers import at, enter, text_of

GONE = "0" * 24
NAMED = (
    *("app", "categories", "contact", "contactIds", "contactId", "file", "from", "id", "ids", "key", "kind", "lead"),
    *("leadIds", "like", "node", "of", "page", "plan", "record", "run", "scan", "segments", "smtp", "tags", "template"),
    *("templateId", "to", "tree", "version", "workflow"),
)
"""Parameters by which pages name records."""


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("leads/new?contact=", "This contact no longer exists. Pick another."),
        ("contacts/pick?contact=", "This contact no longer exists. Pick another."),
        ("calendar/new?contact=", "This contact no longer exists. Pick another."),
        ("calendar/new?lead=", "This lead no longer exists."),
        ("calendar/new/people?contact=", "This contact no longer exists. Pick another."),
        ("follow-ups/new?lead=", "This lead no longer exists. Pick another."),
        ("contacts/new?scan=", "This card no longer exists. Scan it again."),
        ("imports/new?file=", "This file no longer exists. Choose another."),
        ("settings/roles/new?like=", "The copied role no longer exists."),
        ("forms/ads?app=", "This account no longer exists. Choose another."),
    ],
)
@pytest.mark.parametrize("id", [GONE, "nothing", "../x", "<b>"])
def test_a_form_opens_without_what_is_gone(cast: Cast, client: Client, page: str, text: str, id: str) -> None:
    shown = client.get(at(cast.owner, f"{page}{id}"))
    assert (shown.status_code, text in text_of(shown)) == (200, True), text_of(shown)[:500]
    assert "<b>" not in html_of(shown).partition('id="toasts"')[2].partition("</lw-toast>")[0]


def test_a_deleted_contact_is_gone_and_a_kept_one_is_picked(cast: Cast, client: Client) -> None:
    with cast.scope():
        contact = ContactFactory(name="Ada One", custom={})
    page = at(cast.owner, f"leads/new?contact={contact.pk}")
    assert ("Ada One" in text_of(client.get(page)), "no longer exists" in text_of(client.get(page))) == (True, False)
    cast.key.delete("/contact", {"ids": [contact.pk]})
    with cast.scope():
        assert not Contact.objects.filter(pk=contact.pk, is_deleted=False).exists()
    shown = text_of(client.get(page))
    assert ("Ada One" in shown, "This contact no longer exists. Pick another." in shown) == (False, True)


def test_a_meeting_with_a_gone_lead_is_created_without_it(cast: Cast, client: Client) -> None:
    page = at(cast.owner, f"calendar/new?lead={GONE}")
    sent = {"do": "save", "title": "Tasting", "startsAt": "2031-03-03T10:00", "durationMinutes": "30"}
    assert client.post(page, sent).status_code == 303


def names_read(page: type[Page]) -> list[str]:
    """Return the parameters of addresses that the page's module may read."""
    source = inspect.getsource(sys.modules[page.__module__])
    return [name for name in NAMED if f'"{name}"' in source]


@pytest.mark.parametrize("id", [GONE, "<b>"])
def test_no_page_is_a_dead_end_for_a_record_that_is_gone(
    cast: Cast, client: Client, subtests: pytest.Subtests, id: str
) -> None:
    pages = [page for page in PAGES if "<" not in page.path and not issubclass(page, PersonPage)]
    asked = 0
    for page in pages:
        for name in names_read(page):
            with row(subtests, f"{page.name}?{name}"):
                status = client.get(at(cast.owner, page.path), {name: id}).status_code
                assert status in ((200, 404) if name == "id" else (200, 303)), f"?{name}={id}: {status}"
                asked += 1
    assert (len(pages) > 60, asked > 40) == (True, True), (len(pages), asked)
