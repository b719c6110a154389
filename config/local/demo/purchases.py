"""The demo's payment gateways, which are the stand-in, and the purchases of the demo company."""

from __future__ import annotations

from decimal import Decimal

from django.utils import timezone

from accounts.models import Member, User
from billing.checkout.services import subscribe
from billing.gateways.models import LETTERS, GatewayAccount
from billing.gateways.registry import ADAPTERS
from billing.models import AddOn, AddOnPrice, Currency, Invoice, Payment, Plan, Seller
from billing.payments.orders import approve_transfer, pay_by_bank

KEYS = {"stripe": "sk_test_demo", "mollie": "test_demo12345", "paystack": "sk_test_demo"}
BANK = "Harbour Bank, IBAN GB33 BUKB 2020 1555 5555 55"


def open_gateways(port: int) -> None:
    """Connect gateway-a to gateway-e with the simulated gateways at this port, except those that an operator has set
    up."""
    for letter, name in zip(LETTERS, ADAPTERS, strict=True):
        row = GatewayAccount.objects.filter(letter=letter).first() or GatewayAccount(letter=letter, adapter=name)
        if not row._state.adding and not row.base_url.startswith("http://127.0.0.1:"):
            continue
        row.state = GatewayAccount.State.ON
        row.base_url = f"http://127.0.0.1:{port}/{row.adapter}"
        row.key_id = "demo"
        row.secret_key = KEYS.get(row.adapter, "demo")
        row.webhook_secret = "demo"  # noqa: S105
        row.save()
    Seller.objects.get_or_create(
        defaults={
            "name": "Leadwright Demo Ltd",
            "address": "1 Quay Street\nLondon",
            "country": "GB",
            "email": "billing@leadwright.example",
            "bank_instructions": BANK,
        }
    )


def create_purchase(member: Member, staff: User) -> None:
    """Create a subscription of the demo company for a year, paid by bank, so that it has an invoice."""
    plan = Plan.objects.filter(name="Scale").first()
    if plan is None or Invoice.objects.exists():
        return
    add_on = offer_add_ons()
    values = {"plan_id": plan.pk, "interval": "year", "add_ons": {add_on.pk: 2}}
    _, payment = subscribe(values=values, member_id=member.pk)
    if payment is None:
        return
    pay_by_bank(payment_id=payment.pk, values={"reference": f"Order {payment.number}"})
    payment = Payment.objects.get(pk=payment.pk)
    today = timezone.now().date()
    approve_transfer(payment=payment, amount_minor=payment.amount_minor, received_on=today, by=staff)


def offer_add_ons() -> AddOn:
    """Offer a few add-ons. Returns the first."""
    offers = (
        ("50,000 more messages a month", {"messages": 50_000}, {"USD": "30", "EUR": "28"}),
        ("10,000 more AI credits a month", {"ai_credits": 10_000}, {"USD": "45", "EUR": "42"}),
    )
    for order, (name, limits, prices) in enumerate(offers):
        row, is_new = AddOn.objects.get_or_create(name=name, defaults={"limits": limits, "order": order})
        if is_new:
            codes = {currency.code: currency for currency in Currency.objects.filter(code__in=prices)}
            AddOnPrice.objects.bulk_create(
                AddOnPrice(add_on=row, currency=codes[code], interval=interval, amount=Decimal(amount) * months)
                for code, amount in prices.items()
                for interval, months in (("month", 1), ("year", 10))
            )
    first: AddOn = AddOn.objects.order_by("order")[0]
    return first
