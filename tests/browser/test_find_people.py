"""The journey through new people: connect a source, find somebody, follow the run, decide about what is proposed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.jobs.liveness import release_lock
from outreach.models import AiApp, DataApp
from tests.kit.cast import make_cast
from tests.kit.data_server import KEY, Asked, DataServer, data_server, somebody
from tests.kit.factories import SmtpFactory
from tests.outreach.helpers import work
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def people() -> Iterator[DataServer]:
    def answer(asked: Asked) -> Any:
        return {"people": [somebody("Bea Berg")]} if "query" in asked.values else {"person": {"name": "Beate Berg"}}

    with data_server() as found:
        yield found.then(answer)
    release_lock()


def test_people_are_found_and_completed(page: Page, live_server: Any, people: DataServer) -> None:
    cast = make_cast()
    with cast.scope():
        SmtpFactory()
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        DataApp.objects.create(kind="enrich", name="Knows All", url=people.url, field_paths={"name": "person.name"})
    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()

    page.goto(f"/c/{cast.company.pk}/settings/data-apps")
    page.get_by_role("link", name="Connect: Lead source").click()
    page.get_by_label("Name").fill("People Finder")
    page.get_by_label("Address").fill(people.url)
    page.get_by_label("Key header").fill("X-Key")
    page.get_by_label("Key", exact=True).fill(KEY)
    page.get_by_label("Path to the list of people in the response").fill("people")
    page.get_by_label("Fields").fill("name = fullName\nemail = emails.0.address\nphone = phone")
    page.get_by_role("button", name="Save").click()
    card = page.get_by_role("listitem").filter(has_text="People Finder")
    card.get_by_role("button", name="Test").click()
    expect(page.get_by_text(re.compile("Test passed: found .*Bea Berg")).first).to_be_visible()

    page.goto(f"/c/{cast.company.pk}/outreach")
    page.get_by_role("link", name="Find new people").first.click()
    page.get_by_label("Who are you looking for").fill("Marketing managers in Berlin, for our open day")
    page.get_by_role("button", name="Show the cost").click()
    expect(page.locator("#cost")).to_contain_text("People Finder, after your own contacts")
    page.get_by_label("Get missing data from Knows All first").check()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="Find people").click()
    expect(page.get_by_text("Looking for people: 0 contacts looked at")).to_be_visible()
    work("lead-generation")
    work("genie")
    expect(page.get_by_text("Requesting data")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    work("enrichment")
    work("genie")
    expect(page.get_by_role("link", name="Review 1 draft")).to_be_visible()
    expect(page.get_by_text("1 of 25 wanted")).to_be_visible()

    page.goto(f"/c/{cast.company.pk}/proposals")
    page.get_by_role("button", name="Accept Name: Beate Berg").click()
    expect(page.get_by_text("saved to the contact").first).to_be_visible()
    expect(page.get_by_role("link", name="Beate Berg")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
