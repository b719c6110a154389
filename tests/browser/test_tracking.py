"""The journey through what is tracked: switch it on, add a host of one's own, and see what to publish."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from outreach.models import DomainTracking, GenieSettings
from tests.kit.cast import make_cast
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_tracking_is_switched_on_and_a_host_is_added(page: Page, live_server: Any) -> None:
    cast = make_cast()
    page.goto(at(cast.owner, "settings/tracking"))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()

    page.get_by_label("Track clicks").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    expect(page.get_by_label("Track clicks")).to_be_checked()
    page.get_by_role("textbox", name="Host").fill("nohost")
    page.get_by_role("button", name="Add domain").click()
    expect(page.get_by_text("nter a domain, such as click.example.com")).to_be_visible()
    page.get_by_role("textbox", name="Host").fill("go.acme.example")
    page.get_by_role("button", name="Add domain").click()
    with cast.scope():
        host = DomainTracking.objects.get()
        assert GenieSettings.objects.get().track_clicks is True
    expect(page.get_by_text(host.proof)).to_be_visible()
    expect(page.get_by_text("Not ready yet")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="Delete go.acme.example").click()
    expect(page.get_by_text("Add your own domain for tracked links.")).to_be_visible()
