"""Back office page of secrets, without their values."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import CompanyRecordAdmin
from workflows.secrets.models import WorkflowSecret


@admin.register(WorkflowSecret)
class WorkflowSecretAdmin(CompanyRecordAdmin):
    """Secrets that workflows send along with their calls."""

    icon = "key"
    list_display = ("name", "company", "host", "last_used_at", "created_at")
    search_fields = ("name", "host")
