from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from billing.plans.models import Plan, PlanPrice, PlanVersion
from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _


class Subscription(CompanyModel):
    """A company's subscription. A company without an open primary one has no access (contract section 5).

    The statuses trial, active and past_due are open until `ends_at`. The next period of an active one is billed at
    `bill_at`, and begins when that is paid. A paused one is read-only. Only services write it, and each write has a
    SubscriptionChange (billing.subscriptions.changes).
    """

    class Status(models.TextChoices):
        TRIAL = "trial"
        ACTIVE = "active"
        PAST_DUE = "past_due"
        PAUSED = "paused"
        CANCELLED = "cancelled"
        EXPIRED = "expired"

    plan = models.ForeignKey(
        Plan,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="subscriptions",
        help_text="Empty: everything.",
    )
    version = models.ForeignKey(
        PlanVersion,
        on_delete=models.PROTECT,
        null=True,
        editable=False,
        related_name="subscriptions",
        help_text="The plan's terms as they were when it was bought; empty: as they are.",
    )
    version_told_at = models.DateTimeField(
        null=True, editable=False, help_text="When its owners were told that these terms end."
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.ACTIVE)
    is_primary = models.BooleanField(default=True)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True, help_text="When access ends; empty: it does not.")
    period_start = models.DateTimeField(null=True, blank=True)
    period_end = models.DateTimeField(null=True, blank=True, help_text="Until when it is paid.")
    period_day = models.PositiveSmallIntegerField(
        null=True, editable=False, help_text="Day of the month on which periods end, in months that have it."
    )
    interval = models.CharField(max_length=5, choices=PlanPrice.Interval, blank=True)
    currency = models.CharField(max_length=3, blank=True, help_text="ISO 4217 code of what is paid in.")
    seats = models.PositiveIntegerField(
        null=True, blank=True, help_text="Members who may be there, owners included; empty: as the plan says."
    )
    cancel_at_period_end = models.BooleanField(default=False)
    scheduled = JSONField(
        null=True, editable=False, help_text="What the next period is bought with: plan, interval, seats."
    )
    bill_at = models.DateTimeField(
        null=True, editable=False, help_text="When the next period is billed; empty: none is (billing.renewals)."
    )
    paused_at = models.DateTimeField(null=True, editable=False)
    paused_until = models.DateTimeField(null=True, editable=False, help_text="When it goes on by itself.")
    modules = JSONField(null=True, blank=True, help_text=_("Replace the plan's modules. Leave empty to keep them."))
    limits = JSONField(default=dict, blank=True, help_text=_("Replace the plan's limits."))
    extras = JSONField(
        default=dict, db_default={}, editable=False, help_text="What its add-ons add to the plan: modules and limits."
    )
    overage = JSONField(
        default=dict,
        db_default={},
        blank=True,
        help_text=_("Extra units a month. Leave empty for no limit."),
    )

    trial_user = models.ForeignKey(
        "accounts.User",
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        help_text="Whose one trial this was.",
    )
    looked_at = models.DateTimeField(null=True, editable=False, help_text="Up to when reminders have been given.")
    look_at = models.DateTimeField(
        null=True,
        editable=False,
        default=timezone.now,
        help_text="When the service looks at it next; empty: nothing lies ahead.",
    )

    use_looked_at = models.DateTimeField(
        null=True, editable=False, help_text="When what is used of its limits was counted last."
    )
    use_told = JSONField(
        default=dict,
        db_default={},
        editable=False,
        help_text="What owners have been told: the period, and its limits, each with its number and the percent.",
    )

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("company",), condition=Q(is_primary=True), name="subscription_one_primary"),
            models.UniqueConstraint(fields=("trial_user",), name="subscription_one_trial"),
        ]
        indexes = [
            models.Index(fields=("look_at",), condition=Q(look_at__isnull=False), name="subscription_look"),
            models.Index(fields=("bill_at", "id"), condition=Q(bill_at__isnull=False), name="subscription_bill"),
        ]
        permissions = [("override_subscription", "Can give other modules and limits than the plan's")]

    def __str__(self) -> str:
        return f"{self.company}: {self.plan or 'everything'}"


OPEN = (
    Subscription.Status.TRIAL,
    Subscription.Status.ACTIVE,
    Subscription.Status.PAST_DUE,
    Subscription.Status.PAUSED,
)
"""The statuses that give a company access; a paused one to look only."""
PAID = (Subscription.Status.ACTIVE, Subscription.Status.PAST_DUE)
"""The statuses whose next period is billed."""


class SubscriptionChange(CompanyModel):
    """The log entry of one change of a subscription, with the values before and after. It is never updated."""

    class Action(models.TextChoices):
        STARTED = "started"
        GRANTED = "granted"
        EXTENDED = "extended"
        CHANGED = "changed"
        BILLED = "billed"
        RENEWED = "renewed"
        PAST_DUE = "past_due"
        PAUSED = "paused"
        RESUMED = "resumed"
        CANCELLED = "cancelled"
        EXPIRED = "expired"

    subscription = CompanyForeignKey(Subscription, on_delete=models.CASCADE, related_name="changes")
    action = models.CharField(max_length=10, choices=Action)
    by = models.ForeignKey(
        "accounts.User", on_delete=models.SET_NULL, null=True, related_name="+", help_text="Staff; empty: the service."
    )
    before = JSONField(default=dict)
    after = JSONField(default=dict)
    note = models.CharField(max_length=300, blank=True)
    source = models.CharField(
        max_length=100, blank=True, help_text="The payment that brought it; one brings one change."
    )

    class Meta(CompanyModel.Meta):
        verbose_name = _("subscription change")
        verbose_name_plural = _("subscription changes")
        constraints = [
            models.UniqueConstraint(
                fields=("company", "source"), condition=~Q(source=""), name="subscriptionchange_source_once"
            )
        ]
        indexes = [models.Index(fields=("company", "-created_at", "id"), name="subscriptionchange_newest")]
