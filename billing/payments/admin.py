"""Back office pages of orders, payment attempts, and their results."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.widgets import (
    UnfoldAdminDateWidget,
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from billing.gateways.base import AmbiguousOutcome, GatewayRefused, Misconfigured
from billing.gateways.registry import title_of
from billing.invoices.services import get_seller
from billing.ledger.columns import money_column
from billing.ledger.money import MAX_AMOUNT, sum_text, to_amount, to_minor
from billing.payments.models import Attempt, GatewayEvent, Payment, PaymentMethod, Refund, Transaction
from billing.payments.orders import approve_transfer, reject_transfer, takes_approval, takes_rejection
from billing.payments.panels import proof_of
from billing.payments.processor import refresh_attempt
from billing.payments.refunds import (
    approve_refund,
    credit_order,
    move_to_balance,
    refundable,
    reject_refund,
    retry_refund,
    start_refund,
    takes_credit,
)
from billing.subscriptions.admin import staff_of
from core.backoffice.admin import BY_COMPANY, BackOfficeAdmin, CompanyRecordAdmin, command
from core.backoffice.columns import Tones, badge
from core.backoffice.dialogs import dialog_action
from core.errors import ApiError, ValidationFailed
from core.tenancy import company_scope
from core.text.timezones import zone_of
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

CHANGE = "billing.change_payment"
COLOURS = Tones({"open": "info", "paid": "success", "cancelled": "warning"})
ATTEMPT_COLOURS = Tones({"due": "info", "working": "info", "paid": "success", "wrong": "danger", "unknown": "danger"})


ADMITTED = {"approve": ("asked",), "reject": ("asked",), "retry": ("failed", "unknown"), "to_balance": ("failed",)}
"""Command on a refund -> the states that admit it."""


def exact_minor(amount: Decimal, currency: str) -> int:
    """Convert a staff member's amount to minor units. Raises ValidationFailed for parts of one and too many."""
    if amount > MAX_AMOUNT:
        raise ValidationFailed("the amount is too large", gettext("Enter a smaller amount."))
    minor = to_minor(amount, currency)
    if to_amount(minor, currency) != amount:
        text = gettext("Enter fewer decimals. %(currency)s has no such fractions.")
        raise ValidationFailed("more decimals than it has", text % {"currency": currency})
    return minor


class ApproveForm(forms.Form):
    """The amount and date of a bank transfer that was received."""

    amount = forms.DecimalField(
        min_value=0, help_text=_("Amount on the bank statement."), widget=UnfoldAdminDecimalFieldWidget()
    )
    received_on = forms.DateField(help_text=_("Date on the bank statement."), widget=UnfoldAdminDateWidget())


class DifferentAmountForm(forms.Form):
    """The amount that was received in place of the expected one."""

    amount = forms.DecimalField(
        min_value=0,
        help_text=_("The company sees this amount. The order stays open."),
        widget=UnfoldAdminDecimalFieldWidget(),
    )


class RejectForm(forms.Form):
    """The reason of a rejected transfer."""

    reason = forms.CharField(
        max_length=300, help_text=_("The company sees this reason."), widget=UnfoldAdminTextInputWidget()
    )


class CreditForm(forms.Form):
    """The amount credited to the balance, with its reason."""

    amount = forms.DecimalField(min_value=0, help_text=_("Tax included."), widget=UnfoldAdminDecimalFieldWidget())
    reason = forms.CharField(
        max_length=300, help_text=_("The credit note shows this reason."), widget=UnfoldAdminTextInputWidget()
    )


class RefundForm(CreditForm):
    """The amount refunded, with its destination and reason."""

    to = forms.ChoiceField(
        choices=Refund.To, help_text=_("Payment method or balance of the company."), widget=UnfoldAdminSelectWidget()
    )


