from __future__ import annotations

from django.db import models

from billing.payments.models import Payment
from core.fields import CompanyForeignKey, JSONField
from core.models import ClaimPolicy, CompanyWork
from core.text.translation import gettext_lazy as _


class Dunning(CompanyWork):
    """The collection of a renewal's money: charged to the company's saved method, or asked for, until it is paid or the
    grace period is over. Workers take the next step when it is due (billing.dunning.services).
    """

    class Status(models.TextChoices):
        DUE = "due", "goes on"
        WORKING = "working"
        DONE = "done"
        FAILED = "failed", "parked: workers died on it"

    claim_policy = ClaimPolicy(ready="due", claimed="working", orphans={"working": "due"})

    payment = CompanyForeignKey(Payment, on_delete=models.CASCADE, related_name="dunnings")
    status = models.CharField(max_length=7, choices=Status, default=Status.DUE)
    since = models.DateTimeField(null=True, help_text="When it was first refused or asked for.")
    tries = models.PositiveSmallIntegerField(default=0, help_text="Charges that were begun.")
    next_try_at = models.DateTimeField(null=True, help_text="When it is charged again; empty: it is not.")
    method = CompanyForeignKey("billing.PaymentMethod", on_delete=models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=300, blank=True, help_text="Why the last charge failed.")
    notices = JSONField(default=dict, db_column="told", help_text="The notices sent to the company, with times.")

    class Meta(CompanyWork.Meta):
        verbose_name = _("overdue payment")
        constraints = [models.UniqueConstraint(fields=("company", "payment"), name="dunning_once")]
        indexes = [
            models.Index(fields=("due_at", "id"), condition=models.Q(status="due"), name="dunning_due"),
            models.Index(fields=("status",), condition=models.Q(status="working"), name="dunning_working"),
        ]

    def __str__(self) -> str:
        return f"{self.payment}, {self.status}"
