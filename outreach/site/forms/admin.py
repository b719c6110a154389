"""Back office pages of forms."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.references import register_event_kind
from outreach.site.forms.models import Form, FormLead


@admin.register(Form)
class FormAdmin(CompanyRecordAdmin):
    """Companies' forms."""

    icon = "dynamic_form"
    finds = True
    hides = ("worker", "lease")
    list_display = ("name", "company", "source", "state", "last_lead_at", "error", "created_at")
    list_filter = (BY_COMPANY, "source", "state")
    search_fields = ("=id", "name", "=token", "=form_id")


@admin.register(FormLead)
class FormLeadAdmin(CompanyRecordAdmin):
    """Submissions of forms, with their results."""

    icon = "contact_mail"
    hides = ("worker", "lease", "answers", "consents", "origin")
    list_display = ("__str__", "form", "company", "state", "reason", "error", "created_at")
    list_filter = (BY_COMPANY, "state", "reason")
    search_fields = ("=id", "=leadgen_id")


register_event_kind(Form, "form")
