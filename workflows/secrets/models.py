"""Secrets that workflows send along with their calls."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey, EncryptedTextField, NameField
from core.models import CompanyModel


class WorkflowSecret(CompanyModel):
    """A key or password, which is sent to one host only and never shown."""

    name = NameField(max_length=100)
    host = models.CharField(max_length=255, help_text="The host that it is sent to.")
    value = EncryptedTextField(bound_to=("host",))
    last_used_at = models.DateTimeField(null=True, editable=False, help_text="When a call last sent it, to the minute.")
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint("company", Lower("name"), name="workflowsecret_name_unique")]

    def __str__(self) -> str:
        return str(self.name)
