"""The back office of plans and subscriptions: what staff can do, and that it is on record with their name."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from billing.models import Currency, Plan, PlanPrice, Subscription, SubscriptionChange
from billing.subscriptions.services import override_subscription
from tests.billing.subscriptions.helpers import changes, plan_of
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, UserFactory
from tests.kit.html_form import form_data

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root@example.com", "correct horse battery")


@pytest.fixture
def staff(root: User) -> Client:
    client = Client()
    client.force_login(root)
    return client


@pytest.fixture
def subscription(cast: Cast) -> Subscription:
    with cast.scope():
        return Subscription.objects.get()


def again(subscription: Subscription, cast: Cast) -> Subscription:
    with cast.scope():
        return Subscription.objects.select_related("plan").get(pk=subscription.pk)


def address(row: models.Model, page: str = "change", *more: str) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_{page}", args=(row.pk, *more))


def ask(client: Client, row: models.Model, name: str, **answers: Any) -> Any:
    return client.post(address(row, "ask", name), answers)


def edit(client: Client, row: models.Model, **values: Any) -> Any:
    """Send the record's form with these values changed; the answer."""
    sent = form_data(client.get(address(row)).content.decode(), f"{row._meta.model_name}_form")
    return client.post(address(row), {**sent, **values})


def last_log() -> str:
    return str(LogEntry.objects.latest("id").get_change_message())


def test_grant(cast: Cast, subscription: Subscription, staff: Client, root: User) -> None:
    plan = plan_of("Club", min_seats=2, max_seats=9)
    page = staff.get(address(subscription)).content.decode()
    for name in ("grant", "extend", "change", "cancel"):
        assert address(subscription, "ask", name) in page
    assert "Club" in staff.get(address(subscription, "ask", "grant")).content.decode()
    euro = Currency.objects.get(code="EUR")
    assert (
        ask(
            staff, subscription, "grant", plan=plan.pk, interval="year", seats=4, currency=euro.pk, note="By phone"
        ).status_code
        == 302
    )
    found = again(subscription, cast)
    assert (found.plan, found.interval, found.seats, found.currency, found.status) == (plan, "year", 4, "EUR", "active")
    change = changes(cast.company)[-1]
    assert (change.action, change.by, change.note) == ("granted", root, "By phone")
    assert last_log() == "Granted: Club. By phone"


def test_grant_until_a_day_and_what_does_not_fit(cast: Cast, subscription: Subscription, staff: Client) -> None:
    day = (timezone.now() + timedelta(days=40)).date()
    assert ask(staff, subscription, "grant", until=day.isoformat()).status_code == 200, "an empty form opens nothing"
    assert ask(staff, subscription, "grant", plan=plan_of("Both").pk, everything="on").status_code == 200
    assert changes(cast.company) == []
    assert ask(staff, subscription, "grant", everything="on", until=day.isoformat()).status_code == 302
    found = again(subscription, cast)
    assert found.period_end == datetime(day.year, day.month, day.day, 23, 59, 59, tzinfo=UTC)
    assert found.plan is None
    refused = ask(staff, subscription, "grant", plan=plan_of("Tiny", max_seats=1).pk)
    assert refused.status_code == 200
    assert "the plan has 1 seats; 2 are in use" in refused.content.decode()
    assert ask(staff, subscription, "grant", everything="on", until="2020-01-01").status_code == 200
    assert again(subscription, cast).period_end == found.period_end


def test_extend_change_and_cancel(cast: Cast, subscription: Subscription, staff: Client, root: User) -> None:
    plan, other = plan_of("Club", max_seats=9), plan_of("Guild", max_seats=20)
    ask(staff, subscription, "grant", plan=plan.pk, interval="month")
    later = (timezone.now() + timedelta(days=90)).date()
    assert ask(staff, subscription, "extend", until=later.isoformat(), note="A present").status_code == 302
    assert again(subscription, cast).period_end.date() == later
    assert last_log() == f"Extended to {later}. A present"
    assert ask(staff, subscription, "extend", until="2020-01-01").status_code == 200
    assert ask(staff, subscription, "extend").status_code == 200
    assert ask(staff, subscription, "change", plan=other.pk, seats=15).status_code == 302
    found = again(subscription, cast)
    assert (found.plan, found.seats) == (other, 15)
    refused = ask(staff, subscription, "change", seats=21)
    assert "the plan has 20 seats" in refused.content.decode()
    assert ask(staff, subscription, "change").status_code == 200
    assert ask(staff, subscription, "cancel", at_period_end="on").status_code == 302
    assert again(subscription, cast).cancel_at_period_end is True
    assert cast.key.get("/contact").status == 200
    assert ask(staff, subscription, "cancel").status_code == 302
    assert again(subscription, cast).status == "cancelled"
    assert cast.key.get("/contact").status == 500
    assert last_log() == "Cancelled now."
    assert [change.by for change in changes(cast.company)] == [root] * 5


