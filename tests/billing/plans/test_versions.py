"""Who pays for a plan keeps its terms when staff change them, until a day that they are told of."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from billing.entitlements.selectors import entitlement_of
from billing.models import Plan, PlanPrice, PlanVersion, Subscription
from billing.subscriptions.services import grant_subscription
from billing.subscriptions.versions import drop_same, end_version, keep_terms, notify_of_version_ends
from core.errors import ApiError
from core.tenancy import unscoped
from tests.billing.addons.test_add_ons import order_by_key, pay
from tests.billing.checkout.helpers import buyer, order, subscription_of
from tests.billing.subscriptions.helpers import mails
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import UserFactory
from tests.kit.html_form import form_data

pytestmark = pytest.mark.django_db


def paying(**plan: Any) -> tuple[Cast, Plan]:
    cast, made = buyer(limits={"contact": 500}, **plan)
    pay(cast, order(cast, made)["payment"])
    return cast, made


def limit_of(cast: Cast) -> int | None:
    with cast.scope():
        found = entitlement_of(cast.company.pk)
        return None if found is None else found.limits.get("contact")


def change(plan: Plan) -> PlanVersion | None:
    version = keep_terms(plan.pk)
    Plan.objects.filter(pk=plan.pk).update(limits={"contact": 5}, max_seats=4)
    PlanPrice.objects.filter(plan=plan).update(amount=Decimal(99))
    drop_same(version)
    return version


def test_a_paying_company_keeps_price_and_limits_and_a_new_one_does_not() -> None:
    cast, plan = paying()
    version = change(plan)
    assert version is not None
    assert limit_of(cast) == 500
    shown = cast.session.get("/plans").data["plan"]
    assert (shown["limits"], shown["maxSeats"], shown["prices"][0]["amount"]) == ({"contact": 500}, 10, 29)
    end = subscription_of(cast).period_end
    assert end is not None
    with time_machine.travel(end - timedelta(days=1)):
        quote = cast.key.post("/subscription/preview", {"planID": plan.pk}).data
        assert quote["lines"][0]["amount"]["amount"] == 29
        pay(cast, order_by_key(cast, plan)["payment"])
        assert limit_of(cast) == 500
    new = make_cast()
    assert new.session.post("/subscription/preview", {"planID": plan.pk}).data["due"]["amount"] == 99
    grant_subscription(company_id=cast.company.pk, plan=plan)
    assert limit_of(cast) == 5


def test_a_change_of_something_else_makes_no_version() -> None:
    cast, plan = paying()
    version = keep_terms(plan.pk)
    Plan.objects.filter(pk=plan.pk).update(description="Better words")
    drop_same(version)
    assert not PlanVersion.objects.exists()
    assert subscription_of(cast).version_id is None


def test_a_lapse_ends_the_former_terms() -> None:
    cast, plan = paying()
    change(plan)
    with cast.scope():
        Subscription.objects.update(status="expired", ends_at=timezone.now())
    pay(cast, order(cast, plan)["payment"])
    assert (limit_of(cast), subscription_of(cast).version_id) == (5, None)


def test_subscribers_are_told_once_and_moved_with_a_period_that_begins_later() -> None:
    cast, plan = paying()
    version = change(plan)
    assert version is not None
    with pytest.raises(ApiError):
        end_version(version, timezone.now().date() + timedelta(days=13))
    end = subscription_of(cast).period_end
    assert end is not None
    end_version(version, end.date())
    for _ in range(2):
        with unscoped(reason="test"):
            assert notify_of_version_ends() is False
    assert mails(cast.company).count("terms_end") == 1
    with time_machine.travel(end - timedelta(days=1)):
        assert limit_of(cast) == 500
        made = order_by_key(cast, plan)
        assert made["payment"]["amount"]["amount"] == 99
        pay(cast, made["payment"])
        assert limit_of(cast) == 5


def test_staff_change_a_plan_in_the_back_office() -> None:
    cast, plan = paying()
    staff = Client()
    staff.force_login(UserFactory(is_staff=True, is_superuser=True))
    address = f"/admin/billing/plan/{plan.pk}/change/"
    form = form_data(staff.get(address).content.decode(), "plan_form")
    form |= {"limits:contact": ["7"], "prices-0-amount": ["49"]}
    answer = staff.post(address, form)
    assert answer.status_code == 302, answer.content[:2000]
    version = PlanVersion.objects.get()
    assert (version.limits, version.prices["USD"]["month"]["amount"]) == ({"contact": 500}, "29.0000")
    assert limit_of(cast) == 500
    assert PlanPrice.objects.get(plan=plan).amount == 49
    assert staff.get(f"/admin/billing/planversion/{version.pk}/change/").status_code == 200
