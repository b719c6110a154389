from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, EncryptedTextField, JSONField
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _


class ApiKey(CompanyModel):
    """A credential that acts for a member. It stays until it is deleted, even when its creator is gone."""

    class Type(models.TextChoices):
        PERMANENT = "permanent"
        TEMPORARY = "temporary"

    class IpRestriction(models.TextChoices):
        OPEN = "open"
        RESTRICTED = "restricted"

    key = EncryptedTextField()
    key_hash = models.CharField(max_length=64, unique=True, editable=False)
    masked_key = models.CharField(max_length=15, editable=False)
    type = models.CharField(max_length=10, choices=Type, default=Type.PERMANENT)
    duration_minutes = models.FloatField(null=True, blank=True)
    ip_restriction = models.CharField(max_length=10, choices=IpRestriction, default=IpRestriction.OPEN)
    allowed_ips = JSONField(null=True, blank=True, help_text="Where a restricted key works: addresses and networks.")
    last_used_at = models.DateTimeField(null=True, editable=False, help_text="To the minute.")
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.PROTECT, related_name="api_keys")

    class Meta(CompanyModel.Meta):
        verbose_name = _("API key")
        indexes = [models.Index(fields=("company", "-created_at", "id"), name="apikey_newest")]

    def __str__(self) -> str:
        return self.masked_key
