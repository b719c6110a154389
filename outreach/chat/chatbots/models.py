from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

FILE_MB = 10
DEFINITION = ("name", "kind", "conversations", "keywords", "handover", "routing", "attachments")
"""Fields that are published together."""


def default_handover() -> JsonObject:
    return {"mode": "any", "rules": []}


def default_routing() -> JsonObject:
    return {"label": "", "allowLeave": True, "allowEnter": True}


def default_attachments() -> JsonObject:
    return {"custom": False, "maxFileSizeMb": FILE_MB}


class ManualChatbot(CompanyModel):
    """A chatbot with fixed texts: it sends one text after each message, until it hands over."""

    class Kind(models.TextChoices):
        FLOW = "flow"
        ROUTER = "router"

    class Status(models.TextChoices):
        DRAFT = "draft"
        PUBLISHED = "published"
        PAUSED = "paused"

    name = models.CharField(max_length=200)
    normalized_name = models.CharField(max_length=200, editable=False, help_text="In small letters, one blank between.")
    active_name = models.CharField(max_length=200, blank=True, default="", help_text="As it was published.")
    description = models.TextField(blank=True, default="")
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.FLOW)
    status = models.CharField(max_length=12, choices=Status, default=Status.DRAFT)
    published_version = models.PositiveIntegerField(default=0)
    latest_version = models.PositiveIntegerField(default=1)
    published_snapshot = JSONField(null=True, help_text="What is said, until it is published anew.")
    published_at = models.DateTimeField(null=True)
    conversations = JSONField(default=list, blank=True, help_text="text and order of each.")
    keywords = JSONField(default=list, blank=True, help_text="keyword, weight and rank of each.")
    handover = JSONField(default=default_handover, blank=True, help_text="mode and rules.")
    routing = JSONField(default=default_routing, blank=True, help_text="label, allowLeave, allowEnter.")
    attachments = JSONField(default=default_attachments, blank=True, help_text="custom, maxFileSizeMb.")
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        verbose_name = _("chatbot")
        constraints = [models.UniqueConstraint(fields=("company", "normalized_name"), name="manualchatbot_name_unique")]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="manualchatbot_newest"),
            models.Index(fields=("company", "id"), condition=Q(status="published"), name="manualchatbot_published"),
        ]

    def __str__(self) -> str:
        return self.name
