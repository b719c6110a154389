from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, EncryptedTextField, JSONField
from core.models import CompanyModel


class AiApp(CompanyModel):
    """A connected AI app. `provider` is the key of its AiProvider."""

    provider = models.CharField(max_length=32)
    name = models.CharField(max_length=200)
    api_key = EncryptedTextField(blank=True, default="")
    selected_model = models.CharField(max_length=200, blank=True, default="")
    model_settings = JSONField(default=dict, blank=True)
    is_active = models.BooleanField(default=True)
    is_default = models.BooleanField(default=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = "AI app"
        constraints = [
            models.UniqueConstraint(fields=("company",), condition=Q(is_default=True), name="aiapp_one_default")
        ]
