from __future__ import annotations

from django.db import models
from django.db.models import Q

from billing.payments.models import PaymentMethod
from core.fields import CompanyForeignKey
from core.models import ClaimPolicy, CompanyWork
from core.text.formats import day_text
from core.text.translation import gettext_lazy as _


class MethodSetup(CompanyWork):
    """A method that is saved on a gateway's page without a payment. Its id is our reference there.

    Workers poll its state, for people who do not return from the page.
    """

    class Status(models.TextChoices):
        DUE = "due", "waits to be looked at"
        WORKING = "working"
        SAVED = "saved"
        FAILED = "failed"

    claim_policy = ClaimPolicy(ready="due", claimed="working", orphans={"working": "due"}, poisoned="failed")

    letter = models.CharField(max_length=1)
    adapter = models.CharField(max_length=16)
    status = models.CharField(max_length=7, choices=Status, default=Status.DUE)
    currency = models.CharField(max_length=3)
    email = models.EmailField(max_length=254, blank=True, help_text="What the gateway is told.")
    gateway_id = models.CharField(max_length=255, blank=True)
    url = models.CharField(max_length=2048, blank=True, help_text="The gateway's page.")
    looks = models.PositiveSmallIntegerField(default=0, help_text="Looks in a row that brought nothing new.")
    reason = models.CharField(max_length=300, blank=True, help_text="Why it failed.")
    method = CompanyForeignKey(PaymentMethod, on_delete=models.SET_NULL, null=True, related_name="setups")

    class Meta(CompanyWork.Meta):
        verbose_name = _("payment method setup")
        verbose_name_plural = _("payment method setups")
        constraints = [
            models.UniqueConstraint(
                fields=("company", "letter"), condition=Q(status__in=("due", "working")), name="methodsetup_one_open"
            )
        ]
        indexes = [
            models.Index(fields=("due_at", "id"), condition=Q(status="due"), name="methodsetup_due"),
            models.Index(fields=("status",), condition=Q(status="working"), name="methodsetup_working"),
            models.Index(fields=("adapter", "gateway_id"), name="methodsetup_gateway_id"),
        ]

    def __str__(self) -> str:
        return f"Gateway {self.letter.upper()}, {day_text(self.created_at)}"
