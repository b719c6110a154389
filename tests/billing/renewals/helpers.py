"""What the tests of renewals have in common: a gateway without network, and companies that it charges."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from accounts.models import Company
from billing.gateways.base import Order, PaymentState, PaymentUpdate
from billing.models import Dunning, GatewayAccount, Invoice, Payment, PaymentMethod
from core.tenancy import company_scope
from tests.billing.subscriptions.helpers import subscribed


class FakeGateway:
    """A gateway that pays what it is asked for, or raises or says what `answers` has for the next charge."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.paid: dict[str, Order] = {}

    def __call__(self, account: GatewayAccount) -> FakeGateway:
        return self

    def open(self, order: Order) -> str:
        return f"pi_{order.reference}"

    def move(self, order: Order) -> PaymentUpdate:
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        if answer is not None:
            return PaymentUpdate(state=answer, reference=order.reference)
        self.paid[order.reference] = order
        return self.find(order)

    def find(self, order: Order) -> PaymentUpdate:
        if order.reference not in self.paid:
            return PaymentUpdate(state=PaymentState.OPEN, reference=order.reference)
        return PaymentUpdate(
            state=PaymentState.PAID,
            amount=order.amount,
            currency=order.currency,
            reference=order.reference,
            payment_ref=f"ch_{order.reference}",
        )


def charged(**values: Any) -> Company:
    """A company that has subscribed at NOON, the 31st of March, with a saved card."""
    company = subscribed(**values)
    save_card(company)
    return company


def save_card(company: Company, label: str = "Visa 4242") -> PaymentMethod:
    """Save a card that is charged from now on."""
    GatewayAccount.objects.get_or_create(letter="a", defaults={"adapter": "stripe", "state": "on", "secret_key": "x"})
    with company_scope(company.pk):
        PaymentMethod.objects.update(is_default=False)
        made: PaymentMethod = PaymentMethod.objects.create(
            letter="a",
            adapter="stripe",
            token="pm_1",
            token_hash=label,
            label=label,
            is_default=True,  # noqa: S106
        )
    return made


def invoices(company: Company) -> list[Invoice]:
    with company_scope(company.pk):
        return list(Invoice.objects.filter(number__isnull=False).order_by("period_start", "number"))


def renewal(company: Company) -> Payment:
    """The company's last renewal."""
    with company_scope(company.pk):
        return Payment.objects.select_related("invoice").filter(renews__isnull=False).latest("created_at", "pk")


def dunning(company: Company) -> Dunning:
    with company_scope(company.pk):
        return Dunning.objects.latest("created_at", "pk")


def periods(company: Company) -> list[tuple[datetime | None, datetime | None, str]]:
    return [(one.period_start, one.period_end, one.status) for one in invoices(company)]
