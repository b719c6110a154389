"""The pages of buying: the price that is shown is ordered, seats, another way to pay, and cancelling."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing.models import AddOn, AddOnPrice, Attempt, Currency, Payment, PlanPrice, Subscription
from billing.payments.processor import work
from billing.subscriptions.services import cancel_subscription
from billing.subscriptions.words import forget_words
from config.local.gateway_standin.server import Server
from core.tenancy import unscoped
from tests.billing.checkout.helpers import begin, books_hold, buyer, order, pay, subscription_of
from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

pytestmark = pytest.mark.django_db
PROOF = re.compile(r'name="proof" value="([^"]+)"')


def proof_on(answer: Any) -> str:
    found = PROOF.search(html_of(answer))
    assert found is not None
    return found[1]


def open_payment(cast: Cast) -> Payment | None:
    with cast.scope():
        found: Payment | None = Payment.objects.select_related("invoice").filter(status="open").first()
    return found


def page_of(cast: Cast, path: str) -> str:
    return at(cast.owner, f"settings/plan/{path}")


@pytest.fixture
def paid(server: Server) -> tuple[Cast, Client]:
    """An owner whose company has paid for two seats of a plan of 29 USD a month, and 10 for each further seat."""
    cast, plan = buyer()
    PlanPrice.objects.filter(plan=plan).update(seat_amount=10)
    pay(cast, order(cast, plan, seats=2)["payment"]["_id"])
    return cast, enter(cast.owner)


def test_another_price_is_shown_and_not_ordered(server: Server) -> None:
    cast, plan = buyer()
    owner = enter(cast.owner)
    page = f"{page_of(cast, 'buy')}?plan={plan.pk}&interval=month&currency=USD"
    form = {"do": "order", "interval": "month", "currency": "USD", "seats": "2"}
    seen = proof_on(owner.get(f"{page}&seats=2"))
    PlanPrice.objects.filter(plan=plan).update(amount=39)
    refused = owner.post(page, {**form, "proof": seen})
    assert refused.status_code == 422
    assert "The price has changed" in text_of(refused)
    assert "Continue to payment $39.00" in text_of(refused)
    for proof in ("", "q_x", seen[:-1]):
        assert owner.post(page, {**form, "proof": proof}).status_code in (200, 422)
    assert open_payment(cast) is None
    ordered = owner.post(page, {**form, "proof": proof_on(refused)})
    found = open_payment(cast)
    assert found is not None
    assert (ordered.status_code, found.amount_minor) == (303, 3900)


def test_add_ons_are_bought_on_their_page(paid: tuple[Cast, Client]) -> None:
    cast, owner = paid
    add_on = AddOn.objects.create(name="More contacts", limits={"contact": 100})
    AddOnPrice.objects.create(add_on=add_on, currency=Currency.objects.get(code="USD"), interval="month", amount=5)
    held = subscription_of(cast)
    page = f"{page_of(cast, 'buy')}?plan={held.plan_id}&interval=month&currency=USD"
    assert "More contacts $5.00 each a month." in text_of(owner.get(page))
    form = {"interval": "month", "currency": "USD", f"addon-{add_on.pk}": "x"}
    assert "A whole number, from 0 to 1,000." in text_of(owner.post(page, {"do": "save", **form}))
    form[f"addon-{add_on.pk}"] = "3"
    shown = owner.post(page, {"do": "save", **form})
    assert "3 × More contacts until" in text_of(shown)
    assert owner.post(page, {"do": "order", **form, "proof": proof_on(shown)}).status_code == 303
    found = open_payment(cast)
    assert found is not None
    assert (found.invoice.kind, found.basis["addOns"][0]["quantity"]) == ("addons", 3)


def test_seats_are_more_at_once_and_fewer_at_the_end(paid: tuple[Cast, Client]) -> None:
    cast, owner = paid
    page = page_of(cast, "seats")
    shown = owner.post(page, {"do": "save", "seats": "4"})
    assert "2 × More seats until" in text_of(shown)
    assert "for 4 people, $59.00 a month" in text_of(shown)
    with unscoped(reason="test: a minute goes by, and the rest is worth less"):
        Subscription.objects.filter(pk=subscription_of(cast).pk).update(
            period_start=timezone.now() - timedelta(days=15), period_end=timezone.now() + timedelta(days=15)
        )
    refused = owner.post(page, {"do": "order", "seats": "4", "proof": proof_on(shown)})
    assert "The price has changed" in text_of(refused)
    ordered = owner.post(page, {"do": "order", "seats": "4", "proof": proof_on(refused)})
    found = open_payment(cast)
    assert found is not None
    assert (ordered.status_code, 990 <= found.amount_minor <= 1000) == (303, True)
    assert f"Continue to payment ${found.amount_minor / 100:.2f}" in text_of(refused)
    pay(cast, found.pk)
    assert subscription_of(cast).seats == 4
    fewer = owner.post(page, {"do": "save", "seats": "3"})
    assert "for 3 people: $49.00 a month" in text_of(fewer)
    assert owner.post(page, {"do": "order", "seats": "3", "proof": proof_on(fewer)}).status_code == 303
    plan = at(cast.owner, "settings/plan")
    assert "Then it continues with 3 seats" in text_of(owner.get(plan))
    assert owner.post(plan, {"do": "keep"}).status_code == 303
    assert (subscription_of(cast).scheduled, subscription_of(cast).seats) == (None, 4)
    assert owner.post(page, {"do": "save", "seats": "99"}).status_code == 422
    books_hold()


def test_another_way_is_chosen_and_a_transfer_says_what_it_says(server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    owner, page = enter(cast.owner), page_of(cast, f"pay/{made['_id']}")
    begin(cast, "a", made)
    assert "Choose another method" in text_of(owner.get(page))
    assert owner.post(page, {"do": "other"}).status_code == 303
    assert "Payment method" in text_of(owner.get(page))
    begin(cast, "b", made)
    with cast.scope():
        left, now = Attempt.objects.order_by("created_at", "pk")
        assert (left.letter, left.left_at is None, now.letter, now.left_at) == ("a", False, "b", None)
    assert owner.post(page, {"do": "other"}).status_code == 303
    empty = owner.post(page, {"do": "transfer", "reference": " "})
    assert (empty.status_code, "Enter the reference of your transfer" in text_of(empty)) == (422, True)
    with cast.scope():
        assert Payment.objects.get(pk=made["_id"]).bank_state == ""
    server.pay(left.gateway_id)  # by the page that was left: it still pays the order, once
    with unscoped(reason="test: due"):
        Attempt.objects.update(due_at=timezone.now())
    work(float("inf"))
    assert subscription_of(cast).status == "active"
    books_hold()


def test_a_transfer_closes_the_other_ways_until_its_notice_is_cancelled(server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    owner, page = enter(cast.owner), page_of(cast, f"pay/{made['_id']}")
    ways = re.findall(r'name="gateway" value="([^"]+)"', html_of(owner.get(page)))
    assert owner.post(page, {"do": "transfer", "reference": "Rent & more"}).status_code == 303
    page_sent = owner.get(page)
    announced = text_of(page_sent)
    assert "email you when the transfer arrives" in announced
    assert "To pay another way, cancel this notice first" in announced
    assert 'value="begin"' not in html_of(page_sent)
    assert "Confirm transfer" not in announced
    begun = {"do": "begin", "gateway": ways[0]}  # by a page that was opened before
    assert "Cancel the notice" in toast_of(owner, owner.post(page, begun))
    with cast.scope():
        assert not Attempt.objects.filter(payment_id=made["_id"]).exists()
    assert owner.post(page, {"do": "other"}).status_code == 303
    assert 'value="begin"' in html_of(owner.get(page))
    assert owner.post(page, begun).status_code == 303
    with cast.scope():
        assert Attempt.objects.filter(payment_id=made["_id"]).count() == 1
    books_hold()


def test_cancelling_says_what_is_lost(paid: tuple[Cast, Client]) -> None:
    cast, owner = paid
    page, plan = page_of(cast, "cancel"), at(cast.owner, "settings/plan")
    shown = text_of(owner.get(page))
    assert re.search(r"You lose \d\d paid days, worth \$3[89]\.\d\d before tax", shown)
    unsure = owner.post(page, {"do": "save", "when": "now"})
    assert (unsure.status_code, "Tick the box to cancel now" in text_of(unsure)) == (422, True)
    assert owner.post(page, {"do": "save"}).status_code == 303
    assert subscription_of(cast).cancel_at_period_end
    assert "Ends on" in text_of(owner.get(plan))
    assert owner.post(plan, {"do": "go_on"}).status_code == 303
    assert not subscription_of(cast).cancel_at_period_end
    assert owner.post(page, {"do": "save", "when": "now", "sure": "on"}).status_code == 303
    assert subscription_of(cast).status == "cancelled"
    assert "No subscription to cancel" in text_of(owner.get(page))


def test_the_banner_has_the_one_deed_that_is_wanted(paid: tuple[Cast, Client]) -> None:
    cast, owner = paid
    company, home = cast.company.pk, at(cast.owner)
    cancel_subscription(company_id=company, at_period_end=True)
    assert 'name="do" value="go_on">Keep subscription' in html_of(owner.get(home))
    assert owner.post(at(cast.owner, "settings/plan"), {"do": "go_on"}).status_code == 303
    made = order(cast, subscription_of(cast).plan)["payment"]
    with unscoped(reason="test: past due"):
        end = timezone.now() + timedelta(days=5)
        Subscription.objects.filter(is_primary=True, company_id=company).update(status="past_due", ends_at=end)
    forget_words(company)
    shown = owner.get(home)
    assert f'href="/c/{company}/settings/plan/pay/{made["_id"]}">Pay<' in html_of(shown)
    assert "nothing new is sent or begun" in text_of(shown)
