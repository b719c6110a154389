"""What the tests of buying have in common: a company whose trial has lapsed, and gateways that are the stand-in."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from billing.checkout.services import order_seats, subscribe
from billing.gateways.registry import ADAPTERS
from billing.ledger.services import BANK
from billing.models import (
    Attempt,
    GatewayAccount,
    Invoice,
    Payment,
    Plan,
    Posting,
    Seller,
    Subscription,
)
from billing.payments.orders import approve_transfer
from billing.payments.settlement import apply_received_money
from billing.subscriptions.changes import lock_primary
from config.local.gateway_standin.server import Server
from core.tenancy import unscoped
from tests.billing.subscriptions.helpers import plan_of
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import UserFactory
from tests.kit.gateways import SECRETS


def buyer(**plan: Any) -> tuple[Cast, Plan]:
    """A company whose subscription has expired, and a plan of 29 USD a month on offer."""
    cast = make_cast()
    with cast.scope():
        past = timezone.now() - timedelta(days=3)
        Subscription.objects.update(status="expired", ends_at=past, plan=None, interval="", seats=None)
    return cast, plan_of("Club", amount="29", **{"max_seats": 10, **plan})


def buyer_again() -> Cast:
    cast = make_cast()
    with cast.scope():
        Subscription.objects.update(
            status="expired", ends_at=timezone.now() - timedelta(days=1), plan=None, interval=""
        )
    return cast


def open_gateways(server: Server, settings: Any) -> dict[str, GatewayAccount]:
    """Put the stand-in behind gateway-a to gateway-e."""
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
    settings.PAYMENT_BACKOFF = 0.1
    made = {}
    for letter, name in zip("abcde", ADAPTERS, strict=True):
        key_id, secret, hook = SECRETS[name]
        values = {"adapter": name, "state": "on", "key_id": key_id, "secret_key": secret, "webhook_secret": hook}
        made[letter] = GatewayAccount.objects.create(letter=letter, base_url=server.base(name), **values)
    Seller.objects.create(name="Leadwright Ltd", address="1 Quay Street", country="IE", bank_instructions="IBAN X")
    return made


def subscription_of(cast: Cast) -> Subscription:
    with cast.scope():
        return Subscription.objects.select_related("plan").get(is_primary=True)


def order(cast: Cast, plan: Plan, **values: Any) -> Any:
    """Order the plan by the API, and return the answer's data."""
    answer = cast.session.post("/subscription", {"planID": plan.pk, **values})
    assert answer.status == (201 if answer.data["payment"] else 200), answer.body
    return answer.data


def begin(cast: Cast, letter: str, payment: Any, **values: Any) -> Any:
    body = {"manualPaymentID": payment["_id"], "subscriptionID": payment["subscriptionID"], "proof": "seen", **values}
    return cast.session.post(f"/gateway-{letter}", body)


def attempt_of(cast: Cast) -> Attempt:
    with cast.scope():
        return Attempt.objects.select_related("payment").order_by("-created_at", "-pk").first()


def pay(cast: Cast, id: str) -> None:
    cast.session.post("/manual-payment", {"paymentID": id, "reference": "x"})
    with cast.scope():
        payment = Payment.objects.get(pk=id)
    approve_transfer(
        payment=payment, amount_minor=payment.amount_minor, received_on=timezone.now().date(), by=UserFactory()
    )


def buy(cast: Cast, **values: Any) -> Payment | None:
    """Order and pay what POST /subscription takes, or else seats, without a session, which time travel would end."""
    with cast.scope(), lock_primary(cast.company.pk):
        make = (
            subscribe(values=values, member_id=None) if "plan_id" in values else order_seats(member_id=None, **values)
        )
        quote, payment = make
        if payment is None or quote is None:
            return None
        assert quote.total == payment.invoice.total_minor
        if payment.status == Payment.Status.OPEN:
            apply_received_money(payment, account=BANK, by="bank", tx=f"pay:{payment.pk}")
        return payment


def books_hold() -> None:
    """Hold the books of all companies against their invoices and orders."""
    with unscoped(reason="test: the books of all companies"):
        sums: dict[tuple[str, str], int] = {}
        for line in Posting.objects.all():
            sums[(line.tx, line.currency)] = sums.get((line.tx, line.currency), 0) + line.amount_minor
        assert set(sums.values()) <= {0}
        for invoice in Invoice.objects.filter(number__isnull=False):
            lines = list(invoice.lines.all())
            net = sum(line.amount_minor - line.discount_minor for line in lines)
            assert net + sum(line.tax_minor for line in lines) == invoice.total_minor
            booked = Posting.objects.filter(tx=f"inv:{invoice.pk}", account="receivable").first()
            assert (booked.amount_minor if booked else 0) == invoice.total_minor
        assert Payment.objects.filter(status="paid").count() == Invoice.objects.filter(status="paid").count()
