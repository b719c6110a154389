from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower
from django.utils.crypto import get_random_string

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel
from core.text.translation import gettext_lazy as _

TOKEN_LENGTH = 26


def new_token() -> str:
    return get_random_string(TOKEN_LENGTH)


class ChatWidget(CompanyModel):
    """A chat on a company's website: its origins, its look, the members who answer, and the hours."""

    class Position(models.TextChoices):
        RIGHT = "right"
        LEFT = "left"

    name = models.CharField(max_length=200)
    token = models.CharField(
        max_length=32, default=new_token, unique=True, editable=False, help_text="Of its address; it is no secret."
    )
    is_active = models.BooleanField(default=True)
    allowed_origins = JSONField(default=list, blank=True, help_text="The websites that it works on.")
    color = models.CharField(max_length=7, default="#2f5bea")
    position = models.CharField(max_length=8, choices=Position, default=Position.RIGHT)
    greeting = models.CharField(max_length=500, blank=True, default="")
    texts = JSONField(default=dict, blank=True, help_text="Key of a text -> the company's own words.")
    pre_chat = JSONField(default=list, blank=True, help_text="What is asked first: key, label, type, required of each.")
    chatbot = CompanyForeignKey("outreach.ManualChatbot", on_delete=models.SET_NULL, null=True, related_name="+")
    offline_form = models.BooleanField(default=True, help_text="Outside of its hours people leave a message.")
    business_hours = JSONField(default=dict, blank=True, help_text="timezone, and days with from and to.")
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        verbose_name = _("website chat")
        constraints = [models.UniqueConstraint("company", Lower("name"), name="chatwidget_name_unique")]
        indexes = [models.Index(fields=("company", "created_at", "id"), name="chatwidget_newest")]

    def __str__(self) -> str:
        return self.name


class WidgetVisitor(CompanyModel):
    """Somebody who writes by a widget. A conversation has their id as its address; they are known by a signed token."""

    widget = CompanyForeignKey(ChatWidget, on_delete=models.CASCADE, related_name="visitors")
    name = models.CharField(max_length=200, blank=True, default="")
    email = models.CharField(max_length=254, blank=True, default="", help_text="As they say; nobody has checked it.")
    phone = models.CharField(max_length=20, blank=True, default="", help_text="E.164.")
    answers = JSONField(default=list, blank=True, help_text="label and value of what else was asked.")
    page = models.CharField(max_length=500, blank=True, default="", help_text="Where they began to write.")
    seen_at = models.DateTimeField(help_text="When they were last there, to the hour.")
    read_at = models.DateTimeField(null=True, help_text="Up to when they have read.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("website visitor")
        indexes = [
            models.Index(fields=("seen_at",), name="widgetvisitor_seen"),
            models.Index("company", Lower("email"), name="widgetvisitor_email"),
        ]

    def __str__(self) -> str:
        return self.name or self.email or self.dated_title()
