from __future__ import annotations

from django.db import models
from django.db.models import Q

from billing.plans.models import Currency, PlanPrice
from core.fields import CompanyForeignKey, JSONField
from core.models import BaseModel, CompanyModel
from core.text.translation import gettext_lazy as _


class AddOn(BaseModel):
    """A product bought in any quantity in addition to a plan: more records, messages or AI credits, or modules."""

    name = models.CharField(max_length=100, unique=True)
    description = models.TextField(blank=True)
    modules = JSONField(default=list, blank=True, help_text=_("Modules added to the plan."))
    limits = JSONField(default=dict, blank=True, help_text=_("Added to the plan's limits for each unit."))
    is_public = models.BooleanField(default=True, help_text=_("Companies can buy it."))
    order = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name = _("add-on")

    def __str__(self) -> str:
        return self.name


class AddOnPrice(BaseModel):
    """The price of one add-on for an interval in a currency."""

    add_on = models.ForeignKey(AddOn, on_delete=models.CASCADE, related_name="prices")
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")
    interval = models.CharField(max_length=5, choices=PlanPrice.Interval)
    amount = models.DecimalField(max_digits=14, decimal_places=4)

    class Meta:
        verbose_name = _("price of an add-on")
        verbose_name_plural = _("prices of add-ons")
        constraints = [
            models.UniqueConstraint(fields=("add_on", "currency", "interval"), name="addonprice_once"),
            models.CheckConstraint(condition=Q(amount__gte=0), name="addonprice_is_not_negative"),
        ]


class SubscriptionItem(CompanyModel):
    """A subscription's quantity of an add-on, with its modules, limits and price as they were at the time of
    purchase."""

    subscription = CompanyForeignKey(
        "billing.Subscription", on_delete=models.CASCADE, related_name="items", db_index=False
    )
    add_on = models.ForeignKey(AddOn, on_delete=models.PROTECT, related_name="+")
    quantity = models.PositiveIntegerField()
    unit_amount = models.DecimalField(max_digits=14, decimal_places=4, help_text="For the subscription's interval.")
    modules = JSONField(default=list)
    limits = JSONField(default=dict)

    class Meta(CompanyModel.Meta):
        verbose_name = _("bought add-on")
        verbose_name_plural = _("bought add-ons")
        constraints = [
            models.UniqueConstraint(fields=("company", "subscription", "add_on"), name="subscriptionitem_once"),
            models.CheckConstraint(condition=Q(quantity__gt=0), name="subscriptionitem_quantity"),
        ]
        indexes = [models.Index(fields=("subscription",), name="subscriptionitem_of")]
