"""The report of a company's payments."""

from __future__ import annotations

from decimal import Decimal

from django.db.models import Case, DecimalField, F, Q, Sum, Value, When

from billing.payments.models import Transaction
from core.reports import Column, Grouping, Report, Source, count, filter_condition
from core.text.currencies import NO_DECIMALS, THREE_DECIMALS
from core.text.translation import gettext_lazy

Kind = Transaction.Kind
KIND_LABELS = {
    Kind.PAYMENT: gettext_lazy("Payments"),
    Kind.REFUND: gettext_lazy("Refunds"),
    Kind.CREDIT: gettext_lazy("Credited"),
}
UNITS = Case(
    When(currency__in=sorted(NO_DECIMALS), then=Value(Decimal(1))),
    When(currency__in=sorted(THREE_DECIMALS), then=Value(Decimal(1000))),
    default=Value(Decimal(100)),
    output_field=DecimalField(),
)
"""Minor units of one."""


def _sum(key: str, title: str, kind: str) -> Column:
    amount = Case(
        When(kind=kind, then=F("amount_minor") / UNITS), default=Value(Decimal(0)), output_field=DecimalField()
    )
    return Column(key, title, Sum(amount), type="number")


BILLING = Report(
    name="billing",
    title=gettext_lazy("Billing"),
    about=gettext_lazy("Payments and refunds, by currency."),
    modules=("plan",),
    place=95,
    sources=(
        Source(
            rows=lambda actor: Transaction.objects.all(),
            at="created_at",
            path="subscription/transactions",
            at_field="createdAt",
            by=(
                Grouping("way", gettext_lazy("Payment method"), "by", field="by"),
                Grouping("kind", gettext_lazy("Kind"), "kind", labels=KIND_LABELS, field="kind"),
            ),
            columns=(
                count(
                    "payments",
                    gettext_lazy("Payments"),
                    Q(kind=Kind.PAYMENT),
                    filter_condition("kind", "equals", "payment"),
                ),
                count(
                    "refunds",
                    gettext_lazy("Refunds"),
                    Q(kind=Kind.REFUND),
                    filter_condition("kind", "equals", "refund"),
                ),
                count(
                    "credits",
                    gettext_lazy("Credited"),
                    Q(kind=Kind.CREDIT),
                    filter_condition("kind", "equals", "credit"),
                ),
            ),
        ),
        Source(
            rows=lambda actor: Transaction.objects.all(),
            at="created_at",
            by_day=False,
            by=(Grouping("currency", gettext_lazy("Currency"), "currency"),),
            columns=(
                _sum("paid", gettext_lazy("Paid"), Kind.PAYMENT),
                _sum("returned", gettext_lazy("Refunded"), Kind.REFUND),
            ),
        ),
    ),
)
REPORTS = (BILLING,)
