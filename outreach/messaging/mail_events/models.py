from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _


class MailEvent(CompanyModel):
    """An event of a mail vendor's webhook. A worker applies it to its message, once."""

    app = CompanyForeignKey("outreach.MailApp", on_delete=models.CASCADE, related_name="events", db_index=False)
    dedupe_key = models.CharField(max_length=64)
    kind = models.CharField(max_length=24, help_text="delivered, bounced, …; confirm: a subscription to be confirmed.")
    hard = models.BooleanField(default=False, help_text="Of a bounce: for good.")
    job = models.CharField(max_length=24, blank=True, default="", help_text="The message's id, as it brings it back.")
    provider_message_id = models.CharField(max_length=200, blank=True, default="")
    message_id = models.CharField(max_length=320, blank=True, default="", help_text="Message-ID header, if it has it.")
    recipient = models.CharField(max_length=320, blank=True, default="")
    happened_at = models.DateTimeField()
    detail = models.TextField(blank=True, default="", help_text="What the vendor says of it.")
    raw = JSONField(default=dict, blank=True, help_text="As it came; emptied after a week.")
    applied_at = models.DateTimeField(null=True)
    send_job = CompanyForeignKey(
        "outreach.SendJob", on_delete=models.SET_NULL, null=True, related_name="+", help_text="The message it is of."
    )

    class Meta(CompanyModel.Meta):
        verbose_name = _("mail vendor report")
        verbose_name_plural = _("mail vendor reports")
        # Vendors deliver at least once, so repetitions end here and not in the code.
        constraints = [models.UniqueConstraint(fields=("app", "dedupe_key"), name="mailevent_once")]
        indexes = [
            models.Index(fields=("created_at", "id"), condition=Q(applied_at=None), name="mailevent_waiting"),
            models.Index(fields=("company", "recipient"), name="mailevent_recipient"),
            models.Index(fields=("created_at",), name="mailevent_age"),
        ]

    def __str__(self) -> str:
        return f"{code_label(self.kind).capitalize()} {self.recipient}".strip()


class MailHookToken(CompanyModel):
    """The token of a webhook whose signature covers the token and not the events: it vouches for one content."""

    app = CompanyForeignKey("outreach.MailApp", on_delete=models.CASCADE, related_name="+", db_index=False)
    token_hash = models.CharField(max_length=64)
    content_hash = models.CharField(max_length=64)

    class Meta(CompanyModel.Meta):
        verbose_name = _("webhook token")
        verbose_name_plural = _("webhook tokens")
        constraints = [models.UniqueConstraint(fields=("app", "token_hash"), name="mailhooktoken_once")]
        indexes = [models.Index(fields=("created_at",), name="mailhooktoken_age")]

    def __str__(self) -> str:
        return f"Token of {self.app}"
