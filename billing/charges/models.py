from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey
from core.models import CompanyModel


class Charge(CompanyModel):
    """An amount that a company owes and has not been billed yet. The next invoice of its subscription includes it."""

    class Kind(models.TextChoices):
        CYCLE = "cycle", "a period"
        PRORATION = "proration", "a part of a period"
        SEATS = "seats"
        METERED = "metered", "use beyond what is included"
        MANUAL = "manual", "by staff"

    subscription = CompanyForeignKey(
        "billing.Subscription", on_delete=models.PROTECT, related_name="charges", db_index=False
    )
    kind = models.CharField(max_length=9, choices=Kind)
    starts_at = models.DateTimeField(null=True)
    ends_at = models.DateTimeField(null=True)
    description = models.CharField(max_length=300)
    quantity = models.PositiveBigIntegerField(default=1)
    amount_minor = models.BigIntegerField(help_text="Before tax.")
    currency = models.CharField(max_length=3)
    source = models.CharField(max_length=100, help_text="What it is for, once.")
    invoice = CompanyForeignKey(
        "billing.Invoice",
        on_delete=models.PROTECT,
        null=True,
        related_name="charges",
        db_index=False,
        help_text="Empty until it is billed.",
    )
    given_up_at = models.DateTimeField(
        null=True, editable=False, help_text="When it was given up: its subscription had ended for long."
    )

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("company", "source"), name="charge_source_once")]
        indexes = [
            models.Index(
                fields=("subscription",),
                condition=Q(invoice__isnull=True, given_up_at__isnull=True),
                name="charge_pending",
            ),
            models.Index(fields=("invoice",), condition=Q(invoice__isnull=False), name="charge_invoice"),
            models.Index(fields=("company", "-created_at", "-id"), name="charge_newest"),
        ]

    def __str__(self) -> str:
        return self.description
