from __future__ import annotations

from typing import Any

from django.db import models

from core.fields import CompanyForeignKey, JSONField
from core.models import Job
from core.text.labels.words import headline
from core.text.translation import gettext_lazy as _
from crm.models import Contact
from outreach.connections.ai.providers.purpose import read_purpose
from outreach.connections.senders.models import Sender
from outreach.messaging.delivery.models import SendJob

NAME_LENGTH = 60
"""Characters of a run's name that is made of its topic."""


class GenieScheduler(Job):
    """An outreach run: a job that plans one message (SendJob) per recipient. Its messages are then sent one by one."""

    class Phase(models.TextChoices):
        PLANNING = "planning"
        AWAITING_APPROVAL = "awaiting_approval"
        SENDING = "sending"
        WAITING = "waiting"
        COMPLETED = "completed"
        CANCELLED = "cancelled"
        FAILED = "failed"

    name = models.CharField(max_length=200, blank=True)
    prompt = models.TextField(blank=True, default="")
    outreach_prompt = models.TextField(blank=True, default="")
    tone = models.CharField(max_length=100, blank=True, default="")
    language = models.CharField(
        max_length=8, blank=True, default="", db_default="", help_text="Code; empty: the contact's, else the company's."
    )
    ai_type = models.CharField(max_length=32)
    type = models.CharField(max_length=16, default="contact", help_text="What the audience is made of.")
    audience = JSONField(
        default=dict, help_text="contactIds, leadIds, segments, tags, categories, combined as a union."
    )
    generation = CompanyForeignKey(
        "outreach.LeadGeneration",
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        help_text="The search that finds its recipients, of the present occurrence; empty: its audience was named.",
    )
    user_enquiry_enabled = models.BooleanField(
        default=True, db_default=True, help_text="Messages may ask the recipient a question."
    )
    campaign = models.BooleanField(default=False, db_default=False, help_text="Its messages are marked as bulk mail.")
    of_campaign = CompanyForeignKey(
        "outreach.Campaign",
        on_delete=models.PROTECT,
        null=True,
        related_name="runs",
        db_index=False,
        help_text="The campaign that it sends; empty: it is an outreach of its own.",
    )
    of_workflow = models.CharField(
        max_length=24, blank=True, default="", db_default="", help_text="The workflow that plans its messages, by id."
    )
    of_node = models.CharField(
        max_length=96, blank=True, default="", db_default="", help_text="Which version and node of the workflow does."
    )
    content = JSONField(
        default=dict,
        db_default=models.Value({}, output_field=JSONField()),
        blank=True,
        help_text="The words of its first messages, by variants (genie.variants); empty: an AI app writes.",
    )
    window = JSONField(null=True, help_text="Sending hours of its first messages; empty: the company's.")
    per_hour = models.PositiveIntegerField(null=True, help_text="Most messages in an hour; empty: no limit of its own.")
    paused_at = models.DateTimeField(null=True, help_text="None of its messages goes, and no occurrence begins.")
    track_opens = models.BooleanField(
        default=True, db_default=True, help_text="Where the company tracks opens; otherwise it changes nothing."
    )
    track_clicks = models.BooleanField(
        default=True, db_default=True, help_text="Where the company tracks clicks; otherwise it changes nothing."
    )
    writes_again = models.BooleanField(
        default=False, db_default=False, help_text="Later occurrences write to those again who were written to."
    )
    custom_channel_selection = models.BooleanField(default=False, db_default=False)
    custom_channels = JSONField(
        default=dict,
        db_default=models.Value({}, output_field=JSONField()),
        help_text="Connected app -> ids of those that may send.",
    )
    enrichment_enabled = models.BooleanField(default=False)
    draft = models.BooleanField(default=False, help_text="Messages wait for approval.")
    rewriting = models.BooleanField(
        default=False, db_default=False, editable=False, help_text="It had ended, and writes some messages anew."
    )
    outreach_cadence = JSONField(
        default=dict,
        db_default=models.Value({}, output_field=JSONField()),
        blank=True,
        help_text="The follow-ups after the first message, as outreach.runs.genie.cadence has checked them.",
    )
    recurring = models.BooleanField(default=False)
    interval_ms = models.PositiveBigIntegerField(null=True)
    occurrence = models.PositiveIntegerField(default=1)
    occurrence_began_at = models.DateTimeField(null=True, help_text="Empty for the first one.")
    next_occurrence_at = models.DateTimeField(null=True, help_text="When the next occurrence begins; empty: never.")
    planned_at = models.DateTimeField(
        null=True, help_text="When the last recipient of the occurrence was planned; empty: some are left."
    )
    told_at = models.DateTimeField(null=True, help_text="When the member was last told that drafts wait.")
    planned_until = models.CharField(
        max_length=24,
        blank=True,
        default="",
        help_text="Id of the last recipient that was planned, where planning goes on.",
    )
    smtp = CompanyForeignKey("outreach.Smtp", on_delete=models.PROTECT, null=True, related_name="runs")
    mail_app = CompanyForeignKey("outreach.MailApp", on_delete=models.PROTECT, null=True, related_name="runs")
    chat_app = CompanyForeignKey("outreach.ChatApp", on_delete=models.PROTECT, null=True, related_name="runs")
    automation = models.BooleanField(default=True)
    token_cap = models.BigIntegerField(null=True, help_text="Most tokens that its AI app may use; empty: no cap.")
    cost_cap = models.DecimalField(
        null=True, max_digits=18, decimal_places=6, help_text="Most that its AI app's calls may cost; empty: no cap."
    )
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
        verbose_name = _("outreach run")
        verbose_name_plural = _("outreach runs")
        # One run for each campaign and each node of a version: a second request finds the run of the first.
        constraints = [
            models.UniqueConstraint(
                fields=("company", "of_campaign"),
                condition=models.Q(of_campaign__isnull=False),
                name="genie_of_campaign",
            ),
            models.UniqueConstraint(
                fields=("company", "of_workflow", "of_node"),
                condition=~models.Q(of_workflow=""),
                name="genie_of_workflow",
            ),
        ]
        # Partial where only few rows are ever asked for, so that old runs cost nothing.
        indexes = [
            models.Index(fields=("due_at",), condition=models.Q(status="queued"), name="genie_due"),
            models.Index(fields=("status",), condition=models.Q(status="running"), name="genie_running"),
            models.Index(fields=("company", "created_at", "name", "id"), name="genie_newest"),
            models.Index(
                fields=("next_occurrence_at",),
                condition=models.Q(next_occurrence_at__isnull=False),
                name="genie_next_occurrence",
            ),
            models.Index(
                fields=("message_job",), condition=models.Q(message_job__isnull=False), name="genie_message_job"
            ),
            models.Index(fields=("generation",), condition=models.Q(generation__isnull=False), name="genie_generation"),
            models.Index(
                fields=("id",),
                condition=models.Q(status="completed", concluded_at=None, cancelled_at=None, is_deleted=False),
                name="genie_open",
            ),
        ]

    def __str__(self) -> str:
        return self.name or headline(self.prompt, NAME_LENGTH) or self.dated_title()

    @property
    def about(self) -> tuple[str, str]:
        """Return the subject of its notices, as the API names it: itself, or the campaign that it sends."""
        return ("campaign", self.of_campaign_id) if self.of_campaign_id else ("genie", self.pk)

    @property
    def place(self) -> str:
        """The path of its page, below its company's."""
        return f"campaigns/{self.of_campaign_id}" if self.of_campaign_id else f"outreach/{self.pk}"

    @property
    def drafts_place(self) -> str:
        """The path of the page that decides about its drafts."""
        return self.place if self.of_campaign_id else f"{self.place}/review"

    @property
    def request(self) -> str:
        """Return the request for its messages; "": the company's profile. It never contains the search criteria."""
        if self.outreach_prompt:
            return self.outreach_prompt
        return self.prompt if self.generation_id is None else read_purpose(self.prompt).what

    @property
    def sender(self) -> Sender | None:
        """Return the sender of its messages, of any kind."""
        sender: Sender | None = self.smtp if self.smtp_id else self.mail_app or self.chat_app
        return sender

    def first_message(self, contact: Contact, **columns: Any) -> SendJob:
        """Return a first message of the present occurrence, without content and not stored."""
        job = SendJob(
            run_id=self.pk,
            contact=contact,
            smtp=self.smtp,
            mail_app=self.mail_app,
            chat_app=self.chat_app,
            channel=self.sender.app_key if self.sender else SendJob.Channel.SMTP,
            occurrence=self.occurrence,
            window=self.window,
            **columns,
        )
        job.recipient = job.address
        return job
