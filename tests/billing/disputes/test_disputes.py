"""Disputes: a hook makes us look, the money is held, the subscription past due; won or lost closes it, once."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Mail, Referral, Reward
from billing.disputes.services import work
from billing.models import (
    Attempt,
    CreditNote,
    Dispute,
    DisputeWatch,
    GatewayAccount,
    Posting,
    Transaction,
)
from billing.payments.refunds import refundable, start_refund
from config.local.gateway_standin import stripe
from config.local.gateway_standin.server import Server, run_server
from core.errors import NamedError
from core.tenancy import unscoped
from tests.billing.checkout.helpers import attempt_of, begin, books_hold, buyer, open_gateways, order, subscription_of
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with run_server() as server:
        yield server


@pytest.fixture
def server(shared: Server, settings: Any) -> Server:
    shared.state.bad = ""
    open_gateways(shared, settings)
    return shared


def paid(server: Server, letter: str = "a") -> Cast:
    """A company that has paid 29 USD by a gateway, and whoever referred it."""
    cast, plan = buyer()
    Referral.objects.create(
        referrer=UserFactory(), referred_company=cast.company, program="refer", user=UserFactory(), code="x"
    )
    made = order(cast, plan)["payment"]
    begin(cast, letter, made)
    server.pay(attempt_of(cast).gateway_id)
    cast.session.post(f"/gateway-{letter}/capture", {"paymentID": made["_id"]})
    assert subscription_of(cast).status == "active"
    return cast


def accounts(cast: Cast) -> dict[str, int]:
    sums: dict[str, int] = {}
    with cast.scope():
        for line in Posting.objects.all():
            sums[line.account] = sums.get(line.account, 0) + line.amount_minor
    return {name: sum for name, sum in sums.items() if sum}


def look_again() -> None:
    with unscoped(reason="test: due"):
        DisputeWatch.objects.update(status="due", due_at=timezone.now())
    work(float("inf"))


@pytest.mark.parametrize("outcome", ["won", "lost"])
def test_a_dispute_holds_the_money_until_it_is_decided(outcome: str, server: Server, client: Client) -> None:
    staff = UserFactory(is_staff=True, is_superuser=True)
    cast = paid(server)
    before = subscription_of(cast)
    attempt = attempt_of(cast)
    row = server.state.set_dispute(attempt.payment_ref)
    headers, body = stripe.dispute_hook(row, "whsec_1")
    place = f"/api/public/webhooks/gateway-a/{GatewayAccount.objects.get(letter='a').pk}"
    for _ in range(2):
        assert client.post(place, body, content_type="application/json", headers=headers).status_code == 200
        work(float("inf"))
    look_again()

    with cast.scope():
        dispute = Dispute.objects.get()
        assert (dispute.status, dispute.amount_minor, dispute.reason) == ("open", 2900, "fraudulent")
        assert dispute.evidence_due_at is not None
        assert DisputeWatch.objects.get().status == "due"
    assert accounts(cast) == {"disputed": 2900, "revenue": -2900}
    found = subscription_of(cast)
    assert (found.status, found.ends_at < before.ends_at) == ("past_due", True)
    assert Reward.objects.get().state == "clawed_back"
    with unscoped(reason="test: mails of no company"):
        assert Mail.objects.filter(kind="staff_alert", to=staff.email).count() == 1
    with cast.scope():
        assert refundable(attempt_of(cast)) == 0
        with pytest.raises(NamedError):
            start_refund(attempt=attempt_of(cast), amount_minor=1, reason="x", by=staff)

    server.state.set_dispute(attempt.payment_ref, outcome)
    look_again()
    look_again()
    with cast.scope():
        assert Dispute.objects.get().status == outcome
        assert DisputeWatch.objects.get().status == "idle"
        kinds = list(Transaction.objects.order_by("created_at", "pk").values_list("kind", "amount_minor"))
    if outcome == "won":
        assert accounts(cast) == {"cash:a": 2900, "revenue": -2900}
        assert (subscription_of(cast).status, subscription_of(cast).ends_at) == ("active", before.ends_at)
        assert kinds == [("payment", 2900), ("chargeback", 2900), ("reversal", 2900)]
        assert sorted(Reward.objects.values_list("state", "amount")) == [
            ("clawed_back", Decimal("5.8")),
            ("pending", Decimal("5.8")),
        ]
    else:
        assert accounts(cast) == {}  # a credit note took it off the invoice, and the next order bills it
        with cast.scope():
            assert CreditNote.objects.get().amount_minor == 2900
        again = cast.session.post("/subscription/preview", {"planID": found.plan_id}).data
        assert again["total"]["amountMinor"] == 2 * 2900
        assert subscription_of(cast).status == "past_due"
        assert kinds == [("payment", 2900), ("chargeback", 2900)]
        assert Reward.objects.get().state == "clawed_back"
    listed = [one["kind"] for one in cast.session.get("/subscription/transactions").data]
    assert "chargeback" in listed
    books_hold()


@pytest.mark.parametrize("letter", "bd")
def test_others_say_it_in_their_way(letter: str, server: Server) -> None:
    cast = paid(server, letter)
    server.state.set_dispute(attempt_of(cast).payment_ref)
    with cast.scope():
        DisputeWatch.objects.create(attempt=Attempt.objects.get())
    work(float("inf"))
    with cast.scope():
        assert Dispute.objects.get().status == ("lost" if letter == "d" else "open")
    assert accounts(cast) == ({} if letter == "d" else {"disputed": 2900, "revenue": -2900})
    if letter == "d":  # the bank takes its chargeback back
        server.state.set_dispute(attempt_of(cast).payment_ref, "won")
        look_again()
        assert accounts(cast) == {"cash:d": 2900, "balance": -2900}  # by which the next order pays what it owes
        assert subscription_of(cast).status == "active"


def test_a_gateway_that_says_nothing_is_asked_again(server: Server) -> None:
    cast = paid(server)
    server.state.set_dispute(attempt_of(cast).payment_ref)
    with cast.scope():
        DisputeWatch.objects.create(attempt=Attempt.objects.get())
    server.state.bad = "500 html"
    work(float("inf"))
    with cast.scope():
        assert (DisputeWatch.objects.get().status, Dispute.objects.count()) == ("due", 0)
    server.state.bad = ""
    look_again()
    with cast.scope():
        assert Dispute.objects.count() == 1
    assert Reward.objects.get().amount == Decimal("5.8000")
