from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey
from core.models import ClaimPolicy, CompanyWork
from core.text.translation import gettext_lazy as _


class DomainTracking(CompanyWork):
    """A host of a company's own that the links of its mails lead to. It is checked again each day."""

    class Work(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        FAILED = "failed"

    class State(models.TextChoices):
        PENDING = "pending"
        VERIFIED = "verified"
        LOST = "lost"

    claim_policy: ClassVar[ClaimPolicy] = ClaimPolicy(
        ready="waiting", claimed="running", orphans={"running": "waiting"}
    )

    name = models.CharField(max_length=253, help_text="The host, in ASCII and lower case.")
    proof = models.CharField(max_length=64, editable=False, help_text="What the TXT record says.")
    state = models.CharField(
        max_length=8, choices=State, default=State.PENDING, help_text="Lost: it was verified, and is so no longer."
    )
    detail = models.TextField(blank=True, default="", help_text="What is missing, for people.")
    checked_at = models.DateTimeField(null=True, editable=False)
    verified_at = models.DateTimeField(null=True, editable=False, help_text="When all was found first.")
    status = models.CharField(
        max_length=8, choices=Work, default=Work.WAITING, editable=False, help_text="Of its next check."
    )
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyWork.Meta):
        verbose_name = _("tracking domain")
        constraints = [
            models.UniqueConstraint(fields=("company", "name"), name="domaintracking_name_unique"),
            # Links on a host represent its owner, so it belongs to one company alone.
            models.UniqueConstraint(fields=("name",), condition=Q(state="verified"), name="domaintracking_one_owner"),
        ]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="domaintracking_newest"),
            models.Index(fields=("due_at",), condition=Q(status="waiting"), name="domaintracking_due"),
            models.Index(fields=("status",), condition=Q(status="running"), name="domaintracking_running"),
        ]

    def __str__(self) -> str:
        return self.name
