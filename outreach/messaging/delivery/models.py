from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import models
from django.db.models.lookups import IsNull

from core.fields import CompanyForeignKey, JSONField
from core.models import ClaimPolicy, CompanyModel, CompanyWork
from core.text.formats import day_text
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _
from outreach.connections.chat_apps.models import DIRECT
from outreach.connections.senders.models import Sender
from outreach.messaging.delivery.approving.hashes import content_hash, envelope_of
from outreach.messaging.delivery.channels import Channels
from outreach.messaging.delivery.chat_columns import CHAT_INDEXES, ChatColumns

COUNTED = ("id", "status", "run", "smtp", "mail_app", "channel", "open_count", "click_count")
"""Time and outcome columns that all reports about messages read."""
# PostgreSQL takes COALESCE for leaky: under row security its index would not be used.
HANDED_AT = models.Case(models.When(sending_at__isnull=False, then="sending_at"), default="refused_at")
"""Time at which a server was given the message, including one that it refused at once."""
VISITED = models.Q(open_count__gt=0) | models.Q(click_count__gt=0)
"""Matches messages that people have opened, or clicked a link of."""


class SendJob(ChatColumns, CompanyWork):
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
        UNKNOWN = "unknown", "Delivery unknown"
        CANCELLED = "cancelled"
        SUPPRESSED = "suppressed"

    TO_SEND = (Status.PLANNED, Status.DRAFT, Status.APPROVED, Status.CLAIMED)
    """Statuses of messages that may still go, to the address that the contact has then."""

    Channel = Channels

    # A worker that died with a claimed message has sent nothing. In `sending` it may have, so nobody sends it
    # again.
    claim_policy = ClaimPolicy(
        ready="approved", claimed="claimed", orphans={"claimed": "approved", "sending": "unknown"}
    )

    status = models.CharField(max_length=12, choices=Status, default=Status.PLANNED)
    channel = models.CharField(max_length=16, choices=Channel, default=Channel.SMTP)
    run = CompanyForeignKey(
        "outreach.GenieScheduler", on_delete=models.PROTECT, null=True, related_name="send_jobs", db_index=False
    )
    workflow_run = models.CharField(
        max_length=24, blank=True, default="", db_default="", help_text="The run of a workflow that planned it, by id."
    )
    workflow_waits = JSONField(
        null=True, help_text="Token and epoch of the workflow's run, while it waits until the message has ended."
    )
    personal = models.BooleanField(
        default=False, db_default=False, help_text="A member has written it to this one person."
    )
    held_at = models.DateTimeField(null=True, help_text="Since when it does not go: the run of the workflow is paused.")
    contact = CompanyForeignKey("crm.Contact", on_delete=models.PROTECT, related_name="send_jobs", db_index=False)
    smtp = CompanyForeignKey(
        "outreach.Smtp", on_delete=models.PROTECT, null=True, related_name="send_jobs", db_index=False
    )
    mail_app = CompanyForeignKey(
        "outreach.MailApp", on_delete=models.PROTECT, null=True, related_name="send_jobs", db_index=False
    )
    step = models.PositiveSmallIntegerField(default=1)
    occurrence = models.PositiveIntegerField(default=1)
    variant = models.PositiveSmallIntegerField(
        null=True, help_text="Which of its campaign's variants it has, from 0; empty: none, or not chosen yet."
    )
    next_delay = JSONField(
        null=True, help_text="The span after which its follow-up is planned, once it is sent; empty: none follows."
    )
    next_step_at = models.DateTimeField(null=True, help_text="When its follow-up is planned, since it was sent.")
    stop_on = JSONField(
        default=list,
        db_default=models.Value([], output_field=JSONField()),
        blank=True,
        help_text="What stops it, a follow-up: reply, bounce, won, lost (outreach.messaging.delivery.stopping.stops).",
    )
    thread_began_at = models.DateTimeField(
        null=True, help_text="Of a follow-up: from when on replies, bounces and leads that are won or lost stop it."
    )
    reference_ids = models.TextField(
        blank=True, default="", db_default="", help_text="Message-IDs of the messages before it, the oldest first."
    )
    window = JSONField(null=True, help_text="Its own sending hours: days, start, end; empty: the company's.")
    recipient = models.CharField(
        max_length=254, blank=True, default="", help_text="The address it was planned, approved or last sent for."
    )
    subject = models.CharField(max_length=998, blank=True, default="")
    text = models.TextField(blank=True, default="")
    html = models.TextField(blank=True, default="")
    evidence = JSONField(
        default=list,
        db_default=models.Value([], output_field=JSONField()),
        blank=True,
        help_text="What its words rest on: part, start, end, text, source and value each (connections.ai.evidence).",
    )
    message_id = models.CharField(
        max_length=320, blank=True, default="", help_text="Message-ID header, derived from the row's id."
    )
    reason = models.CharField(
        max_length=64, blank=True, default="", help_text="Code of why it has not gone, or was not sent."
    )
    reply = models.TextField(blank=True, default="", help_text="The server's last reply.")
    provider_message_id = models.CharField(
        max_length=200, blank=True, default="", db_default="", help_text="What the mail vendor calls it."
    )
    provider_thread_id = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text="What the mail vendor calls its thread."
    )
    delivery_status = models.CharField(
        max_length=16, blank=True, default="", db_default="", help_text="What the mail vendor has told of it last."
    )
    delivery = JSONField(
        default=dict,
        db_default=models.Value({}, output_field=JSONField()),
        blank=True,
        help_text="When each delivery status was told of first.",
    )
    open_count = models.PositiveIntegerField(default=0, db_default=0)
    click_count = models.PositiveIntegerField(default=0, db_default=0)
    opens_tracked = models.BooleanField(default=False, db_default=False, help_text="It was sent with open tracking.")
    clicks_tracked = models.BooleanField(default=False, db_default=False, help_text="It was sent with click tracking.")
    attachments = JSONField(
        default=list,
        db_default=models.Value([], output_field=JSONField()),
        blank=True,
        help_text="The files that go with it: id, name, mime, size and sha256 of each (delivery.attachments).",
    )
    approved_at = models.DateTimeField(null=True)
    approved_envelope = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="To whom and from whom it may go: what name and address of the contact and of the sender were then.",
    )
    approval_ends_at = models.DateTimeField(
        null=True, help_text="When a person's approval ends; empty: there is none, or it does not end."
    )
    hint = models.TextField(
        blank=True, default="", db_default="", help_text="What was asked for when it was last to be written anew."
    )
    approved_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    sending_at = models.DateTimeField(null=True, help_text="When the intent was committed.")
    refused_at = models.DateTimeField(
        null=True, help_text="When its server refused it for good at once; it has no time of sending then."
    )
    sent_at = models.DateTimeField(null=True)
    bounced_at = models.DateTimeField(null=True, help_text="When it was told that there is no such mailbox.")
    complained_at = models.DateTimeField(null=True, help_text="When the recipient called it spam.")
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyWork.Meta):
        verbose_name = _("message")
        # Planning the same batch again after a crash finds these rows. nulls_distinct is off, since a run may
        # be null.
        constraints = [
            models.UniqueConstraint(
                fields=("company", "run", "contact", "channel", "step", "occurrence"),
                name="sendjob_once",
                nulls_distinct=False,
            ),
        ]
        # sendjob_held serves the sweeper: few of millions of rows are held.
        indexes = [
            models.Index(fields=("smtp", "due_at", "id"), condition=models.Q(status="approved"), name="sendjob_due"),
            models.Index(
                fields=("status",), condition=models.Q(status__in=("claimed", "sending")), name="sendjob_held"
            ),
            models.Index(
                fields=("approval_ends_at",), condition=models.Q(status="approved"), name="sendjob_approval_ends"
            ),
            models.Index(fields=("run", "status"), name="sendjob_run"),
            models.Index(
                fields=("run",), condition=models.Q(status="approved", reason="run_paused"), name="sendjob_run_paused"
            ),
            models.Index(fields=("contact", "status"), name="sendjob_contact"),
            models.Index(fields=("workflow_run",), condition=~models.Q(workflow_run=""), name="sendjob_workflow_run"),
            models.Index(
                fields=("id",),
                condition=models.Q(
                    workflow_waits__isnull=False, status__in=("sent", "failed", "unknown", "cancelled", "suppressed")
                ),
                name="sendjob_workflow_waits",
            ),
            models.Index(
                fields=("run", "contact"),
                include=("company", "sent_at"),
                condition=models.Q(status="sent"),
                name="sendjob_sent",
            ),
            models.Index(
                fields=("run",),
                include=("company", "status", "open_count", "click_count"),
                condition=VISITED,
                name="sendjob_visited",
            ),
            models.Index(
                fields=("smtp", "sending_at"), condition=models.Q(sending_at__isnull=False), name="sendjob_sender"
            ),
            models.Index(
                fields=("mail_app", "due_at", "id"),
                condition=models.Q(status="approved", mail_app__isnull=False),
                name="sendjob_vendor_due",
            ),
            models.Index(
                fields=("mail_app", "sending_at"),
                condition=models.Q(sending_at__isnull=False, mail_app__isnull=False),
                name="sendjob_vendor_sender",
            ),
            models.Index(
                fields=("mail_app", "provider_message_id"),
                condition=models.Q(mail_app__isnull=False) & ~models.Q(provider_message_id=""),
                name="sendjob_provider_id",
            ),
            models.Index(
                fields=("mail_app", "message_id"),
                condition=models.Q(mail_app__isnull=False) & ~models.Q(message_id=""),
                name="sendjob_vendor_message_id",
            ),
            models.Index(
                fields=("company", "channel", "created_at", "id"),
                condition=models.Q(mail_app__isnull=False, status__in=("sending", "sent", "failed", "unknown")),
                name="sendjob_vendor_log",
            ),
            models.Index(
                fields=("next_step_at",), condition=models.Q(next_step_at__isnull=False), name="sendjob_next_step"
            ),
            models.Index(fields=("run",), condition=models.Q(next_step_at__isnull=False), name="sendjob_followed"),
            models.Index(
                fields=("id",),
                condition=models.Q(step__gt=1, status__in=("planned", "draft", "approved")),
                name="sendjob_follow_ups",
            ),
            *(
                models.Index(
                    fields=(sender, moment),
                    condition=models.Q(**{f"{moment}__isnull": False}),
                    name=f"sendjob_{sender}_{moment}",
                )
                for sender in ("smtp", "mail_app")
                for moment in ("bounced_at", "complained_at")
            ),
            # Reports count many messages, and read no words: these two indexes spare reading the rows.
            models.Index(
                fields=("company", "created_at", "id"),
                include=(*COUNTED[1:], "created_by", "step"),
                name="sendjob_planned",
            ),
            models.Index(
                models.F("company"),
                HANDED_AT,
                include=(
                    *(*COUNTED, "opens_tracked", "clicks_tracked", "reason", "delivery_status", "bounced_at"),
                    *("recipient", "sending_at", "refused_at"),
                ),
                condition=models.Q(IsNull(HANDED_AT, False)),
                name="sendjob_handed_at",
            ),
            # Home counts what waits and what went out on each day; texts make the rows wide.
            models.Index(fields=("company", "run"), condition=models.Q(status="draft"), name="sendjob_draft"),
            models.Index(fields=("company", "sent_at"), condition=models.Q(status="sent"), name="sendjob_sent_at"),
            models.Index(
                fields=("company", "created_at", "id"),
                condition=models.Q(channel="smtp", status__in=("sending", "sent", "failed", "unknown")),
                name="sendjob_smtp_log",
            ),
            *CHAT_INDEXES,
        ]

    def __str__(self) -> str:
        return self.subject or self.dated_title()

    @property
    def sender(self) -> Sender | None:
        """Return its sender, of any kind."""
        sender: Sender | None = self.smtp if self.smtp_id else self.mail_app or self.chat_app
        return sender

    @property
    def sender_id(self) -> str | None:
        """The id of its sender."""
        id: str | None = self.smtp_id or self.mail_app_id or self.chat_app_id
        return id

    @property
    def address(self) -> str:
        """Return the present recipient: the contact's number, or e-mail address."""
        if self.channel in DIRECT:
            return self.recipient  # who writes in the conversation
        return (self.contact.contact_number if self.chat_app_id else self.contact.email) or ""

    @property
    def envelope(self) -> str:
        """Return its present recipient and sender; contact and sender are joined."""
        sender = self.sender
        name, address = (sender.from_name, sender.from_email) if sender else ("", "")
        return envelope_of(self.contact.name, self.address, name, address)

    @property
    def content_hash(self) -> str:
        """Return the hash of the message's content and files, and of its present recipient and sender."""
        return content_hash(self.envelope, self.subject, self.text, self.html, attachments=self.attachments)

    @property
    def is_as_approved(self) -> bool:
        """Return whether an approved message still has the recipient and sender of its approval."""
        if self.approved_envelope:
            return self.approved_envelope == self.envelope
        # Approved by a version that kept the address alone.
        return self.recipient in ("", self.address)

    def lapse(self, now: datetime) -> str:
        """Return why the approval of an approved message holds no longer, or "" if it holds."""
        if not self.is_as_approved:
            return "approval_outdated"
        return "approval_expired" if self.approval_ends_at is not None and self.approval_ends_at <= now else ""

    @classmethod
    def handle_freed(cls, rows: list[tuple[str, Any]], held: str, status: str) -> None:
        """Write the sweeper's transitions.

        A row is `failed` instead of `status` when too many workers died while holding it.
        """
        # Read again, since the sweeper decides row by row between `status` and failed.
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
        verbose_name = _("message step")
        verbose_name_plural = _("message steps")
        indexes = [models.Index(fields=("send_job", "created_at", "id"), name="sendjobtransition_job")]

    def __str__(self) -> str:
        return f"{code_label(self.to_status).capitalize()}, {day_text(self.created_at)}"
