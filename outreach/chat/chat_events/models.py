from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _


class ChatEvent(CompanyModel):
    """An event of the chat vendor's webhook. A worker applies it, once."""

    class Kind(models.TextChoices):
        MESSAGE = "message"
        STATUS = "status"
        TEMPLATE = "template"

    app = CompanyForeignKey("outreach.ChatApp", on_delete=models.CASCADE, related_name="events", db_index=False)
    dedupe_key = models.CharField(max_length=64)
    kind = models.CharField(max_length=12, choices=Kind)
    phone = models.CharField(
        max_length=20, blank=True, default="", help_text="Whom it is about, as E.164, or by the vendor's id."
    )
    happened_at = models.DateTimeField()
    data = JSONField(default=dict, help_text="What it tells; emptied a week after it was applied.")
    applied_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=500, blank=True, default="", help_text="Why it could not be applied.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("chat platform report")
        verbose_name_plural = _("chat platform reports")
        constraints = [models.UniqueConstraint(fields=("company", "app", "dedupe_key"), name="chatevent_once")]
        indexes = [
            models.Index(fields=("created_at", "id"), condition=Q(applied_at=None), name="chatevent_waiting"),
            models.Index(fields=("company", "phone"), name="chatevent_phone"),
            models.Index(fields=("created_at",), name="chatevent_age"),
        ]

    def __str__(self) -> str:
        return f"{code_label(self.kind).capitalize()} {self.phone}".strip()
