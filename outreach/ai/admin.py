"""Back office pages of AI apps."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin
from outreach.ai.models import AiApp
from outreach.connected_apps.admin import write_only


class AiAppForm(BackOfficeForm):
    """An AI app, whose key can be written but not read."""

    new_api_key = write_only("New key")

    def save(self, commit: bool = True) -> AiApp:
        if self.cleaned_data.get("new_api_key"):
            self.instance.api_key = self.cleaned_data["new_api_key"]
        return super().save(commit)


@admin.register(AiApp)
class AiAppAdmin(CompanyRecordAdmin):
    """Configured AI providers."""

    icon = "auto_awesome"
    form = AiAppForm
    edits = ("name", "selected_model", "is_active", "new_api_key")
    extra = ("new_api_key",)
    hides = ("api_key",)
    list_display = ("name", "provider", "company", "selected_model", "is_active", "is_default", "created_at")
    list_filter = (BY_COMPANY, "provider", "is_active")
    search_fields = ("=id", "name", "provider")
