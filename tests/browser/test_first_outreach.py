"""The first ten minutes: from the registration to the first sent outreach, by clicks alone and without a dead end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from accounts.models import Company, CompanySettings
from core.jobs.liveness import release_lock
from core.samples import set_test_server
from core.tenancy import company_scope
from crm.models import ContactCategory
from outreach.models import SendJob
from tests.accounts.auth.helpers import mails_to, token_in
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.kit.smtp_server import Faults, accept_everybody, faulty_server
from tests.outreach.helpers import work
from tests.web.helpers import PASSWORD

ADDRESS = "ann@example.org"
PERSON = {"Your name": "Ann Lee", "Your company": "Harbour Bakery", "Email address": ADDRESS, "Password": PASSWORD}
TOPIC = "We open our new bakery on 1 December and invite you to a free croissant tasting"
MAX_CLICKS = 11
pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def caught() -> Iterator[Faults]:
    """The mails that the service's test server has got."""
    faults = Faults()
    with faulty_server(faults, authenticator=accept_everybody, auth_require_tls=False) as port:
        set_test_server(lambda: ("127.0.0.1", port))
        yield faults
        set_test_server(lambda: None)
    release_lock()


class Person:
    """A person who clicks, and the number of their clicks."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, target: Locator) -> None:
        self.clicks += 1
        target.click()

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name))

    def follow(self, name: str) -> None:
        self.click(self.page.get_by_role("main").get_by_role("link", name=name))


@pytest.mark.parametrize("page", [1280, 390], indirect=True)
def test_a_new_company_sends_its_first_outreach(page: Page, live_server: Any, settings: Any, caught: Faults) -> None:
    settings.BASE_URL = live_server.url
    person = Person(page)
    page.goto("/register")
    for label, text in PERSON.items():
        page.get_by_label(label).fill(text)
    person.press("Register")
    expect(page.get_by_role("heading", name="Check your inbox")).to_be_visible()
    person.clicks += 1  # the link in the mail
    page.goto(f"/verify-email?token={token_in(mails_to(ADDRESS)[-1])}")
    person.press("Verify and log in")
    expect(page.get_by_role("heading", name="Home", exact=True)).to_be_visible()
    company = Company.objects.get(email=ADDRESS)
    assert company.timezone == page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    with company_scope(company.pk):
        assert CompanySettings.objects.get().currency

    # One call to action at a time.
    expect(page.locator("main .button.primary")).to_have_text(["Import contacts"])
    person.press("Add 20 sample people")
    expect(page.get_by_text("20 sample people added")).to_be_visible()
    expect(page.locator("main .button.primary")).to_have_text(["Connect a sender"])
    person.press("Use the test sender")
    expect(page.locator("main .button.primary")).to_have_text(["Write outreach"])
    person.follow("Write outreach")

    person.click(page.get_by_label("Sample", exact=True))
    expect(page.locator("#audience")).to_contain_text("20 of 20 contacts")
    page.get_by_label("Topic").fill(TOPIC)
    person.press("Show samples")
    expect(page.locator("#samples details.sample")).to_have_count(3)
    person.press("Start")
    page.wait_for_url("**/outreach/*")
    work("genie")
    person.follow("Review 20 drafts")
    person.press("Approve")
    expect(page.locator(".top").get_by_role("status")).to_have_text("1 of 19")
    with company_scope(company.pk):  # the ten seconds in which an approval can be undone
        SendJob.objects.filter(status="approved").update(due_at=timezone.now())
    work("send")
    assert person.clicks <= MAX_CLICKS
    with company_scope(company.pk):
        sent = SendJob.objects.get(status="sent")
    assert ("croissant tasting" in sent.text, "…" in sent.subject) == (True, False)
    assert [to for _, recipients, _ in caught.envelopes for to in recipients] == [sent.recipient]

    page.goto(f"/c/{company.pk}/")
    expect(page.locator("main .button.primary")).to_have_text(["Invite a colleague"])


def test_a_refusal_is_cured_where_it_is_shown(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        SmtpFactory()
        ContactFactory(name="Ann Lee", custom={}, category=ContactCategory.objects.create(name="Bakers"))
    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/c/*/")
    page.goto(f"/c/{cast.company.pk}/outreach/new")
    page.get_by_label("Bakers").check()
    page.get_by_label("Topic").fill(TOPIC)
    page.get_by_role("button", name="Show samples").click()
    expect(page.locator("#samples")).to_contain_text("No AI writer is connected yet.")
    page.get_by_role("button", name="Use the built-in writer").click()
    expect(page.get_by_text("Built-in writer is on.")).to_be_visible()
    page.get_by_role("button", name="Show samples").click()
    expect(page.locator("#samples details.sample")).to_have_count(1)
    expect(page.get_by_label("Topic")).to_have_value(TOPIC)
