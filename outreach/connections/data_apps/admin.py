"""Back office pages of data apps."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin
from core.text.translation import gettext_lazy as _
from outreach.connections.connected_apps.admin import write_only
from outreach.connections.data_apps.models import DataApp


class DataAppForm(BackOfficeForm):
    """A data app, whose key can be written but not read."""

    new_api_key = write_only(_("New API key"))

    def save(self, commit: bool = True) -> DataApp:
        if self.cleaned_data.get("new_api_key"):
            self.instance.api_key = self.cleaned_data["new_api_key"]
        app: DataApp = super().save(commit)
        return app


@admin.register(DataApp)
class DataAppAdmin(CompanyRecordAdmin):
    """Lead sources and enrichment apps."""

    icon = "database"
    form = DataAppForm
    edits = ("name", "is_active", "timeout_seconds", "new_api_key")
    extra = ("new_api_key",)
    hides = ("api_key",)
    list_display = ("name", "kind", "company", "url", "is_active", "last_error_at", "created_at")
    list_filter = (BY_COMPANY, "kind", "is_active")
    search_fields = ("=id", "name", "url")
