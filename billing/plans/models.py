from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import JSONField
from core.models import BaseModel
from core.text.formats import day_text, money_text
from core.text.translation import gettext_lazy as _


class Currency(BaseModel):
    """A currency of ISO 4217. The active ones are on offer."""

    code = models.CharField(max_length=3, unique=True)
    name = models.CharField(max_length=100)
    symbol = models.CharField(max_length=10)
    decimals = models.PositiveSmallIntegerField(default=2)
    is_active = models.BooleanField(default=True)

    class Meta:
        verbose_name_plural = _("currencies")

    def __str__(self) -> str:
        return self.code


class Plan(BaseModel):
    """A plan that companies subscribe to."""

    name = models.CharField(max_length=100, unique=True)
    description = models.TextField(blank=True)
    modules = JSONField(null=True, blank=True, help_text=_("Included modules. Leave empty to include all."))
    limits = JSONField(default=dict, blank=True, help_text=_("Records allowed in each module. Empty means unlimited."))
    min_seats = models.PositiveIntegerField(default=1)
    max_seats = models.PositiveIntegerField(null=True, blank=True, help_text=_("Leave empty for no limit."))
    is_trial = models.BooleanField(default=False, help_text=_("New companies start with this plan."))
    trial_days = models.PositiveSmallIntegerField(default=14)
    is_public = models.BooleanField(default=True, help_text=_("Companies can buy it."))
    pause_months = models.PositiveSmallIntegerField(
        default=0, help_text="For how many months a subscription may be paused; 0: it may not be."
    )
    order = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("is_trial",), condition=Q(is_trial=True), name="plan_one_trial"),
            models.CheckConstraint(
                condition=Q(max_seats__isnull=True) | Q(max_seats__gte=models.F("min_seats")),
                name="plan_seats_in_order",
            ),
        ]


class PlanPrice(BaseModel):
    """The price of a plan for an interval in a currency."""

    class Interval(models.TextChoices):
        MONTH = "month"
        YEAR = "year"

    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="prices")
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")
    interval = models.CharField(max_length=5, choices=Interval)
    amount = models.DecimalField(
        max_digits=14, decimal_places=4, help_text="For the interval, with the plan's least number of seats."
    )
    seat_amount = models.DecimalField(max_digits=14, decimal_places=4, default=0, help_text="For each further seat.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("plan", "currency", "interval"), name="planprice_once"),
            models.CheckConstraint(
                condition=Q(amount__gte=0) & Q(seat_amount__gte=0), name="planprice_is_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.plan} {money_text(self.amount, self.currency_id)} a {self.interval}"


class MeterPrice(BaseModel):
    """The price of each unit of a meter beyond a plan's included quantity. Without one no more can be used."""

    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="meter_prices")
    meter = models.CharField(max_length=32, help_text="Name of the meter, such as messages.")
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")
    amount = models.DecimalField(max_digits=16, decimal_places=6, help_text="For one unit.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("plan", "meter", "currency"), name="meterprice_once"),
            models.CheckConstraint(condition=Q(amount__gte=0), name="meterprice_is_not_negative"),
        ]


class PlanVersion(BaseModel):
    """The terms of a plan as they were, for those who pay for them (billing.plans.versions). It is never edited."""

    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="versions")
    modules = JSONField(null=True)
    limits = JSONField(default=dict)
    min_seats = models.PositiveIntegerField()
    max_seats = models.PositiveIntegerField(null=True)
    prices = JSONField(default=dict, help_text="Currency -> interval -> amount and seat_amount.")
    meter_prices = JSONField(default=dict, help_text="Meter -> currency -> amount of a unit.")
    ends_on = models.DateField(
        null=True,
        help_text="From this day on subscriptions move to the plan's present terms with their next period.",
    )

    class Meta(BaseModel.Meta):
        verbose_name = _("plan version")
        verbose_name_plural = _("plan versions")

    def __str__(self) -> str:
        return f"{self.plan} until {day_text(self.created_at)}"
