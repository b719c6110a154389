"""Back office page of the mails that members write to one person."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import CompanyRecordAdmin
from core.text.translation import gettext_lazy as _
from outreach.messaging.personal_mail.models import PersonalMail


@admin.register(PersonalMail)
class PersonalMailAdmin(CompanyRecordAdmin):
    """Members' drafts and mails to one person, read-only."""

    icon = "edit_note"
    list_display = ("__str__", "company", "contact", "created_by", "send_at", "updated_at")
    search_fields = ("=id", "=contact__id", "=send_job__id")
    search_help_text = _("Id of the email, the contact or the message")
