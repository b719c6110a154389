"""Use cases of a company's subscription: trial, grant, extend, change, cancel, activate, expire. Each one is logged."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Member
from accounts.registration.companies import create_company
from billing.entitlements.selectors import entitlement_of
from billing.models import Plan, Subscription
from billing.subscriptions import changes as moves
from billing.subscriptions.selectors import is_open
from billing.subscriptions.services import (
    activate_subscription,
    cancel_subscription,
    change_subscription,
    expire_subscription,
    extend_subscription,
    grant_subscription,
    override_subscription,
    start_trial,
)
from core.errors import ApiError, NamedError
from core.tenancy import company_scope
from core.tenancy.provisioning import provision_company
from tests.billing.subscriptions.helpers import NOON, actions, at, changes, days, make_company, plan_of, primary
from tests.kit.factories import CompanyFactory, MemberFactory, RoleFactory, UserFactory
from tests.kit.threads import at_once

pytestmark = pytest.mark.django_db
Status = Subscription.Status


def refused(name: str, call: Any, **values: Any) -> str:
    with pytest.raises(NamedError) as caught:
        call(**values)
    assert caught.value.name == name
    return caught.value.detail


def test_a_new_company_begins_with_the_trial() -> None:
    owner = UserFactory()
    with at(NOON):
        company = make_company(owner)
    found, plan = primary(company), Plan.objects.get(is_trial=True)
    assert (found.status, found.plan, found.trial_user_id) == (Status.TRIAL, plan, owner.pk)
    assert (found.starts_at, found.period_start) == (NOON, NOON)
    assert found.ends_at == found.period_end == NOON + days(plan.trial_days)
    change = changes(company)[0]
    assert (change.action, change.by, change.before) == ("started", None, {})
    assert (change.after["status"], change.after["plan"]) == ("trial", "Trial")


def test_a_second_company_of_the_same_person_gets_no_second_trial() -> None:
    owner = UserFactory()
    make_company(owner)
    second = make_company(owner)
    found = primary(second)
    assert (found.status, found.plan, found.trial_user_id) == (Status.EXPIRED, None, None)
    assert actions(second) == ["started"]
    with company_scope(second.pk):
        assert entitlement_of(second.pk) is None
    refused("FreePlanAlreadyUsed_400", start_trial, company_id=second.pk, user=owner)


def test_a_trial_stays_used_up_whatever_becomes_of_the_subscription() -> None:
    owner = UserFactory()
    first = make_company(owner)
    expire_subscription(company_id=first.pk)
    grant_subscription(company_id=first.pk, plan=None)
    with company_scope(first.pk):
        Member.objects.update(status=Member.Status.REMOVED)
    assert primary(make_company(owner)).status == Status.EXPIRED


@pytest.mark.parametrize("give", [grant_subscription, activate_subscription])
def test_a_granted_company_is_no_trial(give: Any) -> None:
    owner = UserFactory()
    first = make_company(owner)
    give(company_id=first.pk, **({"plan": None} if give is grant_subscription else {}))
    assert (primary(first).status, primary(first).trial_user_id) == (Status.ACTIVE, None)
    second = primary(make_company(owner))
    assert (second.status, second.trial_user_id) == (Status.TRIAL, owner.pk)
    assert primary(make_company(owner)).status == Status.EXPIRED


def test_what_an_earlier_version_granted_is_no_trial_either() -> None:
    owner = UserFactory()
    first = make_company(owner)
    grant_subscription(company_id=first.pk, plan=None)
    with company_scope(first.pk):
        Subscription.objects.update(trial_user=owner)
        provision_company()
    assert primary(make_company(owner)).status == Status.TRIAL


def test_without_a_trial_plan_a_company_begins_closed() -> None:
    Plan.objects.filter(is_trial=True).update(is_trial=False)
    owner = UserFactory()
    company = make_company(owner)
    assert primary(company).status == Status.EXPIRED
    refused("FreePlanAlreadyUsed_400", start_trial, company_id=company.pk, user=owner)
    refused("PlanNotFound_400", start_trial, company_id=CompanyFactory().pk, user=owner)


def test_providing_for_a_company_again_changes_nothing() -> None:
    company = make_company()
    before = primary(company)
    with company_scope(company.pk):
        provision_company()
        assert Subscription.objects.count() == 1
    assert primary(company).updated_at == before.updated_at


@pytest.mark.django_db(transaction=True)
def test_ten_companies_at_once_have_one_trial_between_them() -> None:
    owner = UserFactory()
    made = at_once(10, None, lambda n: create_company(name=f"Company {n}", owner=owner)[0])
    statuses = sorted(primary(company).status for company in made)
    assert statuses == [Status.EXPIRED] * 9 + [Status.TRIAL]


def test_a_grant_for_an_interval_gives_access_for_it_and_the_days_of_grace() -> None:
    plan = plan_of("Club", min_seats=2, max_seats=9)
    with at(NOON):
        company = make_company()
    with at(NOON):
        grant_subscription(
            company_id=company.pk, plan=plan, interval="month", seats=3, currency="EUR", note="agreed by phone"
        )
    found = primary(company)
    assert (found.status, found.plan, found.seats, found.interval, found.currency) == (
        Status.ACTIVE,
        plan,
        3,
        "month",
        "EUR",
    )
    assert (found.period_start, found.period_end) == (NOON, NOON.replace(month=4, day=30))
    assert found.ends_at == found.period_end + days(7)
    change = changes(company)[-1]
    assert (change.action, change.note) == ("granted", "agreed by phone")
    assert (change.before["status"], change.after["status"]) == ("trial", "active")
    assert (change.before["plan"], change.after["plan"]) == ("Trial", "Club")


def test_grant_without_an_end_and_until_a_day() -> None:
    company = make_company()
    grant_subscription(company_id=company.pk, plan=None)
    found = primary(company)
    assert (found.status, found.plan, found.ends_at, found.period_end, found.look_at) == (
        Status.ACTIVE,
        None,
        None,
        None,
        None,
    )
    with company_scope(company.pk):
        allowed = entitlement_of(company.pk)
    assert allowed is not None
    assert (allowed.modules, dict(allowed.limits)) == (None, {})
    with at(NOON):
        grant_subscription(company_id=company.pk, plan=None, until=NOON + days(30))
        assert primary(company).period_end == NOON + days(30)
        with pytest.raises(ApiError, match="until"):
            grant_subscription(company_id=company.pk, plan=None, until=NOON)


def test_grant_begins_anew_and_makes_the_first() -> None:
    company = CompanyFactory()
    refused("SubscriptionNotFound_400", expire_subscription, company_id=company.pk)
    grant_subscription(company_id=company.pk, plan=None)
    override_subscription(company_id=company.pk, modules=["contact"], limits={"contact": 1})
    grant_subscription(company_id=company.pk, plan=None)
    found = primary(company)
    assert (found.modules, found.limits) == (None, {})
    assert actions(company) == ["granted", "changed", "granted"]


def test_extend_moves_the_end_of_a_trial_and_of_a_period() -> None:
    company = make_company()
    trial_end = primary(company).ends_at
    assert trial_end is not None
    with pytest.raises(ApiError, match="until"):
        extend_subscription(company_id=company.pk, until=trial_end)
    extend_subscription(company_id=company.pk, until=trial_end + days(7))
    found = primary(company)
    assert (found.status, found.ends_at, found.period_end) == (Status.TRIAL, trial_end + days(7), trial_end + days(7))
    grant_subscription(company_id=company.pk, plan=plan_of("Club"), interval="month")
    end = primary(company).period_end
    assert end is not None
    extend_subscription(company_id=company.pk, until=end + days(3))
    found = primary(company)
    assert (found.status, found.period_end, found.ends_at) == (Status.ACTIVE, end + days(3), end + days(10))


def test_extend_opens_what_has_expired() -> None:
    company = make_company()
    expire_subscription(company_id=company.pk)
    until = primary(company).updated_at + days(5)
    extend_subscription(company_id=company.pk, until=until)
    found = primary(company)
    assert (found.status, found.ends_at, is_open(found)) == (Status.TRIAL, until, True)


def test_what_has_no_end_or_was_cancelled_is_not_extended() -> None:
    company = make_company()
    grant_subscription(company_id=company.pk, plan=None)
    assert "no end" in refused("BadRequest_400", extend_subscription, company_id=company.pk, until=NOON + days(4000))
    cancel_subscription(company_id=company.pk, at_period_end=False)
    assert "cancelled" in refused("BadRequest_400", extend_subscription, company_id=company.pk, until=NOON + days(4000))


def test_change_of_plan_and_seats() -> None:
    company, small, large = (
        make_company(),
        plan_of("Small", min_seats=1, max_seats=3),
        plan_of("Large", min_seats=2, max_seats=20),
    )
    grant_subscription(company_id=company.pk, plan=small, interval="month", seats=2)
    end = primary(company).period_end
    change_subscription(company_id=company.pk, plan=large, seats=10)
    found = primary(company)
    assert (found.plan, found.seats, found.period_end, found.status) == (large, 10, end, Status.ACTIVE)
    change = changes(company)[-1]
    assert (change.action, change.before, change.after) == (
        "changed",
        {"plan_id": small.pk, "plan": "Small", "seats": 2},
        {"plan_id": large.pk, "plan": "Large", "seats": 10},
    )
    refused("BadRequest_400", change_subscription, company_id=company.pk)


def test_seats_fit_the_plan_and_the_people() -> None:
    company, plan = make_company(), plan_of("Team", min_seats=2, max_seats=4)
    grant_subscription(company_id=company.pk, plan=plan, interval="month")
    refused("PlanMaxUsers_400", change_subscription, company_id=company.pk, seats=5)
    refused("PlanMinUsers_400", change_subscription, company_id=company.pk, seats=1)
    with company_scope(company.pk):
        for _ in range(2):
            MemberFactory(status=Member.Status.ACCEPTED, role=RoleFactory())
    assert "3 are in use" in refused("PlanMinUsers_400", change_subscription, company_id=company.pk, seats=2)
    change_subscription(company_id=company.pk, seats=3)
    tiny = plan_of("Tiny", max_seats=2)
    assert "3 are in use" in refused("PlanMaxUsers_400", change_subscription, company_id=company.pk, plan=tiny)
    refused("PlanMaxUsers_400", grant_subscription, company_id=company.pk, plan=tiny)
    assert primary(company).plan == plan


def test_cancel_at_the_end_of_the_period_and_at_once() -> None:
    company = make_company()
    with at(NOON):
        grant_subscription(company_id=company.pk, plan=plan_of("Club"), interval="year")
        cancel_subscription(company_id=company.pk, at_period_end=True)
    found = primary(company)
    assert (found.status, found.cancel_at_period_end, found.ends_at) == (Status.ACTIVE, True, NOON.replace(year=2027))
    with at(NOON + days(1)):
        cancel_subscription(company_id=company.pk, at_period_end=False)
    found = primary(company)
    assert (found.status, found.ends_at, found.look_at) == (Status.CANCELLED, NOON + days(1), None)
    assert "cancelled" in refused("BadRequest_400", cancel_subscription, company_id=company.pk, at_period_end=False)
    grant_subscription(company_id=company.pk, plan=None)
    assert primary(company).status == Status.ACTIVE
    assert "no paid period" in refused("BadRequest_400", cancel_subscription, company_id=company.pk, at_period_end=True)


def test_expire_and_activate() -> None:
    company = make_company()
    expire_subscription(company_id=company.pk)
    found = primary(company)
    assert (found.status, is_open(found)) == (Status.EXPIRED, False)
    refused("BadRequest_400", expire_subscription, company_id=company.pk)
    activate_subscription(company_id=company.pk)
    found = primary(company)
    assert (found.status, found.ends_at, found.plan and found.plan.name, is_open(found)) == (
        Status.ACTIVE,
        None,
        "Trial",
        True,
    )
    bare = CompanyFactory()
    activate_subscription(company_id=bare.pk)
    assert (primary(bare).plan, is_open(primary(bare))) == (None, True)


def test_every_change_says_who_made_it() -> None:
    company, staff = make_company(), UserFactory(is_staff=True)
    grant_subscription(company_id=company.pk, plan=plan_of("Club"), interval="month", by=staff)
    end = primary(company).period_end
    assert end is not None
    extend_subscription(company_id=company.pk, until=end + days(1), by=staff)
    change_subscription(company_id=company.pk, seats=1, by=staff)
    override_subscription(company_id=company.pk, modules=None, limits={"tag": 1}, by=staff)
    cancel_subscription(company_id=company.pk, at_period_end=True, by=staff)
    expire_subscription(company_id=company.pk, by=staff)
    activate_subscription(company_id=company.pk, by=staff)
    made = changes(company)
    assert [change.action for change in made] == [
        "started",
        "granted",
        "extended",
        "changed",
        "changed",
        "cancelled",
        "expired",
        "granted",
    ]
    assert [change.by_id for change in made] == [None] + [staff.pk] * 7


@pytest.mark.parametrize("target", Status.values)
@pytest.mark.parametrize("status", Status.values)
def test_moves_that_are_not_legal_are_refused(status: str, target: str) -> None:
    company = make_company()
    with company_scope(company.pk):
        Subscription.objects.update(status=status)
        subscription = Subscription.objects.get()
        if target in moves.TRANSITIONS[status]:
            moves.apply_change(subscription, "changed", status=target)
            assert Subscription.objects.get().status == target
        else:
            refused("BadRequest_400", lambda: moves.apply_change(subscription, "changed", status=target))
            assert Subscription.objects.get().status == status


@pytest.mark.django_db(transaction=True)
def test_twenty_changes_at_once_are_twenty_steps_of_one_chain() -> None:
    company, plan = make_company(), plan_of("Team", max_seats=100)
    grant_subscription(company_id=company.pk, plan=plan, seats=50, until=NOON + timedelta(days=4000))
    at_once(20, company.pk, lambda n: change_subscription(company_id=company.pk, seats=51 + n))
    made = changes(company)[2:]
    assert len(made) == 20
    chain = {change.before["seats"]: change.after["seats"] for change in made}
    seats, steps = 50, 0
    while seats in chain:
        seats, steps = chain.pop(seats), steps + 1
    assert (steps, seats) == (20, primary(company).seats)
