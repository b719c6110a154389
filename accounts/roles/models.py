from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from core.access import own_modules
from core.fields import CompanyForeignKey, JSONField, NameField
from core.models import CompanyModel


class Role(CompanyModel):
    """A named set of permissions: module -> method -> allowed."""

    name = NameField(max_length=100)
    description = models.TextField(blank=True)
    permission = JSONField(default=dict, blank=True)
    record_scope = JSONField(
        default=dict,
        db_default={},
        blank=True,
        help_text="Module (contact, lead) -> own, where its members meet their own records.",
    )
    is_default = models.BooleanField(
        default=False, help_text="The role of who is invited without one; a company has one of these."
    )
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint("company", Lower("name"), name="role_name_unique"),
            models.UniqueConstraint(fields=("company",), condition=Q(is_default=True), name="role_one_default"),
        ]

    @property
    def own_modules(self) -> frozenset[str]:
        """The modules of whose records its members meet their own alone."""
        return own_modules(self.record_scope)
