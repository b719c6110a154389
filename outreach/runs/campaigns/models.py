from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel
from outreach.connections.senders.models import Sender
from outreach.messaging.delivery.channels import Channels
from outreach.messaging.delivery.settings.models import MAX_UTM

CHAT = Channels.CHATAPP.value


class Campaign(CompanyModel):
    """A message that a company sends to many.

    Once it starts it has a run (GenieScheduler.of_campaign), which plans and sends the messages. The fields here define
    the run, and record its results.
    """

    class Status(models.TextChoices):
        DRAFT = "draft"
        SCHEDULED = "scheduled"
        RUNNING = "running"
        PAUSED = "paused"
        COMPLETED = "completed"
        CANCELLED = "cancelled"
        FAILED = "failed"

    class Audience(models.TextChoices):
        FIXED = "fixed"
        LIVE = "live"

    name = models.CharField(max_length=200)
    type = models.CharField(max_length=16, default="smtp", help_text="smtp, mailvendor-a to -h, or chatapp.")
    status = models.CharField(max_length=12, choices=Status, default=Status.DRAFT)
    smtp = CompanyForeignKey("outreach.Smtp", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    mail_app = CompanyForeignKey("outreach.MailApp", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    chat_app = CompanyForeignKey(
        "outreach.ChatApp",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Of one by chat: the number that its templates belong to.",
    )
    chat_template = CompanyForeignKey(
        "outreach.ChatTemplate", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    variables = JSONField(
        default=dict,
        db_default=models.Value({}, output_field=JSONField()),
        blank=True,
        help_text="Variable of the chat template -> words that fill it; without one the field that the template names.",
    )
    template = CompanyForeignKey(
        "outreach.EmailTemplate", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    subject = models.CharField(max_length=200, blank=True, default="")
    body = models.TextField(blank=True, default="", help_text="MJML, HTML or plain text, where there is no template.")
    variants = JSONField(
        default=list,
        blank=True,
        help_text="name, share and templateId (by chat with variables), or subject and body, of each; empty: one text.",
    )
    winner_rule = JSONField(
        default=dict, blank=True, help_text="metric, after and testShare; empty: all variants go to their shares."
    )
    winner = JSONField(
        default=dict, blank=True, editable=False, help_text="variant, why and at, once the winner is chosen."
    )
    decides_at = models.DateTimeField(
        null=True, editable=False, help_text="When the winner is chosen, once the test has gone."
    )
    audience = JSONField(default=dict, help_text="contactIds, leadIds, segments, tags, categories, as a union.")
    audience_mode = models.CharField(
        max_length=8,
        choices=Audience,
        default=Audience.FIXED,
        help_text="live: those who join the audience before the end are written to as well.",
    )
    outreach_cadence = JSONField(
        default=dict,
        db_default=models.Value({}, output_field=JSONField()),
        blank=True,
        help_text="Its follow-ups, as a run has them (outreach.runs.genie.cadence).",
    )
    scheduled_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True, help_text="After it nobody else is written to.")
    window = JSONField(null=True, blank=True, help_text="days, start, end at the recipient's; empty: the company's.")
    throttle = models.PositiveIntegerField(null=True, blank=True, help_text="Most messages in an hour.")
    recurring = models.BooleanField(default=False)
    interval_ms = models.PositiveBigIntegerField(null=True, blank=True)
    write_again = models.BooleanField(
        default=False, help_text="Each occurrence writes to all of the audience, not only to those without a message."
    )
    track_opens = models.BooleanField(
        default=True, db_default=True, help_text="Where the company tracks opens; otherwise it changes nothing."
    )
    track_clicks = models.BooleanField(
        default=True, db_default=True, help_text="Where the company tracks clicks; otherwise it changes nothing."
    )
    utm_tags = models.BooleanField(
        default=True, db_default=True, help_text="Where the company has UTM tags; otherwise it changes nothing."
    )
    utm_source = models.CharField(max_length=MAX_UTM, blank=True, default="", db_default="")
    utm_medium = models.CharField(max_length=MAX_UTM, blank=True, default="", db_default="")
    utm_campaign = models.CharField(max_length=MAX_UTM, blank=True, default="", db_default="")
    manual = models.BooleanField(default=False, help_text="Each message is a draft, which a member releases.")
    error = models.TextField(blank=True, default="", help_text="Why it failed, or could not start.")
    failures = models.PositiveSmallIntegerField(default=0, editable=False, help_text="How often it could not start.")
    started_at = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)
    is_deleted = models.BooleanField(default=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(
                "company", Lower("name"), condition=models.Q(is_deleted=False), name="campaign_name_unique"
            ),
        ]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="campaign_newest"),
            models.Index(fields=("scheduled_at",), condition=models.Q(status="scheduled"), name="campaign_scheduled"),
            models.Index(
                fields=("id",), condition=models.Q(status__in=("running", "paused")), name="campaign_under_way"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def sender(self) -> Sender | None:
        """Return its chosen sender, of any kind."""
        sender: Sender | None = self.smtp if self.smtp_id else self.mail_app or self.chat_app
        return sender

    @property
    def by_chat(self) -> bool:
        """Return whether its messages go by chat."""
        return self.type == CHAT
