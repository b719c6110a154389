from __future__ import annotations

from django.db import models

from core.fields import CompanyForeignKey, JSONField
from core.models import Job


class GenieScheduler(Job):
    """An outreach run: a job that plans one message (SendJob) per recipient. Its messages are then sent one by one."""

    class Phase(models.TextChoices):
        PLANNING = "planning"
        AWAITING_APPROVAL = "awaiting_approval"
        SENDING = "sending"
        COMPLETED = "completed"
        CANCELLED = "cancelled"
        FAILED = "failed"

    name = models.CharField(max_length=200, blank=True)
    prompt = models.TextField(blank=True, default="")
    outreach_prompt = models.TextField(blank=True, default="")
    tone = models.CharField(max_length=100, blank=True, default="")
    ai_type = models.CharField(max_length=32)
    type = models.CharField(max_length=16, default="contact", help_text="What the audience is made of.")
    audience = JSONField(
        default=dict, help_text="contactIds, leadIds, segments, tags, categories, combined as a union."
    )
    enrichment_enabled = models.BooleanField(default=False)
    draft = models.BooleanField(default=False, help_text="Messages wait for approval.")
    recurring = models.BooleanField(default=False)
    interval_ms = models.PositiveBigIntegerField(null=True)
    occurrence = models.PositiveIntegerField(default=1)
    planned_until = models.CharField(
        max_length=24,
        blank=True,
        default="",
        help_text="Id of the last recipient that was planned, where planning goes on.",
    )
    smtp = CompanyForeignKey("outreach.Smtp", on_delete=models.PROTECT, null=True, related_name="runs")
    automation = models.BooleanField(default=True)
    cancelled_at = models.DateTimeField(null=True)
    message_job = CompanyForeignKey(
        "crm.BulkJob",
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        help_text="The last job that changes its messages.",
    )
    concluded_at = models.DateTimeField(
        null=True, help_text="When it was seen that its last message had come to an end."
    )
    is_deleted = models.BooleanField(default=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(Job.Meta):
        verbose_name = "genie run"
        indexes = [
            models.Index(fields=("due_at",), condition=models.Q(status="queued"), name="genie_due"),
            models.Index(fields=("status",), condition=models.Q(status="running"), name="genie_running"),
            models.Index(fields=("company", "created_at", "name", "id"), name="genie_newest"),
            models.Index(
                fields=("message_job",), condition=models.Q(message_job__isnull=False), name="genie_message_job"
            ),
            models.Index(
                fields=("id",),
                condition=models.Q(status="completed", concluded_at=None, cancelled_at=None, is_deleted=False),
                name="genie_open",
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.prompt[:60] or self.pk
