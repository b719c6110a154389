"""The journey of a campaign, at both widths: from a template and a segment to what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.jobs.liveness import release_lock
from outreach.models import EmailTemplate
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.kit.smtp_server import Faults, accept_any, faulty_server
from tests.outreach.helpers import work
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def catcher() -> Iterator[tuple[Faults, int]]:
    """The mail server: what it has got, and its port."""
    faults = Faults()
    with faulty_server(faults, authenticator=accept_any, auth_require_tls=False) as port:
        yield faults, port
    release_lock()


def test_a_campaign_goes_to_a_segment(page: Page, live_server: Any, catcher: tuple[Faults, int]) -> None:
    cast = make_cast()
    caught, port = catcher
    with cast.scope():
        SmtpFactory(port=port, username="user", password="päss wörd")
        words = {"subject": "Hello {{contact.firstName}}", "body": "Come on Tuesday", "text": "Come on Tuesday"}
        EmailTemplate.objects.create(name="Open day", **words)
        for name in ("Ann Lee", "Bob Ray"):
            ContactFactory(name=name, custom={})
    tree = {"operator": "and", "conditions": [{"field": "name", "operator": "isNotEmpty"}]}
    segment = cast.session.post("/segment", {"name": "Everybody", "panel": "contact", "advancedFilters": tree})
    assert segment.status == 201

    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()

    page.goto(f"/c/{cast.company.pk}/campaigns")
    page.get_by_role("link", name="New campaign").first.click()
    page.get_by_label("Everybody").check()
    expect(page.locator("#audience")).to_contain_text("2 of 2 contacts")
    page.locator("#f-name").fill("Open day in May")
    page.locator("#f-templateId").select_option(label="Open day")
    expect(page.locator("#f-subject")).to_be_hidden()
    expect(page.locator("#f-body")).to_be_hidden()
    page.locator("#f-templateId").select_option("")
    expect(page.locator("#f-subject")).to_be_visible()
    page.locator("#f-templateId").select_option(label="Open day")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Draft", exact=True)).to_be_visible()
    page.get_by_role("button", name="Start…").click()
    asked = page.get_by_role("dialog", name="Start this campaign?")
    expect(asked).to_contain_text("2 people get this campaign.")
    asked.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Running", exact=True)).to_be_visible()
    work("genie")
    work("send")
    page.reload()
    sent = page.get_by_role("region", name="Results").get_by_role("link", name="Sent 2")
    expect(sent).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sent.click()
    expect(page.locator("tbody tr")).to_have_count(2)
    assert len(caught.envelopes) == 2
