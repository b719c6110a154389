"""Pauses, and what holds a company back that has paused or not paid."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing.models import Plan, Subscription
from billing.subscriptions.pauses import pause_subscription
from billing.subscriptions.services import grant_subscription
from core.tenancy import company_scope
from tests.billing.subscriptions.helpers import (
    NOON,
    actions,
    at,
    days,
    plan_of,
    primary,
    run_renewals,
    subscribed,
)
from tests.kit.cast import Cast, make_cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    made = make_cast()
    plan = plan_of("Club", pause_months=2)
    grant_subscription(company_id=made.company.pk, plan=plan, interval="month")
    return made


def subscription_of(cast: Cast) -> Subscription:
    with cast.scope():
        return Subscription.objects.get(is_primary=True)


def change(cast: Cast, body: Any) -> Any:
    return cast.session.put(f"/subscription/{subscription_of(cast).pk}", body)


def test_a_company_pauses_looks_and_resumes_with_what_was_left(cast: Cast) -> None:
    before = subscription_of(cast)
    until = timezone.now() + timedelta(days=40)
    paused = change(cast, {"paused": {"until": until.isoformat()}})
    assert (paused.status, paused.data["status"], paused.data["phase"]) == (200, "paused", "paused")
    for caller in (cast.session, cast.key):
        assert caller.get("/tag").status == 200
        refused = caller.post("/tag", {"name": "New"})
        assert (refused.status, "paused" in refused.body["warning"]) == (400, True)
    with cast.scope():
        Subscription.objects.update(paused_at=timezone.now() - timedelta(days=10))
    resumed = change(cast, {"paused": None})
    assert (resumed.status, resumed.data["status"], resumed.data["phase"]) == (200, "active", "")
    found = subscription_of(cast)
    assert before.period_end is not None
    assert found.period_end is not None
    assert abs(found.period_end - before.period_end - timedelta(days=10)) < timedelta(minutes=1)
    assert found.bill_at == found.period_end
    assert cast.session.post("/tag", {"name": "New"}).status == 201


@pytest.mark.parametrize("until", [-1, 70])
def test_a_pause_is_not_longer_than_the_plan_allows(cast: Cast, until: int) -> None:
    refused = change(cast, {"paused": {"until": (timezone.now() + timedelta(days=until)).isoformat()}})
    assert (refused.status, subscription_of(cast).status) == (400, "active")


@pytest.mark.parametrize("body", [{"paused": {}}, {"paused": {"until": "soon"}}, {"paused": {"until": None, "x": 1}}])
def test_nonsense_is_refused_at_its_field(cast: Cast, body: Any) -> None:
    refused = change(cast, body)
    assert (refused.status, subscription_of(cast).status) == (400, "active")


def test_plans_without_pauses_and_trials_are_not_paused(cast: Cast) -> None:
    Plan.objects.filter(name="Club").update(pause_months=0)
    body = {"paused": {"until": (timezone.now() + timedelta(days=9)).isoformat()}}
    assert [change(cast, one).status for one in (body, {"paused": None})] == [400, 400]
    assert subscription_of(cast).status == "active"


def test_a_pause_ends_by_itself_and_nothing_is_billed_meanwhile() -> None:
    company = subscribed()
    with company_scope(company.pk):
        Plan.objects.filter(name="Club").update(pause_months=3)

    with at(NOON + days(10)):
        pause_subscription(company_id=company.pk, until=NOON + days(50))
    end = primary(company).period_end
    for day in (30, 45, 50):
        run_renewals(NOON + days(day))
    found = primary(company)
    assert end is not None
    assert (found.status, found.period_end, found.paused_until) == ("active", end + days(40), None)
    assert actions(company)[2:] == ["paused", "resumed"]


@pytest.mark.parametrize("path", ["/member", "/campaign", "/genie", "/workflow"])
def test_half_of_the_grace_gone_nothing_new_is_begun_and_reads_go_on(cast: Cast, path: str) -> None:
    with cast.scope():
        ends = timezone.now() + timedelta(days=3)
        Subscription.objects.update(status="past_due", ends_at=ends, plan=None)
    for caller in (cast.session, cast.key):
        refused = caller.post(path, {})
        assert (refused.status, "not paid" in refused.body["warning"]) == (400, True)
        assert caller.get("/contact").status == 200
    assert cast.session.post("/tag", {"name": "New"}).status == 201
    with cast.scope():
        Subscription.objects.update(ends_at=timezone.now() + timedelta(days=4))
    assert "not paid" not in str(cast.session.post(path, {}).body.get("warning"))
