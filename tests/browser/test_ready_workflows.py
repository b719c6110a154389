"""A ready workflow in a browser: from the gallery to its canvas in two clicks, and back by Undo."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from outreach.models import EmailTemplate
from tests.browser.test_workflows import log_in
from tests.kit.cast import make_cast
from tests.kit.factories import SmtpFactory
from workflows.models import Workflow

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.mark.both_widths
def test_a_ready_workflow_is_installed_in_two_clicks_and_undone(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        SmtpFactory(verified=True)
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/workflows/new")
    page.get_by_role("link", name="Win back quiet contacts").click()
    page.locator("summary", has_text="Can we still help you?").click()
    expect(page.locator("iframe").last).to_be_visible()
    page.get_by_label("Days without activity").fill("45")
    page.get_by_role("button", name="Install").press("Enter")
    expect(page.get_by_role("heading", name="Win back quiet contacts")).to_be_visible()
    expect(page.locator(".badge").first).to_have_text("Published")
    with cast.scope():
        schedule = Workflow.objects.get().schedule
        assert EmailTemplate.objects.count() == 2
    assert {"amount": 45, "unit": "days"} in [one.get("value") for one in schedule["audience"]["filter"]["conditions"]]
    page.locator("lw-toast").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Workflow and its emails removed")).to_be_visible()
    with cast.scope():
        assert not Workflow.objects.filter(is_deleted=False).exists()
        assert not EmailTemplate.objects.exists()