def test_own_terms_are_changed_on_the_page_and_on_record(
    cast: Cast, subscription: Subscription, staff: Client, root: User
) -> None:
    assert edit(staff, subscription).status_code == 302
    assert changes(cast.company) == []
    assert edit(staff, subscription, modules=["contact", "tag"], **{"limits:contact": "3"}).status_code == 302
    found = again(subscription, cast)
    assert (found.limits, found.modules, found.status) == ({"contact": 3}, ["contact", "tag"], "active")
    change = changes(cast.company)[-1]
    assert (change.action, change.by, change.before["limits"], change.after["limits"]) == (
        "changed",
        root,
        {},
        {"contact": 3},
    )
    for values in ({"limits:contact": "many"}, {"limits:contact": "-1"}, {"modules": ["kontakt"]}):
        assert edit(staff, subscription, **values).status_code == 200, values
    text = edit(staff, subscription, **{"limits:contact": "many"}).content.decode()
    assert "Contacts: enter a whole number, or leave the field empty." in text
    assert edit(staff, subscription, modules="*", **{"limits:contact": ""}).status_code == 302
    found = again(subscription, cast)
    assert (found.limits, found.modules) == ({}, None)


def test_status_and_dates_are_changed_by_commands_alone(cast: Cast, subscription: Subscription, staff: Client) -> None:
    assert (
        edit(
            staff, subscription, status="expired", ends_at_0="2020-01-01", ends_at_1="00:00", plan="", seats="99"
        ).status_code
        == 302
    )
    found = again(subscription, cast)
    assert (found.status, found.ends_at, found.seats) == ("active", None, None)


def test_only_who_may_change_gets_the_dialogs(cast: Cast, subscription: Subscription) -> None:
    viewer = UserFactory(is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_subscription"))
    client = Client()
    client.force_login(viewer)
    assert address(subscription, "ask", "grant") not in client.get(address(subscription)).content.decode()
    for name in ("grant", "extend", "change", "cancel"):
        assert client.get(address(subscription, "ask", name)).status_code == 403
        assert ask(client, subscription, name, plan="").status_code == 403
    assert changes(cast.company) == []


def test_the_record_of_changes_is_read_only(cast: Cast, subscription: Subscription, staff: Client) -> None:
    override_subscription(company_id=cast.company.pk, modules=None, limits={"tag": 1})
    change = changes(cast.company)[0]
    assert staff.post(address(change), {"note": "Rewritten"}).status_code == 403
    assert staff.post(address(change, "delete"), {"post": "yes"}).status_code == 403
    assert staff.get(reverse("admin:billing_subscriptionchange_add")).status_code == 403
    with cast.scope():
        assert SubscriptionChange.objects.get().note == ""


def test_pages_show_what_is_used(cast: Cast, subscription: Subscription, staff: Client) -> None:
    ask(staff, subscription, "grant", plan=plan_of("Club", limits={"contact": 1500}, max_seats=9).pk, interval="month")
    with cast.scope():
        ContactFactory.create_batch(3)
    for row in (cast.company, subscription):
        text = " ".join(staff.get(address(row)).content.decode().split())
        assert "3 of 1,500" in text
        assert "2 of 9" in text
    assert "granted" in staff.get(address(subscription)).content.decode().lower()


def test_a_plan_is_made_with_its_prices(staff: Client) -> None:
    place = reverse("admin:billing_plan_add")
    sent = form_data(staff.get(place).content.decode(), "plan_form")
    euro = Currency.objects.get(code="EUR")
    price = {"currency": euro.pk, "interval": "month", "amount": "12.50", "seat_amount": "3"}
    sent |= {
        "name": "Club",
        "modules": "contact",
        "limits:contact": "5",
        "is_public": "on",
        "prices-TOTAL_FORMS": "1",
    }
    answer = staff.post(place, {**sent, **{f"prices-0-{name}": value for name, value in price.items()}})
    assert answer.status_code == 302, answer.context["errors"]
    plan = Plan.objects.get(name="Club")
    assert (plan.modules, plan.limits, plan.is_public) == (["contact"], {"contact": 5}, True)
    assert list(plan.prices.values_list("currency__code", "interval", "amount", "seat_amount")) == [
        ("EUR", "month", Decimal("12.5"), Decimal(3))
    ]


def test_prices_are_changed_on_the_plans_page(staff: Client) -> None:
    plan = plan_of("Club", amount="10")
    assert edit(staff, plan, **{"prices-0-amount": "11.25"}).status_code == 302
    assert PlanPrice.objects.get(plan=plan).amount == Decimal("11.25")
    assert edit(staff, plan, **{"prices-0-amount": "-1"}).status_code == 200
    assert edit(staff, plan, **{"limits:contact": "-1"}).status_code == 200
    assert edit(staff, plan, min_seats="5", max_seats="2").status_code == 200
    assert edit(staff, plan, is_trial="on").status_code == 200, "there is one trial"
    assert edit(staff, plan, **{"prices-0-DELETE": "on"}).status_code == 302
    assert not PlanPrice.objects.filter(plan=plan).exists()


def test_a_plan_that_somebody_has_stays(cast: Cast, subscription: Subscription, staff: Client) -> None:
    plan, unused = plan_of("Club"), plan_of("Nobody's")
    ask(staff, subscription, "grant", plan=plan.pk, interval="month")
    assert staff.post(address(plan, "delete"), {"post": "yes"}).status_code in (200, 403)
    assert staff.post(address(unused, "delete"), {"post": "yes"}).status_code == 302
    assert list(Plan.objects.filter(pk__in=(plan.pk, unused.pk))) == [plan]


def test_a_currency_is_taken_off_the_offer_and_its_code_stays(staff: Client) -> None:
    euro = Currency.objects.get(code="EUR")
    sent = form_data(staff.get(address(euro)).content.decode(), "currency_form")
    sent.pop("is_active")
    assert staff.post(address(euro), {**sent, "code": "XXX"}).status_code == 302
    euro.refresh_from_db()
    assert (euro.code, euro.is_active) == ("EUR", False)
