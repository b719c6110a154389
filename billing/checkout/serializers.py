"""Bodies and answers of subscriptions, billing details, transactions, coupons and saved methods."""

from __future__ import annotations

from rest_framework import serializers

from billing.checkout.order_serializers import MONEY, PaymentWays, PlanName
from billing.entitlements.serializers import SubscriptionOut
from billing.ledger.money import MoneyOut, money
from billing.payments.periods import running_period
from billing.subscriptions.selectors import primary_subscription
from core.api.input import BooleanInput, Input, IntegerInput, LineInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.types import JsonObject, Values

# Bodies


class DetailsInput(Input):
    """The recipient of invoices."""

    name = LineInput(max_length=200, required=False, allow_blank=True)
    address = TextInput(max_length=500, required=False, allow_blank=True)
    country = LineInput(max_length=60, required=False, allow_blank=True, help_text="ISO 3166 code or English name")
    vatId = LineInput(max_length=30, required=False, allow_blank=True)
    email = serializers.EmailField(max_length=254, required=False, allow_blank=True)


class PausedInput(Input):
    until = serializers.DateTimeField(help_text="when it goes on by itself")


class CapInput(Input):
    """The company's cap on a meter beyond the included quantity."""

    meter = LineInput(max_length=32)
    most = IntegerInput(min_value=0, max_value=2**53, allow_null=True, help_text="units a month; null: no cap")


class SubscriptionChangeInput(Input):
    """Changes of a subscription that buy nothing."""

    never = MONEY
    cancelAtPeriodEnd = BooleanInput(required=False)
    billingDetails = DetailsInput(required=False)
    paymentMethodID = ObjectIdInput(required=False, source="payment_method_id")
    overage = CapInput(many=True, required=False, help_text="caps of meters beyond what is included; others stay")
    paused = PausedInput(required=False, allow_null=True, help_text="null: resume it")


class CancelInput(Input):
    when = serializers.ChoiceField(choices=["periodEnd", "now"], required=False, default="periodEnd")
    forfeit = BooleanInput(required=False, default=False, help_text="with now: give up what is unused of what is paid")


# Answers


class TransactionOut(Output):
    """A movement of the company's money."""

    reads = ("amount_minor", "currency", "invoice__number")
    _id = IdField()
    kind = serializers.ChoiceField(choices=["payment", "refund", "credit", "chargeback", "reversal"])
    amount = Computed(MoneyOut())
    by = serializers.CharField(help_text="gateway-a to gateway-e, bank, or balance")
    paymentID = serializers.CharField(source="payment_id")
    invoiceID = serializers.CharField(source="invoice_id")
    invoiceNumber = serializers.CharField(source="invoice.number", allow_null=True)
    createdAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "amount": money(row["amount_minor"], row["currency"])}


class MethodOut(Output):
    """A saved way to pay."""

    _id = IdField()
    label = serializers.CharField()  # type: ignore[assignment]
    gateway = Computed(serializers.CharField())
    isDefault = serializers.BooleanField()
    brand = serializers.CharField(help_text="of a card, as far as the gateway tells")
    last4 = serializers.CharField()
    expiresOn = serializers.DateField(allow_null=True, help_text="the last day on which the card is good")
    createdAt = serializers.DateTimeField()
    reads = ("letter",)

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "gateway": f"gateway-{row['letter']}"}


class CouponOut(Output):
    """A coupon that the company has, had, or is offered."""

    reads = ("amount", "currency", "percent")
    _id = IdField()
    code = serializers.CharField()
    name = serializers.CharField()
    percentOff = Computed(serializers.FloatField(allow_null=True))
    amountOff = Computed(serializers.FloatField(allow_null=True))
    currency = serializers.CharField()
    startsAt = serializers.DateTimeField(allow_null=True)
    endsAt = serializers.DateTimeField(allow_null=True)
    state = serializers.CharField(help_text="offered, held or redeemed")

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {
            **data,
            "percentOff": None if row["percent"] is None else float(row["percent"]),
            "amountOff": None if row["amount"] is None else float(row["amount"]),
        }


class SubscriptionRow(Output):
    """A subscription of the company."""

    reads = ("plan_id", "plan__name", "period_start")
    _id = IdField()
    status = serializers.CharField()
    isPrimary = serializers.BooleanField()
    plan = Computed(PlanName(allow_null=True, help_text="null: everything"))
    interval = serializers.CharField()
    currency = serializers.CharField()
    seats = serializers.IntegerField(allow_null=True, help_text="null: as the plan says")
    periodStart = Computed(serializers.DateTimeField(allow_null=True, help_text="of the period that runs"))
    periodEnd = serializers.DateTimeField(allow_null=True, help_text="until when it is paid")
    endsAt = serializers.DateTimeField(allow_null=True)
    cancelAtPeriodEnd = serializers.BooleanField()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        plan = {"_id": row["plan_id"], "name": row["plan__name"]} if row["plan_id"] else None
        return {**data, "plan": plan, "periodStart": row["period_start"]}

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        if any(row["isPrimary"] for row in rows):  # the others have ended
            subscription = primary_subscription()
            for row in rows:
                if subscription is not None and row["_id"] == subscription.pk:
                    row["periodStart"] = running_period(subscription)[0]
        return rows


class DetailsOut(Output):
    """The recipient of invoices."""

    name = serializers.CharField()
    address = serializers.CharField()
    country = serializers.CharField()
    vatId = serializers.CharField()
    email = serializers.CharField()
    updatedAt = serializers.DateTimeField(allow_null=True, help_text="null: never changed")


class CapOut(Output):
    """The company's cap on a meter beyond the included quantity."""

    meter = serializers.CharField()
    most = serializers.IntegerField(help_text="units a month")


class SubscriptionFull(SubscriptionOut):
    """The company's subscription, with its coming changes and its payment."""

    moving = frozenset({"balance", "limits", "order", "unused"})
    order = Computed(PaymentWays(allow_null=True, help_text="the order that is to be paid"))
    paymentMethod = Computed(MethodOut(allow_null=True))
    overage = Computed(CapOut(many=True, help_text="caps of meters; the others have none"))
    unused = Computed(
        MoneyOut(allow_null=True, help_text="what is unused of what is paid, before tax: cancelling now gives it up")
    )
    balance = Computed(MoneyOut(many=True, help_text="what the company has to its credit, by currency"))
    billingDetails = Computed(DetailsOut())
