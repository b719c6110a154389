"""Bodies and answers of quotes, orders, invoices and gateways."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from accounts.models import Company
from billing.addons.serializers import AddOnsInput
from billing.checkout.quote import Quote
from billing.checkout.quotes import AUTO, WHEN
from billing.checkout.selectors import losses_of
from billing.entitlements.serializers import SubscriptionOut
from billing.invoices.models import Invoice
from billing.ledger.money import MoneyOut, money
from billing.plans.models import PlanPrice
from billing.subscriptions.offers import CHANGES
from core.api.input import BooleanInput, Input, IntegerInput, LineInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.tenancy import company_id
from core.text.timezones import zone_of
from core.types import JsonObject, Values

MONEY = frozenset({"amount", "amountMinor", "currency", "price", "total", "tax", "discount", "status", "company"})
"""Keys that nobody who pays may send where they name nothing that is chosen."""


# Bodies


class ProofInput(LineInput):
    """The token of the quote that was seen."""

    def __init__(self, **kwargs: Any) -> None:
        help_text = "the quote's proof: at another price than that one nothing is ordered"
        super().__init__(max_length=2048, required=False, help_text=help_text, **kwargs)


class OrderPreviewInput(Input):
    """A plan to buy a period of."""

    planID = ObjectIdInput(source="plan_id")
    interval = serializers.ChoiceField(choices=PlanPrice.Interval.choices, required=False)
    currency = LineInput(max_length=3, min_length=3, required=False, help_text="ISO 4217 code of one of its prices")
    seats = IntegerInput(min_value=1, max_value=1_000_000, required=False)
    couponCode = LineInput(max_length=40, required=False)
    when = serializers.ChoiceField(
        choices=WHEN, required=False, default=AUTO, help_text="auto: an upgrade now, a downgrade at the period's end"
    )
    addOns = AddOnsInput(source="add_ons")


class OrderInput(OrderPreviewInput):
    proof = ProofInput()


class SeatsPreviewInput(Input):
    seats = IntegerInput(min_value=1, max_value=1_000_000)


class SeatsInput(SeatsPreviewInput):
    proof = ProofInput()


class PastDayInput(serializers.DateField):
    """A day that is not to come, where the company is."""

    def to_internal_value(self, value: Any) -> date:
        day: date = super().to_internal_value(value)
        zone = zone_of(Company.objects.values_list("timezone", flat=True).get(pk=company_id()))
        if day > timezone.now().astimezone(zone).date():
            raise serializers.ValidationError("a day that is yet to come")
        return day


class TransferFields(Input):
    """Details of a bank transfer."""

    never = MONEY | {"state", "decision"}
    proof = LineInput(max_length=2048, required=False, help_text="A file's id, or what shows the transfer")
    reference = LineInput(max_length=200, required=False, allow_blank=True)
    paidAt = PastDayInput(required=False, allow_null=True, source="transferred_on")
    note = TextInput(max_length=1000, required=False, allow_blank=True)


class TransferInput(TransferFields):
    """An order to be paid by bank: an open one, or a plan to order at once."""

    paymentID = ObjectIdInput(required=False, source="payment_id")
    subscriptionID = ObjectIdInput(required=False, source="subscription_id")
    planID = ObjectIdInput(required=False, source="plan_id")
    interval = serializers.ChoiceField(choices=PlanPrice.Interval.choices, required=False)
    currency = LineInput(max_length=3, min_length=3, required=False)
    seats = IntegerInput(min_value=1, max_value=1_000_000, required=False)
    couponCode = LineInput(max_length=40, required=False)
    addOns = AddOnsInput(source="add_ons")


class CouponInput(Input):
    code = LineInput(max_length=40)
    planID = ObjectIdInput(required=False, source="plan_id")
    interval = serializers.ChoiceField(choices=PlanPrice.Interval.choices, required=False)
    seats = IntegerInput(min_value=1, max_value=1_000_000, required=False)
    currency = LineInput(max_length=3, min_length=3, required=False)
    apply = BooleanInput(required=False, default=True, help_text="Make the open order anew with it")


class GatewayInput(Input):
    """An order to be paid on a gateway's page."""

    manualPaymentID = ObjectIdInput(source="payment_id", help_text="The order")
    subscriptionID = ObjectIdInput(source="subscription_id")
    seatsPaymentHistoryID = ObjectIdInput(required=False, source="seats_payment_id", help_text="The order of seats")
    proof = LineInput(max_length=2048, required=False, help_text="A quote's token, a file's id, or a reference")
    saveMethod = BooleanInput(required=False, default=True, source="save_method")


class GatewayAInput(GatewayInput):
    proof = LineInput(max_length=2048, help_text="A quote's token, a file's id, or a reference")


