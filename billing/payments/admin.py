"""Back office pages of orders, attempts to pay them, and what became of them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display
from unfold.widgets import (
    UnfoldAdminDateWidget,
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from billing.gateways.base import Misconfigured, Refused, Unsure
from billing.ledger.money import to_amount, to_minor
from billing.payments.machine import look
from billing.payments.models import Attempt, GatewayEvent, Payment, PaymentMethod, Refund, Transaction
from billing.payments.orders import approve_transfer, reject_transfer
from billing.payments.refunds import (
    approve_refund,
    credit_transfer,
    move_to_balance,
    refundable,
    reject_refund,
    retry_refund,
    start_refund,
)
from billing.subscriptions.admin import staff_of
from core.backoffice.admin import BY_COMPANY, BackOfficeAdmin, CompanyRecordAdmin
from core.backoffice.dialogs import asks
from core.errors import ApiError, ValidationFailed
from core.tenancy import company_scope

CHANGE = "billing.change_payment"
COLOURS = {"open": "info", "paid": "success", "cancelled": "warning"}
ATTEMPT_COLOURS = {"due": "info", "working": "info", "paid": "success", "wrong": "danger", "unknown": "danger"}


class ApproveForm(forms.Form):
    """What has come by bank."""

    amount = forms.DecimalField(
        min_value=0, help_text="What has come, to the last unit.", widget=UnfoldAdminDecimalFieldWidget()
    )
    received_on = forms.DateField(help_text="The day on the statement.", widget=UnfoldAdminDateWidget())


class RejectForm(forms.Form):
    """Why a transfer is rejected."""

    reason = forms.CharField(max_length=300, help_text="The company reads it.", widget=UnfoldAdminTextInputWidget())


class CreditForm(forms.Form):
    """What goes back to the balance, and why."""

    amount = forms.DecimalField(min_value=0, help_text="Tax included.", widget=UnfoldAdminDecimalFieldWidget())
    reason = forms.CharField(
        max_length=300, help_text="It stands on the credit note.", widget=UnfoldAdminTextInputWidget()
    )


class RefundForm(CreditForm):
    """What goes back, where to, and why."""

    to = forms.ChoiceField(choices=Refund.To, help_text="Where it goes.", widget=UnfoldAdminSelectWidget())


@admin.register(Payment)
class PaymentAdmin(CompanyRecordAdmin):
    """The companies' orders. Filter by the state "submitted" for bank transfers that wait for a decision."""

    icon = "shopping_cart"
    dialogs = ("approve", "reject", "credit")
    extra = ("shown_amount",)
    hides = ("basis",)
    list_display = ("number", "company", "shown_amount", "state", "bank_state", "plan", "created_at", "paid_at")
    list_filter = (("status", ChoicesDropdownFilter), ("bank_state", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company", "plan")
    search_fields = ("=id", "number", "reference", "company__name")

    @display(description="status", ordering="status", label=COLOURS)
    def state(self, row: Payment) -> tuple[str, str]:
        return row.status, row.get_status_display()

    @admin.display(description="amount")
    def shown_amount(self, row: Payment) -> str:
        return f"{to_amount(row.amount_minor, row.currency)} {row.currency}"

    @asks(ApproveForm, "Approve bank transfer", permission=CHANGE)
    def approve(self, request: HttpRequest, record: Payment, *, amount: Decimal, received_on: date) -> None:
        """Book the transfer, and let the order take effect."""
        minor = to_minor(amount, record.currency)
        if to_amount(minor, record.currency) != amount:
            raise ValidationFailed("more decimals than it has", f"amount: {record.currency} has no such fractions")
        approve_transfer(payment=record, amount_minor=minor, received_on=received_on, by=staff_of(request))
        self.log_change(request, record, f"Approved: {amount} {record.currency}.")

    @asks(RejectForm, "Reject bank transfer", permission=CHANGE)
    def reject(self, request: HttpRequest, record: Payment, *, reason: str) -> None:
        """Say that the transfer has not come."""
        reject_transfer(payment=record, reason=reason, by=staff_of(request))
        self.log_change(request, record, f"Rejected: {reason}")

    @asks(CreditForm, "Refund to the balance", permission="billing.add_refund")
    def credit(self, request: HttpRequest, record: Payment, *, amount: Decimal, reason: str) -> None:
        """Give what came by bank to the company's balance, with a credit note."""
        minor = to_minor(amount, record.currency)
        note = credit_transfer(payment=record, amount_minor=minor, reason=reason, by=staff_of(request))
        self.log_change(request, record, f"Refunded {amount} to the balance, {note.number}. {reason}")


@admin.register(Attempt)
class AttemptAdmin(CompanyRecordAdmin):
    """Attempts to pay at a gateway. Those that are wrong or unknown are parked: look at the gateway what came."""

    icon = "credit_card"
    dialogs = ("give_back",)
    commands = ("look_now",)
    list_display = ("id", "company", "letter", "adapter", "kind", "state", "reason", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), "letter", BY_COMPANY)
    search_fields = ("=id", "=gateway_id", "=payment_ref", "payment__number")

    @display(description="status", ordering="status", label=ATTEMPT_COLOURS)
    def state(self, row: Attempt) -> tuple[str, str]:
        return row.status, row.get_status_display()

    @admin.display(description="Look now")
    def look_now(self, request: HttpRequest, rows: QuerySet[Attempt]) -> None:
        def one(row: Attempt) -> None:
            try:
                look(row)
            except (Misconfigured, Unsure, Refused) as trouble:
                raise ApiError(f"the gateway says nothing: {trouble}") from trouble

        self.each(request, rows[:20], one, "looked at", atomic=False)

    @asks(RefundForm, "Refund", permission="billing.add_refund")
    def give_back(self, request: HttpRequest, record: Attempt, *, amount: Decimal, to: str, reason: str) -> Any:
        """Give a part or all of it back, with a credit note; above a limit once somebody else approves."""
        minor = to_minor(amount, record.payment.currency)
        made = start_refund(attempt=record, amount_minor=minor, reason=reason, by=staff_of(request), to=to)
        with company_scope(record.company_id):
            left = refundable(record)
        waits = "Asked to refund" if made.status == Refund.Status.ASKED else "Refunded"
        self.log_change(request, record, f"{waits} {amount}; {left} minor units are left. {reason}")


@admin.register(Refund)
class RefundAdmin(CompanyRecordAdmin):
    """Money that goes back. Filter by "asked" for refunds that wait for a second person, who presses *Approve*."""

    icon = "undo"
    commands = ("approve", "retry", "to_balance")
    dialogs = ("reject",)
    list_display = ("id", "company", "amount_minor", "currency", "to", "status", "by", "error", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company", "by")
    search_fields = ("=id", "=gateway_id")

    @admin.display(description="Approve")
    def approve(self, request: HttpRequest, rows: QuerySet[Refund]) -> None:
        self.each(request, rows[:20], lambda row: approve_refund(refund=row, by=staff_of(request)), "approved")

    @admin.display(description="Try again")
    def retry(self, request: HttpRequest, rows: QuerySet[Refund]) -> None:
        self.each(request, rows[:20], lambda row: retry_refund(refund=row), "to be tried again")

    @admin.display(description="Give to the balance")
    def to_balance(self, request: HttpRequest, rows: QuerySet[Refund]) -> None:
        self.each(request, rows[:20], lambda row: move_to_balance(refund=row), "given to the balance")

    @asks(RejectForm, "Reject", permission="billing.add_refund")
    def reject(self, request: HttpRequest, record: Refund, *, reason: str) -> None:
        """Reject a refund that was asked for."""
        reject_refund(refund=record, reason=reason, by=staff_of(request))
        self.log_change(request, record, f"Rejected: {reason}")


@admin.register(PaymentMethod)
class PaymentMethodAdmin(CompanyRecordAdmin):
    """Saved ways to pay."""

    icon = "wallet"
    hides = ("token_hash", "customer")
    list_display = ("label", "company", "letter", "is_default", "created_at")
    search_fields = ("=id", "label")


@admin.register(Transaction)
class TransactionAdmin(CompanyRecordAdmin):
    """Movements of the companies' money, as their people read them."""

    icon = "receipt"
    list_display = ("created_at", "company", "kind", "amount_minor", "currency", "by", "invoice")
    list_filter = (("kind", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company", "invoice")
    search_fields = ("=id", "invoice__number")


@admin.register(GatewayEvent)
class GatewayEventAdmin(BackOfficeAdmin):
    """Webhooks that were taken. They only made us look."""

    icon = "webhook"
    list_display = ("created_at", "account", "event_id", "found")
    list_select_related = ("account",)
    search_fields = ("=id", "=event_id")
