from __future__ import annotations

from django.db import models

from core.models import CompanyModel


class RecipientQuota(CompanyModel):
    """Present capacity to a mail provider, if the company has set a limit: a bucket that fills with time."""

    scope = models.CharField(
        max_length=253, help_text="The key of a provider, a domain, or vendor: and the key of a vendor."
    )
    tokens = models.FloatField()
    filled_at = models.DateTimeField()

    class Meta(CompanyModel.Meta):
        verbose_name = "rate to a mail provider"
        verbose_name_plural = "rates to mail providers"
        constraints = [models.UniqueConstraint(fields=("company", "scope"), name="recipientquota_once")]

    def __str__(self) -> str:
        return self.scope
