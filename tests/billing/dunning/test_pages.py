"""What members press: charge now, pause, resume."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from billing.models import Attempt, Subscription
from billing.payments import processor
from billing.renewals.services import bill_batch
from billing.subscriptions.services import grant_subscription
from core.tenancy import unscoped
from tests.billing.renewals.helpers import FakeGateway, dunning, save_card
from tests.billing.subscriptions.helpers import plan_of
from tests.kit.cast import Cast, make_cast
from tests.web.helpers import at, enter, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    made = make_cast()
    grant_subscription(company_id=made.company.pk, plan=plan_of("Club", pause_months=2), interval="month")
    return made


def subscription() -> Subscription:
    with unscoped(reason="test"):
        return Subscription.objects.get(is_primary=True, plan__name="Club")


def test_what_is_past_due_is_charged_now_and_nobody_is_asked_who_may_not(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processor, "gateway_client", FakeGateway())
    save_card(cast.company)
    owner, page = enter(cast.owner), at(cast.owner, "settings/plan/invoices")
    with unscoped(reason="test: the period is over"):
        Subscription.objects.filter(plan__name="Club").update(period_end=timezone.now(), bill_at=timezone.now())
    assert bill_batch() == 1
    assert "Charge Visa 4242 now" not in text_of(owner.get(page))
    with unscoped(reason="test: refused"):
        Subscription.objects.filter(plan__name="Club").update(status="past_due")
    assert "Charge Visa 4242 now" in text_of(owner.get(page))
    assert owner.post(page, {"do": "retry"}).status_code == 303
    assert dunning(cast.company).next_try_at is not None
    with cast.scope():
        assert not Attempt.objects.exists()  # workers charge it


def test_a_pause_is_begun_and_ended_on_its_page(cast: Cast) -> None:
    owner, page = enter(cast.owner), at(cast.owner, "settings/plan/pause")
    assert "Pause the subscription" in text_of(owner.get(at(cast.owner, "settings/plan")))
    assert "at most 2 months" in text_of(owner.get(page))
    for wrong in ("", "soon", "2020-01-01", "9999-12-31"):
        refused = owner.post(page, {"do": "save", "until": wrong})
        assert (refused.status_code, subscription().status) == (422, "active")
    day = (timezone.now() + timedelta(days=20)).date()
    assert owner.post(page, {"do": "save", "until": day.isoformat()}).status_code == 303
    paused = subscription()
    assert paused.paused_until is not None
    assert (paused.status, paused.paused_until.date()) == ("paused", day)
    shown = text_of(owner.get(at(cast.owner, "settings/plan")))
    assert "Paused until" in shown
    assert "Resume" in shown
    assert owner.post(page, {"do": "resume"}).status_code == 303
    assert subscription().status == "active"


def test_a_plan_without_pauses_says_so(cast: Cast) -> None:
    plan = subscription().plan
    assert plan is not None
    plan.pause_months = 0
    plan.save()
    page = at(cast.owner, "settings/plan/pause")
    assert "Your plan can't be paused" in text_of(enter(cast.owner).get(page))
