from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey
from core.models import CompanyModel
from crm.records.models import CustomField


class CustomSection(CompanyModel):
    """A titled group of a panel's fields; CustomField.section holds its id."""

    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    panel = models.CharField(max_length=16, choices=CustomField.Panel, default=CustomField.Panel.CONTACT)
    order = models.IntegerField(null=True, blank=True)
    hide = models.BooleanField(default=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint("company", "panel", Lower("name"), name="customsection_name_unique")]
