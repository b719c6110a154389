"""The table of a role's permissions with scripts: no row allows changes of what it does not show."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.roles.models import Role
from core.tenancy import company_scope
from tests.browser.conftest import press
from tests.kit.cast import make_cast
from tests.web.helpers import enter

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_the_boxes_of_a_row_agree(page: Page, live_server: Any) -> None:
    cast = make_cast()
    session = enter(cast.owner).cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page.goto(f"{live_server.url}/c/{cast.company.pk}/settings/roles/new")
    press(page)
    page.locator("[name=name]").fill("Sales")
    page.get_by_label("Leads: change", exact=True).check()
    expect(page.get_by_label("Leads: view", exact=True)).to_be_checked()
    page.get_by_label("Tags: delete", exact=True).check()
    page.get_by_label("Tags: view", exact=True).uncheck()
    expect(page.get_by_label("Tags: delete", exact=True)).not_to_be_checked()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Role added")).to_be_visible()
    with company_scope(cast.company.pk):
        permission = Role.objects.get(name="Sales").permission
    assert permission == {"lead": {"GET": True, "PUT": True}}
