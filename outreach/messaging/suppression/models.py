from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel, Job
from core.text.translation import gettext_lazy as _


class Suppression(CompanyModel):
    """An address that is never written to."""

    class Reason(models.TextChoices):
        UNSUBSCRIBED = "unsubscribed"
        BOUNCED = "bounced"
        COMPLAINED = "complained"
        MANUAL = "manual"

    email = models.CharField(max_length=254, help_text="Lower case.")
    reason = models.CharField(max_length=16, choices=Reason)
    source = models.CharField(
        max_length=200, blank=True, default="", help_text="Where it came from, such as the message's id."
    )
    details = JSONField(default=dict, blank=True)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = _("suppressed address")
        verbose_name_plural = _("suppressed addresses")
        # The company comes first: an address that one company may not write to is free for all others.
        constraints = [models.UniqueConstraint(fields=("company", "email"), name="suppression_once")]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="suppression_newest"),
            # Reports ask of each message whether its recipient has unsubscribed by it.
            models.Index(
                fields=("company", "source"), condition=models.Q(reason="unsubscribed"), name="suppression_by"
            ),
        ]

    def __str__(self) -> str:
        return self.email


class SuppressionImport(Job):
    """An import of addresses from an uploaded file. Progress commits with its batch; a worker continues at
    `next_row`."""

    file = CompanyForeignKey("crm.File", on_delete=models.CASCADE, related_name="+", db_index=False)
    reason = models.CharField(
        max_length=16, choices=Suppression.Reason, default=Suppression.Reason.MANUAL, help_text="Of rows without one."
    )
    email_column = models.CharField(max_length=300, blank=True, default="", help_text="Its header; empty: found.")
    reason_column = models.CharField(max_length=300, blank=True, default="", help_text="Its header; empty: found.")
    next_row = models.PositiveIntegerField(default=0, help_text="Row of the file to go on with; 0 before the first.")
    added = models.PositiveIntegerField(default=0)
    listed = models.PositiveIntegerField(default=0, help_text="Rows whose address was on the list, or twice in it.")
    failed = models.PositiveIntegerField(default=0)
    row_errors = JSONField(default=list, help_text="The first rows without an address: row and message.")
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(Job.Meta):
        verbose_name = _("suppression list import")
        verbose_name_plural = _("suppression list imports")
        indexes = [
            models.Index(fields=("due_at",), condition=models.Q(status="queued"), name="suppressionimport_due"),
            models.Index(fields=("status",), condition=models.Q(status="running"), name="suppressionimport_running"),
            models.Index(fields=("company", "created_at", "id"), name="suppressionimport_newest"),
            models.Index(fields=("file",), name="suppressionimport_file"),
        ]
