from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import JSONField
from core.models import CompanyModel


class Subscription(CompanyModel):
    """What a company has subscribed to. Without an active primary one its doors close (contract section 5)."""

    class Status(models.TextChoices):
        TRIAL = "trial"
        ACTIVE = "active"
        PAST_DUE = "past_due"
        CANCELLED = "cancelled"
        EXPIRED = "expired"

    status = models.CharField(max_length=10, choices=Status, default=Status.ACTIVE)
    is_primary = models.BooleanField(default=True)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True, help_text="Empty: does not end.")
    modules = JSONField(null=True, blank=True, help_text="Permission modules that are included; empty: all.")
    limits = JSONField(default=dict, blank=True, help_text="Module -> number of records that may be there.")

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("company",), condition=Q(is_primary=True), name="subscription_one_primary")]
