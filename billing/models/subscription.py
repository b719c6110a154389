from __future__ import annotations

from django.db import models
from django.db.models import Q

from billing.models.plan import Plan, PlanPrice
from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel


class Subscription(CompanyModel):
    """What a company has subscribed to. Without an active primary one its doors close (contract section 5).

    trial, active and past_due are open until `ends_at`; an active one's period is renewed or falls due at `period_end`.
    """

    class Status(models.TextChoices):
        TRIAL = "trial"
        ACTIVE = "active"
        PAST_DUE = "past_due"
        CANCELLED = "cancelled"
        EXPIRED = "expired"

    plan = models.ForeignKey(
        Plan, on_delete=models.PROTECT, null=True, blank=True, related_name="subscriptions", help_text="Empty: everything."
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.ACTIVE)
    is_primary = models.BooleanField(default=True)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True, help_text="When the doors close; empty: they do not.")
    period_start = models.DateTimeField(null=True, blank=True)
    period_end = models.DateTimeField(null=True, blank=True, help_text="Until when it is paid.")
    interval = models.CharField(max_length=5, choices=PlanPrice.Interval, blank=True)
    currency = models.CharField(max_length=3, blank=True, help_text="ISO 4217 code of what is paid in.")
    seats = models.PositiveIntegerField(
        null=True, blank=True, help_text="Members who may be there, owners included; empty: as the plan says."
    )
    cancel_at_period_end = models.BooleanField(default=False)
    modules = JSONField(null=True, blank=True, help_text="Modules of this subscription instead of its plan's; empty: as the plan says.")
    limits = JSONField(default=dict, blank=True, help_text="Module -> number of records, over the plan's.")

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("company",), condition=Q(is_primary=True), name="subscription_one_primary")]
        indexes = [
            models.Index(fields=("ends_at",), condition=Q(status__in=("trial", "active", "past_due")), name="subscription_ending"),
            models.Index(fields=("period_end",), condition=Q(status="active"), name="subscription_falling_due"),
        ]


class SubscriptionChange(CompanyModel):
    """One change of a subscription, with its values before and after; never changed."""

    class Action(models.TextChoices):
        STARTED = "started"
        GRANTED = "granted"
        EXTENDED = "extended"
        CHANGED = "changed"
        RENEWED = "renewed"
        PAST_DUE = "past_due"
        CANCELLED = "cancelled"
        EXPIRED = "expired"

    subscription = CompanyForeignKey(Subscription, on_delete=models.CASCADE, related_name="changes")
    action = models.CharField(max_length=10, choices=Action)
    by = models.ForeignKey("accounts.User", on_delete=models.SET_NULL, null=True, related_name="+", help_text="Staff; empty: the service.")
    before = JSONField(default=dict)
    after = JSONField(default=dict)
    note = models.CharField(max_length=300, blank=True)

    class Meta(CompanyModel.Meta):
        indexes = [models.Index(fields=("company", "-created_at", "id"), name="subscriptionchange_newest")]
