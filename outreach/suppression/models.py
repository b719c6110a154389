from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel


class Suppression(CompanyModel):
    """An address that is never written to."""

    class Reason(models.TextChoices):
        UNSUBSCRIBED = "unsubscribed"
        BOUNCED = "bounced"
        COMPLAINED = "complained"
        MANUAL = "manual"

    email = models.CharField(max_length=254, help_text="Lower case.")
    reason = models.CharField(max_length=16, choices=Reason)
    source = models.CharField(
        max_length=200, blank=True, default="", help_text="Where it came from, such as the message's id."
    )
    details = JSONField(default=dict, blank=True)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("company", "email"), name="suppression_once")]
        indexes = [models.Index(fields=("company", "created_at", "id"), name="suppression_newest")]

    def __str__(self) -> str:
        return self.email
