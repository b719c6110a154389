from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from billing.plans.models import Plan
from core.fields import CompanyForeignKey
from core.models import BaseModel, CompanyModel
from core.text.translation import gettext_lazy as _


class Coupon(BaseModel):
    """A code that takes something off one order of a company."""

    code = models.CharField(max_length=40, unique=True, help_text=_("Use capital letters."))
    name = models.CharField(max_length=100, blank=True, help_text=_("Name on invoices. Leave empty to show the code."))
    percent = models.DecimalField(max_digits=6, decimal_places=3, null=True, blank=True)
    amount = models.DecimalField(
        max_digits=14, decimal_places=4, null=True, blank=True, help_text=_("Enter an amount or a percentage.")
    )
    currency = models.CharField(max_length=3, blank=True, help_text=_("Limits the coupon to orders in this currency."))
    plans = models.ManyToManyField(Plan, blank=True, related_name="+", help_text="Only for these; none: for all.")
    offered_to = models.ForeignKey(
        "accounts.Company",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        help_text=_("Leave empty to offer the coupon to all companies."),
    )
    max_redemptions = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("For all companies together. Leave empty for no limit.")
    )
    used = models.PositiveIntegerField(default=0, editable=False)
    first_time_only = models.BooleanField(default=False, help_text=_("Only for companies without payments."))
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    is_active = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(percent__gt=0, percent__lte=100, amount__isnull=True)
                | Q(percent__isnull=True, amount__gt=0) & ~Q(currency=""),
                name="coupon_percent_or_amount",
            ),
            models.CheckConstraint(
                condition=Q(max_redemptions__isnull=True) | Q(used__lte=F("max_redemptions")), name="coupon_not_over"
            ),
        ]

    def __str__(self) -> str:
        return self.code


class Redemption(CompanyModel):
    """A coupon that a company uses: held for an order in its first minutes and while it is being paid, redeemed when
    that is paid, released otherwise."""

    class State(models.TextChoices):
        HELD = "held"
        REDEEMED = "redeemed"
        RELEASED = "released"

    coupon = models.ForeignKey(Coupon, on_delete=models.PROTECT, related_name="redemptions")
    payment = CompanyForeignKey("billing.Payment", on_delete=models.CASCADE, related_name="redemptions")
    state = models.CharField(max_length=8, choices=State, default=State.HELD)
    held_until = models.DateTimeField(null=True, help_text="The hold is over then; null: when the order is decided.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("coupon use")
        verbose_name_plural = _("coupon uses")
        constraints = [
            models.UniqueConstraint(
                fields=("company", "coupon"), condition=~Q(state="released"), name="redemption_once_a_company"
            )
        ]
        indexes = [
            models.Index(fields=("company", "payment"), name="redemption_payment"),
            models.Index(fields=("held_until", "id"), condition=Q(state="held"), name="redemption_lapsing"),
        ]
