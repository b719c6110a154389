from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.db import models

from core.fields import CompanyForeignKey, JSONField
from core.models import ClaimPolicy, CompanyModel, CompanyWork


def content_hash(*words: str) -> str:
    """Return what stands for subject, text and HTML. PostgreSQL stores no null characters, so that they part them."""
    return sha256("\0".join(words).encode()).hexdigest()


class SendJob(CompanyWork):
    """One message to one recipient. Its transitions are a ledger (SendJobTransition).

    planned → draft → approved → claimed → sending (the intent is committed) → sent | failed | unknown,
    or cancelled | suppressed.
    """

    class Status(models.TextChoices):
        PLANNED = "planned"
        DRAFT = "draft"
        APPROVED = "approved"
        CLAIMED = "claimed"
        SENDING = "sending"
        SENT = "sent"
        FAILED = "failed"
        UNKNOWN = "unknown"
        CANCELLED = "cancelled"
        SUPPRESSED = "suppressed"

    class Channel(models.TextChoices):
        SMTP = "smtp"

    claim_policy = ClaimPolicy(
        ready="approved", claimed="claimed", orphans={"claimed": "approved", "sending": "unknown"}
    )

    status = models.CharField(max_length=12, choices=Status, default=Status.PLANNED)
    channel = models.CharField(max_length=16, choices=Channel, default=Channel.SMTP)
    run = CompanyForeignKey(
        "outreach.GenieScheduler", on_delete=models.PROTECT, null=True, related_name="send_jobs", db_index=False
    )
    contact = CompanyForeignKey("crm.Contact", on_delete=models.PROTECT, related_name="send_jobs", db_index=False)
    smtp = CompanyForeignKey(
        "outreach.Smtp", on_delete=models.PROTECT, null=True, related_name="send_jobs", db_index=False
    )
    step = models.PositiveSmallIntegerField(default=1)
    occurrence = models.PositiveIntegerField(default=1)
    recipient = models.CharField(
        max_length=254, blank=True, default="", help_text="The address the message goes to, once it is sent."
    )
    subject = models.CharField(max_length=998, blank=True, default="")
    text = models.TextField(blank=True, default="")
    html = models.TextField(blank=True, default="")
    message_id = models.CharField(
        max_length=320, blank=True, default="", help_text="Message-ID header, derived from the row's id."
    )
    reason = models.CharField(
        max_length=64, blank=True, default="", help_text="Code of why it has not gone, or was not sent."
    )
    reply = models.TextField(blank=True, default="", help_text="The server's last reply.")
    approved_at = models.DateTimeField(null=True)
    approved_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    sending_at = models.DateTimeField(null=True, help_text="When the intent was committed.")
    sent_at = models.DateTimeField(null=True)
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyWork.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=("company", "run", "contact", "channel", "step", "occurrence"),
                name="sendjob_once",
                nulls_distinct=False,
            ),
        ]
        indexes = [
            models.Index(fields=("smtp", "due_at", "id"), condition=models.Q(status="approved"), name="sendjob_due"),
            models.Index(
                fields=("status",), condition=models.Q(status__in=("claimed", "sending")), name="sendjob_held"
            ),
            models.Index(fields=("run", "status"), name="sendjob_run"),
            models.Index(fields=("contact", "status"), name="sendjob_contact"),
            models.Index(
                fields=("smtp", "sending_at"), condition=models.Q(sending_at__isnull=False), name="sendjob_sender"
            ),
            models.Index(fields=("company", "created_at", "id"), name="sendjob_newest"),
            models.Index(
                fields=("company", "created_at", "id"),
                condition=models.Q(channel="smtp", status__in=("sending", "sent", "failed", "unknown")),
                name="sendjob_smtp_log",
            ),
        ]

    def __str__(self) -> str:
        return self.subject or self.pk

    @property
    def content_hash(self) -> str:
        """Stands for the words of the message."""
        return content_hash(self.subject, self.text, self.html)

    @classmethod
    def freed(cls, rows: list[tuple[str, Any]], held: str, status: str) -> None:
        """Write the sweeper's transitions.

        A row is `failed` instead of `status` when too many workers died while holding it.
        """
        after = dict(cls.objects.filter(pk__in=[pk for pk, _ in rows]).values_list("pk", "status"))
        SendJobTransition.objects.bulk_create(
            [
                SendJobTransition(
                    company_id=company, send_job_id=pk, from_status=held, to_status=after[pk], reason="worker_died"
                )
                for pk, company in rows
            ]
        )
        cls.objects.filter(
            pk__in=[pk for pk, now in after.items() if now in (cls.Status.UNKNOWN, cls.Status.FAILED)]
        ).update(reason="worker_died")


class SendJobTransition(CompanyModel):
    """One change of a message's status. Rows are only added."""

    send_job = CompanyForeignKey(SendJob, on_delete=models.CASCADE, related_name="transitions", db_index=False)
    from_status = models.CharField(max_length=12, blank=True, default="")
    to_status = models.CharField(max_length=12)
    reason = models.CharField(max_length=64, blank=True, default="")
    detail = models.TextField(blank=True, default="")
    actor = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)

    class Meta(CompanyModel.Meta):
        indexes = [models.Index(fields=("send_job", "created_at", "id"), name="sendjobtransition_job")]


class GenieSettings(CompanyModel):
    """A company's defaults for runs: the window in which recipients are written to."""

    window_days = JSONField(default=list, blank=True, help_text="ISO weekdays 1 to 7; empty: every day.")
    window_start = models.TimeField(null=True, blank=True)
    window_end = models.TimeField(null=True, blank=True)
    recipient_timezone = models.BooleanField(
        default=True, help_text="The window is read on the recipient's clock, otherwise on the company's."
    )

    class Meta(CompanyModel.Meta):
        verbose_name_plural = "genie settings"
        constraints = [models.UniqueConstraint(fields=("company",), name="geniesettings_once")]
