"""The banner above a company's pages: for who may buy, as long as there is something to be done."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from billing.subscriptions.services import cancel_subscription, expire_subscription, grant_subscription
from tests.billing.subscriptions.helpers import plan_of
from tests.kit.cast import make_cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_banner_follows_the_subscription() -> None:
    cast = make_cast()
    owner, narrow = enter(cast.owner), enter(cast.narrow)
    company = cast.company.pk
    grant_subscription(company_id=company, plan=plan_of("Club"), until=timezone.now() + timedelta(days=30))
    home = at(cast.owner)
    assert "The subscription" not in text_of(owner.get(home))
    cancel_subscription(company_id=company, at_period_end=True)
    assert "The subscription is cancelled, and ends on" in text_of(owner.get(home))
    assert "The subscription" not in text_of(narrow.get(home))
    assert "The subscription is cancelled" not in text_of(owner.get(at(cast.owner, "settings/plan")))
    expire_subscription(company_id=company)
    refused = owner.get(at(cast.owner, "contacts"))
    assert (refused.status_code, "The subscription has ended" in text_of(refused)) == (403, False)
    assert f"/c/{company}/settings/plan" in html_of(refused)
    assert "Choose a plan to continue" in text_of(refused)
    shown = owner.get(at(cast.owner, "settings/company"))
    assert "The subscription has ended. Your data is kept" in text_of(shown)
