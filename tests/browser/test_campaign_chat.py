"""The form of a campaign by chat, in a browser."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from outreach.models import ChatApp, ChatTemplate
from tests.browser.test_workflows import log_in
from tests.kit.cast import make_cast

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_variables_show_with_a_chat_template_alone(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        app = ChatApp.objects.create(name="Shop", phone_number_id="1", waba_id="2", access_token="t")
        ChatTemplate.objects.create(
            name="spring", app=app, language="en", status="APPROVED", category="MARKETING", components=[]
        )
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/campaigns/new")
    variables = page.locator("#f-chatVariables")
    expect(variables).to_be_hidden()
    page.locator("#f-chatTemplate").select_option(index=1)
    expect(variables).to_be_visible()
    page.locator("#f-chatTemplate").select_option(index=0)
    expect(variables).to_be_hidden()