class CaptureInput(Input):
    paymentID = ObjectIdInput(required=False, source="payment_id", help_text="The order")
    manualPaymentID = ObjectIdInput(required=False, source="manual_payment_id", help_text="The same")
    subscriptionID = ObjectIdInput(required=False, source="subscription_id")
    details = serializers.DictField(required=False, help_text="What the gateway's return address carried")


# Answers


class PlanName(Output):
    _id = IdField()
    name = serializers.CharField()


class LineOut(Output):
    """A line of a quote or an invoice."""

    text = serializers.CharField()
    quantity = serializers.IntegerField()
    unit = Computed(MoneyOut())
    amount = Computed(MoneyOut(help_text="before discount and tax"))
    discount = Computed(MoneyOut())
    taxPercent = serializers.FloatField()
    tax = Computed(MoneyOut())


class LimitLost(Output):
    """A limit below the present use. Nothing is deleted, and nothing can be added."""

    module = serializers.CharField()
    limit = serializers.IntegerField()
    used = serializers.IntegerField()


class LossesOut(Output):
    """Modules and limits that the company would lose."""

    modules = serializers.ListField(child=serializers.CharField(), help_text="permission modules that it has now")
    limits = Computed(LimitLost(many=True))


class QuoteOut(Output):
    """A quote: plan, lines and amounts."""

    plan = Computed(PlanName())
    interval = serializers.CharField()
    seats = serializers.IntegerField()
    lines = Computed(LineOut(many=True))
    subtotal = Computed(MoneyOut())
    discount = Computed(MoneyOut())
    tax = Computed(MoneyOut())
    total = Computed(MoneyOut())
    credit = Computed(MoneyOut(help_text="covered by the company's balance"))
    due = Computed(MoneyOut(help_text="to be paid now"))
    couponCode = serializers.CharField()
    change = serializers.ChoiceField(choices=CHANGES, help_text="of what the company pays for now")
    scheduled = serializers.BooleanField(help_text="it takes effect at periodStart; total is what is to be paid then")
    taxRule = serializers.CharField(help_text="domestic, reverse_charge, oss, home or abroad")
    taxNote = serializers.CharField(help_text="what the invoice has to say of the tax, or empty")
    loses = Computed(LossesOut())
    fromNow = serializers.BooleanField(help_text="the period begins when it is paid, else when the paid one ends")
    periodStart = serializers.DateTimeField()
    periodEnd = serializers.DateTimeField()
    proof = serializers.CharField(help_text="says to a gateway's order that this quote was seen; for a day")


def quote_data(quote: Quote) -> JsonObject:
    """Return a quote under its output names."""
    code = quote.currency
    lines = [
        {
            "text": line.text,
            "quantity": line.quantity,
            "unit": money(line.unit, code),
            "amount": money(line.amount, code),
            "discount": money(line.discount, code),
            "taxPercent": float(line.tax_percent),
            "tax": money(line.tax, code),
        }
        for line in quote.lines
    ]
    sums = {
        name: money(getattr(quote, name), code) for name in ("subtotal", "discount", "tax", "total", "credit", "due")
    }
    return {
        "plan": {"_id": quote.plan.pk, "name": quote.plan.name},
        "interval": quote.interval,
        "seats": quote.seats,
        "lines": lines,
        **sums,
        "couponCode": quote.coupon.code if quote.coupon else "",
        "change": quote.change,
        "scheduled": quote.scheduled,
        "taxRule": quote.tax_of.rule,
        "taxNote": quote.tax_of.note,
        "loses": losses_of(quote.plan, quote.seats),
        "fromNow": quote.from_now,
        "periodStart": quote.period[0],
        "periodEnd": quote.period[1],
        "proof": quote.proof,
    }


class CouponCheckOut(QuoteOut):
    """The quote of the order with a coupon."""

    applied = serializers.BooleanField(help_text="whether the open order was made anew with it")


