from __future__ import annotations

from django.db import models
from django.db.models import Q

from billing.gateways.models import GatewayAccount
from core.models import BaseModel, Claimable, ClaimPolicy
from core.text.formats import day_text
from core.text.translation import gettext_lazy as _


class Reconciliation(Claimable):
    """One comparison of a gateway's list of money with the books, over a span of time. It is kept as a report."""

    class Status(models.TextChoices):
        DUE = "due"
        WORKING = "working"
        DONE = "done"
        FAILED = "failed"

    claim_policy = ClaimPolicy(ready="due", claimed="working", orphans={"working": "due"})

    account = models.ForeignKey(GatewayAccount, on_delete=models.CASCADE, related_name="reconciliations")
    status = models.CharField(max_length=7, choices=Status, default=Status.DUE)
    since = models.DateTimeField()
    until = models.DateTimeField()
    asked_by = models.ForeignKey("accounts.User", on_delete=models.SET_NULL, null=True, related_name="+")
    done_at = models.DateTimeField(null=True)
    payments = models.PositiveIntegerField(default=0, help_text="Payments that the gateway lists.")
    refunds = models.PositiveIntegerField(default=0, help_text="Refunds that it lists.")
    differences = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=("account",), condition=Q(status__in=("due", "working")), name="reconciliation_one_open"
            )
        ]
        indexes = [
            models.Index(fields=("due_at", "id"), condition=Q(status="due"), name="reconciliation_due"),
            models.Index(fields=("account", "-created_at"), name="reconciliation_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.account}, {day_text(self.since)} to {day_text(self.until)}"


class Difference(BaseModel):
    """A difference between a gateway and the books. It is stored once, even if it is detected several times."""

    class Kind(models.TextChoices):
        SETTLED = "settled", "paid there, and not known here: settled by now"
        WRONG = "wrong", "another amount or currency: the attempt is parked"
        TWICE = "twice", "paid twice for one order"
        STRANGE = "strange", "money there that nothing here asked for"
        MISSING = "missing", "booked here, and not paid there"
        UNCLEAR = "unclear", "the gateway does not say what became of it"

    reconciliation = models.ForeignKey(Reconciliation, on_delete=models.CASCADE, related_name="found")
    account = models.ForeignKey(GatewayAccount, on_delete=models.CASCADE, related_name="differences")
    kind = models.CharField(max_length=7, choices=Kind)
    what = models.CharField(max_length=7, help_text="payment or refund")
    gateway_ref = models.CharField(max_length=255, blank=True, help_text="The gateway's id of the money.")
    reference = models.CharField(max_length=255, blank=True, help_text="Ours: the attempt or refund.")
    payer = models.ForeignKey(
        "accounts.Company", on_delete=models.SET_NULL, null=True, related_name="+", help_text="Whose record it is."
    )
    amount_there = models.BigIntegerField(null=True, help_text="In minor units.")
    amount_here = models.BigIntegerField(null=True, help_text="In minor units.")
    currency = models.CharField(max_length=3)
    cleared_at = models.DateTimeField(null=True, help_text="When staff had seen to it.")
    cleared_by = models.ForeignKey("accounts.User", on_delete=models.SET_NULL, null=True, related_name="+")
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        verbose_name = _("difference from a payment gateway")
        verbose_name_plural = _("differences from payment gateways")
        constraints = [
            models.UniqueConstraint(
                fields=("account", "kind", "what", "gateway_ref", "reference"), name="difference_once"
            )
        ]
        indexes = [models.Index(fields=("-created_at",), condition=Q(cleared_at=None), name="difference_open")]

    def __str__(self) -> str:
        return f"{self.what} {self.gateway_ref or self.reference}: {self.get_kind_display()}"
