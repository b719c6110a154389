"""Back office pages of events of mail vendors."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import CompanyRecordAdmin
from core.text.translation import gettext_lazy as _
from outreach.messaging.mail_events.models import MailEvent, MailHookToken


@admin.register(MailEvent)
class MailEventAdmin(CompanyRecordAdmin):
    """Events of messages reported by mail vendors."""

    icon = "webhook"
    operators_only = True
    hides = ("raw", "dedupe_key")
    list_display = ("__str__", "app", "company", "happened_at", "applied_at", "send_job")
    search_fields = ("=id", "=recipient", "=send_job__id")
    search_help_text = _("Id of the event or message, or email address")


@admin.register(MailHookToken)
class MailHookTokenAdmin(CompanyRecordAdmin):
    """Signed tokens of webhooks that have come, for two days: each vouches for the events that it came with first."""

    icon = "token"
    operators_only = True
    hides = ("token_hash", "content_hash")
    list_display = ("__str__", "app", "company", "created_at")
    search_fields = ("=id",)
