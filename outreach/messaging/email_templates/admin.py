"""Back office pages of templates of mails."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import CompanyRecordAdmin
from outreach.messaging.email_templates.models import EmailTemplate, EmailTemplateVersion


@admin.register(EmailTemplate)
class EmailTemplateAdmin(CompanyRecordAdmin):
    """Templates of mails."""

    icon = "draft"
    finds = True
    list_display = ("name", "company", "category", "subject", "created_at")
    search_fields = ("=id", "name", "subject")


@admin.register(EmailTemplateVersion)
class EmailTemplateVersionAdmin(CompanyRecordAdmin):
    """Earlier versions of templates."""

    icon = "history"
    title_needs = ("template",)
    list_select_related = ("company", "template", "created_by__user")
    list_display = ("template", "company", "number", "subject", "created_by", "created_at")
    search_fields = ("=id", "=template__id", "subject")
