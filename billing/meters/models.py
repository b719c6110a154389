from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from core.fields import CompanyForeignKey
from core.models import CompanyModel
from core.text.formats import day_text
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _


class MeterPeriod(CompanyModel):
    """A company's use of a meter in a month of its subscription, and the included quantity."""

    subscription = CompanyForeignKey("billing.Subscription", on_delete=models.CASCADE, related_name="meter_periods")
    meter = models.CharField(max_length=32)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    allowed = models.BigIntegerField(help_text="What the subscription includes for a whole month.")
    included = models.BigIntegerField(help_text="What is included in this one: its share, when that changed within it.")
    used = models.BigIntegerField(default=0)
    reserved = models.BigIntegerField(default=0, help_text="By what is under way.")
    billed = models.BigIntegerField(default=0, help_text="Units beyond those included that have been charged.")
    terms = models.CharField(max_length=64, help_text="Plan, version and currency that the price is of.")
    is_trial = models.BooleanField(default=False)
    unit_amount = models.DecimalField(
        max_digits=16, decimal_places=6, null=True, help_text="Price of a unit beyond those included; empty: none go."
    )
    currency = models.CharField(max_length=3, blank=True)

    class Meta(CompanyModel.Meta):
        verbose_name = _("monthly use")
        verbose_name_plural = _("monthly use")
        constraints = [
            models.UniqueConstraint(fields=("company", "meter", "starts_at"), name="meterperiod_once"),
            models.CheckConstraint(condition=Q(used__gte=0, reserved__gte=0), name="meterperiod_counts"),
        ]
        indexes = [
            models.Index(
                fields=("ends_at",),
                condition=Q(unit_amount__isnull=False, used__gt=F("included") + F("billed")),
                name="meterperiod_overage",
            ),
        ]

    @classmethod
    def overage(cls) -> Q:
        """Match the months that have used more than was included and charged."""
        return Q(unit_amount__isnull=False, used__gt=F("included") + F("billed"))

    def __str__(self) -> str:
        return f"{code_label(self.meter).capitalize()} from {day_text(self.starts_at)}"


class UsageEvent(CompanyModel):
    """One use of a meter, counted once for its source. Until its outcome is known it is a reservation that ends."""

    class Status(models.TextChoices):
        RESERVED = "reserved"
        SETTLED = "settled"

    period = CompanyForeignKey(MeterPeriod, on_delete=models.CASCADE, related_name="events", db_index=False)
    meter = models.CharField(max_length=32)
    source = models.CharField(max_length=64, help_text="The message, or the call of an AI model, by id.")
    quantity = models.PositiveIntegerField(default=1)
    status = models.CharField(max_length=8, choices=Status, default=Status.RESERVED)
    expires_at = models.DateTimeField(null=True, help_text="When the outcome of a reservation is looked up.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("usage record")
        constraints = [models.UniqueConstraint(fields=("company", "meter", "source"), name="usageevent_once")]
        indexes = [
            models.Index(fields=("expires_at",), condition=Q(status="reserved"), name="usageevent_expires"),
            models.Index(fields=("company", "created_at"), include=("meter", "quantity"), name="usageevent_days"),
            models.Index(fields=("period",), name="usageevent_period"),
        ]

    def __str__(self) -> str:
        return f"{code_label(self.meter).capitalize()} on {day_text(self.created_at)}"
