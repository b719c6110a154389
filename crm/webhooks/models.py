from __future__ import annotations

from urllib.parse import urlsplit

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, EncryptedTextField, JSONField, ObjectIdField
from core.jobs.models import ClaimPolicy
from core.models import CompanyModel, CompanyWork
from core.tenancy.models import SeenByMember
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _


class Webhook(CompanyModel):
    """An address of a company's own that receives events."""

    seen_by = SeenByMember("false")

    class Status(models.TextChoices):
        ENABLED = "enabled"
        PAUSED = "paused"
        DISABLED = "disabled"

    class Payload(models.TextChoices):
        FULL = "full"
        THIN = "thin"

    class Ordering(models.TextChoices):
        OBJECT = "object"
        NONE = "none"

    class DisabledReason(models.TextChoices):
        MEMBER = "member", "a member disabled it"
        GONE = "gone", "the address answered 410"
        FAILING = "failing", "nothing was delivered for 72 hours"

    url = models.CharField(max_length=2000)
    description = models.CharField(max_length=200, blank=True, default="")
    kinds = JSONField(default=list, help_text="Kinds of events, contact.* or *.")
    filter = JSONField(null=True, blank=True, help_text="The tree of conditions on the record of an event.")
    fields = JSONField(default=list, help_text="Of an update, one of these fields must have changed.")
    payload = models.CharField(max_length=4, choices=Payload, default=Payload.FULL)
    ordering = models.CharField(max_length=6, choices=Ordering, default=Ordering.OBJECT)
    status = models.CharField(max_length=8, choices=Status, default=Status.ENABLED)
    disabled_reason = models.CharField(max_length=8, choices=DisabledReason, blank=True, default="")
    secret = EncryptedTextField()
    former_secret = EncryptedTextField(blank=True, default="")
    former_secret_until = models.DateTimeField(null=True, blank=True)
    headers = EncryptedTextField(blank=True, default="", bound_to=("url",), help_text="JSON: header -> value.")
    header_names = JSONField(default=list)
    failures = models.PositiveIntegerField(default=0, editable=False, help_text="Attempts in a row that failed.")
    failing_since = models.DateTimeField(null=True, editable=False)
    retry_at = models.DateTimeField(null=True, editable=False, help_text="When one delivery is tried for all.")
    notice_count = models.PositiveSmallIntegerField(
        default=0, editable=False, db_column="told", help_text="Notices about these failures."
    )
    last_success_at = models.DateTimeField(null=True, editable=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        indexes = [models.Index(fields=("company", "-created_at", "id"), name="webhook_newest")]

    def __str__(self) -> str:
        return self.description or self.host

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


class WebhookDelivery(CompanyWork):
    """The delivery of an event to a webhook, with its result."""

    seen_by = SeenByMember("false", checked=False)

    class Status(models.TextChoices):
        PENDING = "pending"
        SENDING = "sending"
        DELIVERED = "delivered"
        FAILED = "failed"

    # A receiver knows a repeated delivery by its webhook-id, so one that a dead worker held is sent again.
    claim_policy = ClaimPolicy(ready="pending", claimed="sending", orphans={"sending": "pending"})

    webhook = CompanyForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    event_id = ObjectIdField()
    kind = models.CharField(max_length=64)
    object_id = ObjectIdField()
    sequence = models.BigIntegerField()
    object_sequence = models.PositiveIntegerField()
    body = models.TextField()
    status = models.CharField(max_length=9, choices=Status, default=Status.PENDING)
    manual = models.BooleanField(default=False, help_text="A member asked for it; no sign of how the webhook does.")
    tried_at = models.DateTimeField(null=True)
    milliseconds = models.PositiveIntegerField(null=True)
    response_status = models.PositiveSmallIntegerField(null=True)
    response_body = models.TextField(blank=True, default="", help_text="How the answer begins.")

    class Meta(CompanyWork.Meta):
        verbose_name_plural = _("webhook deliveries")
        constraints = [models.UniqueConstraint(fields=("webhook", "event_id"), name="webhookdelivery_once")]
        indexes = [
            models.Index(fields=("webhook", "due_at", "sequence"), condition=Q(status="pending"), name="webhookd_due"),
            models.Index(
                fields=("webhook", "object_id", "object_sequence"),
                condition=Q(status__in=("pending", "sending")),
                name="webhookd_object",
            ),
            models.Index(fields=("status",), condition=Q(status="sending"), name="webhookd_sending"),
            models.Index(fields=("company", "webhook", "-created_at", "id"), name="webhookd_newest"),
            models.Index(fields=("company", "object_id"), name="webhookd_person"),
        ]

    def __str__(self) -> str:
        return code_label(self.kind)

    @property
    def message_id(self) -> str:
        """The id by which the receiver knows the delivery when it comes again."""
        return f"{self.event_id}-{self.webhook_id}"