class PaymentOut(Output):
    """An order. Its _id is the manualPaymentID of gateways."""

    reads = ("amount_minor", "credit_minor", "currency", "plan__name", "plan_id")
    _id = IdField()
    number = serializers.CharField(help_text="what a bank transfer says")
    status = serializers.ChoiceField(choices=["open", "paid", "cancelled"])
    kind = serializers.CharField(source="invoice.kind", help_text="cycle, seats or addons")
    amount = Computed(MoneyOut(help_text="to be paid"))
    credit = Computed(MoneyOut(help_text="covered by the company's balance"))
    plan = Computed(PlanName(allow_null=True))
    interval = serializers.CharField()
    seats = serializers.IntegerField(allow_null=True)
    subscriptionID = serializers.CharField(source="subscription_id")
    invoiceID = serializers.CharField(source="invoice_id")
    state = serializers.CharField(
        source="bank_state", help_text="of a bank transfer: awaiting, submitted, approved, rejected, expired; or empty"
    )
    proof = serializers.CharField()
    reference = serializers.CharField()
    note = serializers.CharField()
    decision = serializers.CharField(help_text="why a transfer was rejected")
    expiresAt = serializers.DateTimeField()
    paidAt = serializers.DateTimeField(allow_null=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        plan = {"_id": row["plan_id"], "name": row["plan__name"]} if row["plan_id"] else None
        amount, credit = (money(row[name], row["currency"]) for name in ("amount_minor", "credit_minor"))
        return {**data, "amount": amount, "credit": credit, "plan": plan}


class WayOut(Output):
    """A gateway that takes an order."""

    gateway = serializers.CharField(help_text="gateway-a to gateway-e")
    title = serializers.CharField()


class BankOut(Output):
    """Bank details and reference for a transfer."""

    instructions = serializers.CharField()
    reference = serializers.CharField(help_text="what the transfer must say")


class PaymentWays(PaymentOut):
    """An order, with the ways to pay it."""

    gateways = Computed(WayOut(many=True))
    bank = Computed(BankOut(allow_null=True, help_text="null: bank transfers are not on offer"))
    begun = serializers.CharField(allow_null=True, help_text="the gateway whose page was opened for it, or null")
    redirectUrl = serializers.CharField(allow_null=True, help_text="that page")
    problem = serializers.CharField(help_text="why the last attempt did not succeed, or what is being examined")


class OrderedOut(Output):
    """The result of a purchase: an order to pay, or a subscription that is already active."""

    subscription = Computed(SubscriptionOut())
    quote = Computed(QuoteOut(allow_null=True))
    payment = Computed(PaymentOut(allow_null=True, help_text="null: nothing is to be paid"))
    seatsPayment = Computed(PaymentOut(allow_null=True, help_text="the same, where it is for seats"))


class InvoiceOut(Output):
    """An invoice; without a number it is a draft."""

    reads = ("subtotal_minor", "discount_minor", "tax_minor", "total_minor", "currency")
    _id = IdField()
    number = serializers.CharField(allow_null=True)
    kind = serializers.CharField()
    status = serializers.ChoiceField(choices=Invoice.Status.values)
    subtotal = Computed(MoneyOut())
    discount = Computed(MoneyOut())
    tax = Computed(MoneyOut())
    total = Computed(MoneyOut())
    issuedAt = serializers.DateTimeField(allow_null=True)
    dueAt = serializers.DateTimeField(allow_null=True)
    paidAt = serializers.DateTimeField(allow_null=True)
    periodStart = serializers.DateTimeField(allow_null=True)
    periodEnd = serializers.DateTimeField(allow_null=True)
    createdAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        names = ("subtotal", "discount", "tax", "total")
        return {**data, **{name: money(row[f"{name}_minor"], row["currency"]) for name in names}}


class CreditNoteOut(Output):
    """A credit note: the amount of an invoice that was credited."""

    reads = ("amount_minor", "tax_minor", "currency")
    _id = IdField()
    number = serializers.CharField()
    invoiceID = serializers.CharField(source="invoice_id")
    invoiceNumber = serializers.CharField(source="invoice.number", allow_null=True)
    amount = Computed(MoneyOut(help_text="tax included"))
    tax = Computed(MoneyOut())
    reason = serializers.CharField()
    issuedOn = serializers.DateField(source="issued_on")
    createdAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        amount, tax = (money(row[f"{name}_minor"], row["currency"]) for name in ("amount", "tax"))
        return {**data, "amount": amount, "tax": tax}


class InvoiceFull(InvoiceOut):
    """An invoice with its lines."""

    taxRule = Computed(serializers.CharField(help_text="domestic, reverse_charge, oss, home, abroad, or empty"))
    taxNote = Computed(serializers.CharField(help_text="what it has to say of the tax, or empty"))

    buyer = serializers.DictField(child=serializers.CharField(allow_blank=True))
    seller = serializers.DictField(child=serializers.CharField(allow_blank=True))
    lines = Computed(LineOut(many=True))

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**super().finish(data, row), **{name: _party(data[name]) for name in ("buyer", "seller")}}


def _party(details: Mapping[str, str]) -> dict[str, str]:
    """Return a buyer or seller, which invoices keep by the names of columns, under their output names."""
    return {"vatId" if name == "vat_id" else name: value for name, value in details.items()}


class GatewayOut(Output):
    """A message, with the data for a gateway."""

    _id = IdField(help_text="of the message")
    name = serializers.CharField()
    status = serializers.IntegerField()
    message = serializers.CharField()
    payment = Computed(PaymentOut())
    paymentStatus = serializers.ChoiceField(choices=["pending", "paid", "failed"])
    reason = serializers.CharField(help_text="why it failed, or what is being examined")
    redirectUrl = serializers.CharField(allow_null=True, help_text="the gateway's page")
    clientData = serializers.DictField(allow_null=True)


class CaptureOut(GatewayOut):
    """A message, with the gateway's state of the order."""

    subscription = Computed(SubscriptionOut())
    invoice = Computed(InvoiceOut(allow_null=True))
