from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, EncryptedTextField, JSONField
from core.models import ClaimPolicy, CompanyModel, CompanyWork
from core.text.translation import gettext_lazy as _
from outreach.messaging.deliverability.results import Light


class DkimKey(CompanyModel):
    """The key by which messages from a domain are signed. It signs nothing until its record has been found."""

    class Algorithm(models.TextChoices):
        RSA = "rsa"
        ED25519 = "ed25519"

    class Status(models.TextChoices):
        PENDING = "pending"
        ACTIVE = "active"
        LOST = "lost"

    domain = models.CharField(max_length=253, help_text="In ASCII and lower case.")
    selector = models.CharField(max_length=63)
    algorithm = models.CharField(max_length=8, choices=Algorithm, default=Algorithm.RSA)
    # A key that was copied into another domain's row cannot be read there, and so signs nothing.
    private_key = EncryptedTextField(bound_to=("domain", "selector"))
    public_record = models.TextField(help_text="The TXT record to publish.")
    status = models.CharField(
        max_length=8, choices=Status, default=Status.PENDING, help_text="Lost: its record was there, and is gone."
    )
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        verbose_name = _("DKIM key")
        # For each company: two companies may send from one domain, by selectors of their own.
        constraints = [models.UniqueConstraint(fields=("company", "domain"), name="dkim_one_per_domain")]

    def __str__(self) -> str:
        return f"{self.selector}._domainkey.{self.domain}"


class SenderCheck(CompanyWork):
    """The last check of a sender's domain, and when the next one is due."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        FAILED = "failed"

    claim_policy: ClassVar[ClaimPolicy] = ClaimPolicy(
        ready="waiting", claimed="running", orphans={"running": "waiting"}
    )

    smtp = CompanyForeignKey("outreach.Smtp", on_delete=models.CASCADE, related_name="+", db_index=False)
    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING)
    domain = models.CharField(max_length=253, blank=True, default="", help_text="The domain that was checked.")
    light = models.CharField(max_length=8, choices=[(one.value, one.value) for one in Light], blank=True, default="")
    results = JSONField(default=list)
    checked_at = models.DateTimeField(null=True)

    class Meta(CompanyWork.Meta):
        verbose_name = _("domain check")
        verbose_name_plural = _("domain checks")
        constraints = [models.UniqueConstraint(fields=("company", "smtp"), name="sendercheck_one_per_sender")]
        indexes = [
            models.Index(fields=("due_at",), condition=Q(status="waiting"), name="sendercheck_due"),
            models.Index(fields=("status",), condition=Q(status="running"), name="sendercheck_running"),
        ]

    def __str__(self) -> str:
        return self.domain or self.dated_title()
