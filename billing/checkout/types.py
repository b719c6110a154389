"""Types of the API's answers about orders, as pages read them."""

from __future__ import annotations

from typing import TypedDict

from billing.entitlements.types import SubscriptionData
from core.types import Values


class LimitLostData(TypedDict):
    """A limit below the present use. Nothing is deleted, and nothing can be added."""

    module: str
    limit: int
    used: int


class LossesData(TypedDict):
    """Modules and limits that the company would lose."""

    modules: list[str]
    limits: list[LimitLostData]


class LineData(TypedDict):
    """A line of a quote or an invoice."""

    text: str
    quantity: int
    unit: Values | None
    amount: Values | None
    discount: Values | None
    taxPercent: float
    tax: Values | None


class QuoteData(TypedDict):
    """A quote: plan, lines and amounts."""

    plan: Values | None
    interval: str
    seats: int
    lines: list[LineData]
    subtotal: Values | None
    discount: Values | None
    tax: Values | None
    total: Values | None
    credit: Values | None
    due: Values | None
    couponCode: str
    change: str
    scheduled: bool
    taxRule: str
    taxNote: str
    loses: LossesData
    fromNow: bool
    periodStart: str
    periodEnd: str
    proof: str


class PaymentData(TypedDict):
    """An order. Its _id is the manualPaymentID of gateways."""

    _id: str
    number: str
    status: str
    kind: str
    amount: Values | None
    credit: Values | None
    plan: Values | None
    interval: str
    seats: int | None
    subscriptionID: str
    invoiceID: str
    state: str
    proof: str
    reference: str
    note: str
    decision: str
    expiresAt: str
    paidAt: str | None
    createdAt: str
    updatedAt: str


class OrderedData(TypedDict):
    """The result of a purchase: an order to pay, or a subscription that is already active."""

    subscription: SubscriptionData | None
    quote: QuoteData | None
    payment: PaymentData | None
    seatsPayment: PaymentData | None
