from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, JSONField
from core.models import BaseModel, CompanyModel


class Company(BaseModel):
    """A tenant, with the profile that outreach is written from."""

    class UniqueKey(models.TextChoices):
        EMAIL = "email"
        NUMBER = "number"
        EITHER = "either"

    name = models.CharField(max_length=200)
    email = models.EmailField(blank=True)
    country_code = models.CharField(max_length=5, blank=True, help_text="Dial prefix, such as +49.")
    number = models.CharField(max_length=20, blank=True)
    website = models.URLField(blank=True)
    description = models.TextField(blank=True, help_text="What the company does and for whom; outreach is written from it.")
    timezone = models.CharField(max_length=64, default="UTC", help_text="IANA name, such as Europe/Berlin.")
    contact_unique_key = models.CharField(max_length=8, choices=UniqueKey, default=UniqueKey.EITHER)

    class Meta:
        verbose_name_plural = "companies"


class Role(CompanyModel):
    """A named set of permissions: module -> method -> allowed."""

    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    permission = JSONField(default=dict, blank=True)
    is_default = models.BooleanField(default=False)

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("company", "name"), name="role_name_unique")]


class Member(CompanyModel):
    """A user's membership of a company."""

    class Status(models.TextChoices):
        OWNER = "owner"
        INVITED = "invited"
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        BLOCKED = "blocked"
        REMOVED = "removed"

    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="memberships")
    role = CompanyForeignKey(
        Role, on_delete=models.PROTECT, null=True, blank=True, related_name="members", help_text="An owner needs none."
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.INVITED)
    name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(max_length=254)

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("company", "user"), name="member_once"),
            models.CheckConstraint(condition=Q(status="owner") | Q(role__isnull=False) | ~Q(status="accepted"), name="member_has_role"),
        ]

    def permissions(self) -> dict[str, Any]:
        """Module -> method -> allowed."""
        return self.role.permission if self.role else {}
