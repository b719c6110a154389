from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, EncryptedTextField, JSONField
from core.models import ClaimPolicy, CompanyModel, CompanyWork
from core.text.translation import gettext_lazy as _


class ImapMailbox(CompanyWork):
    """A mailbox that replies to a sender come to. Workers read it every minute; they change nothing in it."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        READING = "reading"
        FAILED = "failed"

    # Reading changes nothing in the mailbox, so a dead worker's claim is simply read again.
    claim_policy = ClaimPolicy(ready="waiting", claimed="reading", orphans={"reading": "waiting"})

    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING, editable=False)
    smtp = CompanyForeignKey("outreach.Smtp", on_delete=models.CASCADE, related_name="mailboxes", db_index=False)
    host = models.CharField(max_length=255)
    port = models.PositiveIntegerField(default=993, validators=[MinValueValidator(1), MaxValueValidator(65535)])
    username = models.CharField(max_length=255)
    # With another host or user the stored password cannot be read: nobody can send it to a server of their
    # own.
    password = EncryptedTextField(bound_to=("host", "port", "username", "secure"))
    secure = models.BooleanField(default=True)
    folders = JSONField(default=list, help_text="Names of the folders that are read.")
    verified = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    positions = JSONField(
        default=dict, editable=False, help_text="Folder -> uidValidity and lastUid: how far it has been read."
    )
    last_polled_at = models.DateTimeField(null=True, editable=False)
    last_error = models.TextField(blank=True, default="", editable=False)
    last_error_at = models.DateTimeField(null=True, editable=False)
    failures = models.PositiveSmallIntegerField(default=0, editable=False, help_text="Readings in a row that failed.")
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyWork.Meta):
        verbose_name = _("mailbox")
        verbose_name_plural = _("mailboxes")
        constraints = [models.UniqueConstraint(fields=("company", "smtp"), name="imapmailbox_once")]
        indexes = [
            models.Index(fields=("due_at",), condition=Q(status="waiting", is_active=True), name="imapmailbox_due"),
            models.Index(fields=("status",), condition=Q(status="reading"), name="imapmailbox_held"),
        ]

    def __str__(self) -> str:
        return f"{self.username} at {self.host}"


class InboundMessage(CompanyModel):
    """A received mail that belongs to a message, a contact or a meeting of the company. Others are not kept."""

    class Kind(models.TextChoices):
        REPLY = "reply"
        AUTO = "auto"
        BOUNCE = "bounce"
        COMPLAINT = "complaint"
        CALENDAR = "calendar"

    class Severity(models.TextChoices):
        HARD = "hard"
        SOFT = "soft"
        BLOCKED = "blocked"
        DELAYED = "delayed"

    kind = models.CharField(max_length=9, choices=Kind)
    mailbox = CompanyForeignKey(
        ImapMailbox, on_delete=models.SET_NULL, null=True, related_name="messages", db_index=False
    )
    smtp = CompanyForeignKey("outreach.Smtp", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    folder = models.CharField(max_length=255, blank=True, default="")
    uid_validity = models.BigIntegerField()
    uid = models.BigIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of its Message-ID, or of the mail if it has none.")
    message_id = models.CharField(max_length=500, blank=True, default="")
    from_email = models.CharField(max_length=320, blank=True, default="")
    from_name = models.CharField(max_length=300, blank=True, default="")
    subject = models.CharField(max_length=998, blank=True, default="")
    text = models.TextField(blank=True, default="", help_text="What is new in it.")
    quoted = models.TextField(blank=True, default="", help_text="What it quotes, and its signature.")
    send_job = CompanyForeignKey(
        "outreach.SendJob", on_delete=models.SET_NULL, null=True, related_name="answers", db_index=False
    )
    run = CompanyForeignKey(
        "outreach.GenieScheduler", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    contact = CompanyForeignKey("crm.Contact", on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    meeting = CompanyForeignKey("crm.Meeting", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    matched_by = models.CharField(max_length=16, blank=True, default="", help_text="How it was matched with a message.")
    unsubscribes = models.BooleanField(default=False, help_text="Whether it says nothing but stop.")
    severity = models.CharField(max_length=8, choices=Severity, blank=True, default="")
    recipient = models.CharField(max_length=254, blank=True, default="", help_text="Whom a report is about.")
    status_code = models.CharField(max_length=16, blank=True, default="")
    diagnostic = models.CharField(max_length=1000, blank=True, default="", help_text="What the server said.")
    answer = models.CharField(max_length=12, blank=True, default="", help_text="To an invitation, such as accepted.")
    received_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta(CompanyModel.Meta):
        verbose_name = _("received email")
        # The place finds a mail that was read before; the digest finds it again after its folder got new
        # UIDs.
        constraints = [
            models.UniqueConstraint(
                fields=("company", "mailbox", "folder", "uid_validity", "uid"), name="inboundmessage_place"
            ),
            models.UniqueConstraint(fields=("company", "digest"), name="inboundmessage_once"),
        ]
        indexes = [
            models.Index(fields=("company", "received_at", "id"), name="inboundmessage_newest"),
            models.Index(
                fields=("company", "received_at", "id"),
                condition=Q(kind="reply", read_at__isnull=True),
                name="inboundmessage_unread",
            ),
            models.Index(fields=("run", "created_at"), condition=Q(run__isnull=False), name="inboundmessage_run"),
            models.Index(fields=("contact",), condition=Q(contact__isnull=False), name="inboundmessage_contact"),
            models.Index(fields=("send_job",), condition=Q(send_job__isnull=False), name="inboundmessage_job"),
            models.Index(
                fields=("company", "recipient", "received_at"), condition=Q(kind="bounce"), name="inboundmessage_soft"
            ),
        ]

    def __str__(self) -> str:
        return self.subject or self.from_email or self.dated_title()
