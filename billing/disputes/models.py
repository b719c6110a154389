from __future__ import annotations

from django.db import models
from django.db.models import Q

from billing.payments.models import Attempt
from core.fields import CompanyForeignKey
from core.models import ClaimPolicy, CompanyModel, CompanyWork
from core.text.translation import gettext_lazy as _


class Dispute(CompanyModel):
    """A payment that the payer's bank takes back, or wants to (a chargeback). It is made by looking at the gateway."""

    class Status(models.TextChoices):
        OPEN = "open", "to be answered"
        WON = "won", "won: the money stays"
        LOST = "lost", "lost: the money is gone"

    attempt = CompanyForeignKey(Attempt, on_delete=models.PROTECT, related_name="disputes")
    gateway_id = models.CharField(max_length=255)
    status = models.CharField(max_length=4, choices=Status, default=Status.OPEN)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    reason = models.CharField(max_length=300, blank=True, help_text="As the gateway says it.")
    evidence_due_at = models.DateTimeField(null=True, help_text="Until when the gateway takes evidence.")
    closed_at = models.DateTimeField(null=True)

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("company", "attempt", "gateway_id"), name="dispute_once"),
            models.CheckConstraint(condition=Q(amount_minor__gt=0), name="dispute_above_zero"),
        ]
        indexes = [models.Index(fields=("evidence_due_at",), condition=Q(status="open"), name="dispute_open")]

    def __str__(self) -> str:
        return self.gateway_id


class DisputeWatch(CompanyWork):
    """A queued dispute check of a payment: after a webhook that hints at a dispute, and daily during an open one."""

    class Status(models.TextChoices):
        DUE = "due"
        WORKING = "working"
        IDLE = "idle"
        UNKNOWN = "unknown", "parked: the gateway does not say"

    claim_policy = ClaimPolicy(ready="due", claimed="working", orphans={"working": "due"}, poisoned="unknown")

    attempt = CompanyForeignKey(Attempt, on_delete=models.CASCADE, related_name="watches")
    status = models.CharField(max_length=7, choices=Status, default=Status.DUE)

    class Meta(CompanyWork.Meta):
        verbose_name = _("dispute check")
        verbose_name_plural = _("dispute checks")
        constraints = [models.UniqueConstraint(fields=("company", "attempt"), name="disputewatch_once")]
        indexes = [
            models.Index(fields=("due_at", "id"), condition=Q(status="due"), name="disputewatch_due"),
            models.Index(fields=("status",), condition=Q(status="working"), name="disputewatch_working"),
        ]
