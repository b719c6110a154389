"""The journey through what is tracked: switch it on, add a host of one's own, and see what to publish."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from outreach.models import Campaign, DomainTracking, GenieScheduler, GenieSettings, SendJob, TrackingEvent
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, SmtpFactory
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


def test_clicks_by_link_stand_in_a_table_and_in_the_mail(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        now = timezone.now()
        campaign = Campaign.objects.create(name="News", status="completed", started_at=now)
        body = '<p>Our <a href="https://shop.example/">shop</a> and <a href="https://docs.example/">guides</a></p>'
        content = {"name": "", "share": 100, "subject": "News", "html": body, "text": "Our shop", "variables": []}
        run = GenieScheduler.objects.create(
            of_campaign=campaign,
            status="completed",
            smtp=SmtpFactory(),
            content={"variants": [content], "testShare": None, "chosen": None},
        )
        for _ in range(2):
            job = SendJob.objects.create(
                run=run, contact=ContactFactory(), status="sent", sent_at=now, variant=0, click_count=1
            )
            TrackingEvent.objects.create(
                send_job=job, kind="clicked", link=1, visitor="a", happened_at=now, applied_at=now
            )
    page.goto(at(cast.owner, f"campaigns/{campaign.pk}"))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()

    table = page.get_by_role("region", name="Clicks by link: First message")
    # Narrow screens show the rows as blocks.
    expect(table.locator("tbody tr").first).to_have_text(re.compile(r"1\. https://shop\.example/\s*2\s*2"))
    expect(table.locator("tbody tr").last).to_have_text(re.compile(r"2\. https://docs\.example/\s*0\s*0"))
    page.get_by_text("Show in the email").click()
    mail = page.frame_locator("iframe.mail-frame").frame_locator("iframe")
    expect(mail.get_by_text("2 people")).to_be_visible()
    expect(mail.get_by_text("0 people")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
