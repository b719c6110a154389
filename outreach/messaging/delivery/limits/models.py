from __future__ import annotations

from django.db import models

from core.models import CompanyModel
from core.text.translation import gettext_lazy as _


class RecipientQuota(CompanyModel):
    """Present capacity to a mail provider, if the company has set a limit: a bucket that fills with time."""

    scope = models.CharField(
        max_length=253, help_text="The key of a provider, a domain, or vendor: and the key of a vendor."
    )
    tokens = models.FloatField()
    filled_at = models.DateTimeField()

    class Meta(CompanyModel.Meta):
        verbose_name = _("mail provider rate")
        verbose_name_plural = _("mail provider rates")
        constraints = [models.UniqueConstraint(fields=("company", "scope"), name="recipientquota_once")]

    def __str__(self) -> str:
        return self.scope