@admin.register(Payment)
class PaymentAdmin(CompanyRecordAdmin):
    """The companies' orders. Filter by the state "submitted" for bank transfers that wait for a decision."""

    icon = "shopping_cart"
    finds = True
    dialogs = ("approve", "different_amount", "reject", "credit")
    extra = ("shown_amount", "from_balance")
    hides = ("basis", "amount_minor", "credit_minor", "currency")
    list_display = ("number", "company", "shown_amount", "state", "bank_state", "plan", "created_at", "paid_at")
    list_filter = (("status", ChoicesDropdownFilter), ("bank_state", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "number", "reference", "company__name")

    state = badge("status", COLOURS)

    shown_amount = money_column("amount_minor", _("amount"))

    from_balance = money_column("credit_minor", _("Paid from the balance"))

    def admits(self, record: Payment, name: str) -> bool:
        if name == "credit":
            return takes_credit(record)
        return takes_approval(record) if name == "approve" else takes_rejection(record)

    def dialog_title(self, record: Payment, name: str) -> str:
        if name != "approve":
            return super().dialog_title(record, name)
        amount = sum_text(record.amount_minor, record.currency)
        return gettext("Approve %(amount)s from %(company)s") % {"amount": amount, "company": record.company}

    def dialog_initial(self, record: Payment, name: str) -> JsonObject:
        if name != "approve":
            return {}
        today = timezone.now().astimezone(zone_of(get_seller().timezone)).date()
        received_on = min(record.transferred_on or today, today)
        return {"amount": to_amount(record.amount_minor, record.currency), "received_on": received_on}

    def dialog_facts(self, record: Payment, name: str) -> Iterable[tuple[str, Any]]:
        yield _("Expected amount"), sum_text(record.amount_minor, record.currency)
        yield _("Order"), record.number
        yield _("Reference"), record.reference or "–"
        yield _("Receipt"), proof_of(record)

    @dialog_action(ApproveForm, _("Approve bank transfer"), permission=CHANGE)
    def approve(self, request: HttpRequest, record: Payment, *, amount: Decimal, received_on: date) -> None:
        """Record the bank transfer, and apply the order."""
        minor = exact_minor(amount, record.currency)
        approve_transfer(payment=record, amount_minor=minor, received_on=received_on, by=staff_of(request))
        self.log_change(request, record, _("Approved: %(amount)s.") % {"amount": sum_text(minor, record.currency)})

    @dialog_action(DifferentAmountForm, _("Different amount received"), permission=CHANGE)
    def different_amount(self, request: HttpRequest, record: Payment, *, amount: Decimal) -> None:
        """Reject the transfer, and name both amounts to the company. Part of a price pays for no period."""
        minor = exact_minor(amount, record.currency)
        if minor == record.amount_minor:
            raise ValidationFailed("the expected amount", gettext("This is the expected amount. Approve the transfer."))
        amounts = {
            "received": sum_text(minor, record.currency),
            "expected": sum_text(record.amount_minor, record.currency),
        }
        reason = gettext("We received %(received)s, but the order is %(expected)s.") % amounts
        reject_transfer(payment=record, reason=reason, by=staff_of(request))
        self.log_change(request, record, _("Rejected: %(reason)s") % {"reason": reason})

    @dialog_action(RejectForm, _("Reject bank transfer"), permission=CHANGE)
    def reject(self, request: HttpRequest, record: Payment, *, reason: str) -> None:
        """Reject a bank transfer that was not received."""
        reject_transfer(payment=record, reason=reason, by=staff_of(request))
        self.log_change(request, record, _("Rejected: %(reason)s") % {"reason": reason})

    @dialog_action(CreditForm, _("Refund to the balance"), permission="billing.add_refund")
    def credit(self, request: HttpRequest, record: Payment, *, amount: Decimal, reason: str) -> None:
        """Refund a payment by bank or from the balance to the company's balance, with a credit note."""
        minor = exact_minor(amount, record.currency)
        note = credit_order(payment=record, amount_minor=minor, reason=reason, by=staff_of(request))
        self.log_change(
            request,
            record,
            _("Refunded %(amount)s to the balance, %(number)s. %(reason)s")
            % {"amount": amount, "number": note.number, "reason": reason},
        )


@admin.register(Attempt)
class AttemptAdmin(CompanyRecordAdmin):
    """Attempts to pay at a gateway. Those that are wrong or unknown are parked: check the payment at the gateway."""

    icon = "credit_card"
    dialogs = ("refund",)
    commands = ("look_now",)
    extra = ("order", "shown_amount", "gateway", "gateway_state", "disputed")
    hides = ("letter", "adapter", "seen", "disputed_minor", "looks", "url")
    labels: ClassVar[Any] = {"gateway_id": _("Id at the gateway"), "payment_ref": _("Payment id at the gateway")}
    list_display = ("order", "company", "shown_amount", "gateway", "kind", "state", "reason", "created_at")
    list_select_related = ("company", "payment")
    list_filter = (("status", ChoicesDropdownFilter), "letter", BY_COMPANY)
    search_fields = ("=id", "=gateway_id", "=payment_ref", "payment__number")

    state = badge("status", ATTEMPT_COLOURS)

    @admin.display(description=_("order"), ordering="payment__number")
    def order(self, row: Attempt) -> str:
        return str(row.payment.number)

    @admin.display(description=_("amount"))
    def shown_amount(self, row: Attempt) -> str:
        return sum_text(row.payment.amount_minor, row.payment.currency)

    @admin.display(description=_("gateway"), ordering="adapter")
    def gateway(self, row: Attempt) -> str:
        return title_of(row.adapter)

    @admin.display(description=_("Last answer of the gateway"))
    def gateway_state(self, row: Attempt) -> str:
        said, amount, currency = (row.seen.get(name) for name in ("said", "amount", "currency"))
        return f"{said}, {sum_text(amount, currency)}" if amount and currency else str(said or _("None yet"))

    disputed = money_column("disputed_minor", _("disputed"), currency="payment.currency")

    @admin.display(description=_("Check now"))
    def look_now(self, request: HttpRequest, rows: QuerySet[Attempt]) -> None:
        def refresh_row(row: Attempt) -> None:
            try:
                refresh_attempt(row)
            except (Misconfigured, AmbiguousOutcome, GatewayRefused) as error:
                raise ApiError(_("The gateway gave no answer: %(error)s") % {"error": error}) from error

        self.each(request, rows[:20], refresh_row, _("Checked"), atomic=False)

    @dialog_action(RefundForm, _("Refund"), permission="billing.add_refund")
    def refund(self, request: HttpRequest, record: Attempt, *, amount: Decimal, to: str, reason: str) -> Any:
        """Refund a part or all, with a credit note; above a limit another person approves."""
        minor = exact_minor(amount, record.payment.currency)
        new_refund = start_refund(attempt=record, amount_minor=minor, reason=reason, by=staff_of(request), to=to)
        with company_scope(record.company_id):
            remaining = refundable(record)
        text = _("Refunded %(amount)s. Left: %(left)s. %(reason)s")
        if new_refund.status == Refund.Status.ASKED:
            text = _("Refund of %(amount)s requested. Left: %(left)s. %(reason)s")
        currency = record.payment.currency
        amounts = {"amount": sum_text(minor, currency), "left": sum_text(remaining, currency), "reason": reason}
        self.log_change(request, record, text % amounts)


@admin.register(Refund)
class RefundAdmin(CompanyRecordAdmin):
    """Money that goes back. Filter by "asked" for refunds that wait for a second person, who presses *Approve*."""

    icon = "undo"
    commands = ("approve", "retry", "to_balance")
    dialogs = ("reject",)
    extra = ("order", "shown_amount")
    hides = ("amount_minor", "currency")
    list_display = ("order", "company", "shown_amount", "to", "status", "by", "error", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company", "by", "attempt__payment")
    search_fields = ("=id", "=gateway_id", "attempt__payment__number")

    @admin.display(description=_("order"), ordering="attempt__payment__number")
    def order(self, row: Refund) -> str:
        return str(row.attempt.payment.number)

    shown_amount = money_column("amount_minor", _("amount"), sorts=True)

    def admits(self, record: Refund, name: str) -> bool:
        return record.status in ADMITTED[name]

    @admin.display(description=_("Approve"))
    def approve(self, request: HttpRequest, rows: QuerySet[Refund]) -> None:
        self.each(request, rows[:20], lambda row: approve_refund(refund=row, by=staff_of(request)), _("Approved"))

    retry = command(_("Try again"), lambda row: retry_refund(refund=row), _("Queued to try again"), limit=20)

    to_balance = command(
        _("Refund to the balance"), lambda row: move_to_balance(refund=row), _("Refunded to the balance"), limit=20
    )

    @dialog_action(RejectForm, _("Reject"), permission="billing.add_refund")
    def reject(self, request: HttpRequest, record: Refund, *, reason: str) -> None:
        """Reject a refund that was asked for."""
        reject_refund(refund=record, reason=reason, by=staff_of(request))
        self.log_change(request, record, _("Rejected: %(reason)s") % {"reason": reason})


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
    extra = ("shown_amount",)
    hides = ("amount_minor", "currency")
    list_display = ("__str__", "created_at", "company", "kind", "shown_amount", "by", "invoice")
    list_filter = (("kind", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "invoice__number")

    shown_amount = money_column("amount_minor", _("amount"), sorts=True)


@admin.register(GatewayEvent)
class GatewayEventAdmin(BackOfficeAdmin):
    """Webhooks that were taken. They only made us look."""

    icon = "webhook"
    operators_only = True
    hides = ("hints",)
    extra = ("names",)
    list_display = ("__str__", "created_at", "account", "event_id", "found")
    search_fields = ("=id", "=event_id")

    @admin.display(description=_("Named payments"))
    def names(self, row: GatewayEvent) -> str:
        return ", ".join(map(str, row.hints)) or "–"
