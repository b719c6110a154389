"""Back office pages of OCR apps and scans."""

from __future__ import annotations

from django import forms
from django.contrib import admin
from django.utils.safestring import SafeString

from core.backoffice.admin import BY_COMPANY, BackOfficeForm, CompanyRecordAdmin
from core.jobs.progress import ProgressMixin, progress_bar
from core.text.translation import gettext_lazy as _
from outreach.connections.connected_apps.admin import write_only
from outreach.connections.ocr.models import CardScan, Ocr


class OcrForm(BackOfficeForm):
    """An OCR app, whose key can be written but not read."""

    new_key: forms.CharField = write_only(_("New API key"))

    def save(self, commit: bool = True) -> Ocr:
        if self.cleaned_data.get("new_key"):
            self.instance.key = self.cleaned_data["new_key"]
            self.instance.key_hint = self.instance.key[-4:] if len(self.instance.key) >= 12 else ""
        app: Ocr = super().save(commit)
        return app


@admin.register(Ocr)
class OcrAdmin(CompanyRecordAdmin):
    """Connected readers of pictures."""

    icon = "document_scanner"
    form = OcrForm
    edits = ("confidence", "is_active", "new_key")
    extra = ("new_key",)
    hides = ("key",)
    list_display = ("name", "company", "confidence", "is_active", "is_default", "last_error", "created_at")
    list_filter = (BY_COMPANY, "name", "is_active")
    search_fields = ("=id", "name")


@admin.register(CardScan)
class CardScanAdmin(ProgressMixin, CompanyRecordAdmin):
    """Scans of business cards, without their text."""

    icon = "contact_page"
    list_display = ("__str__", "company", "status", "progress", "created_at", "finished_at")
    list_filter = (BY_COMPANY, "status")
    search_fields = ("=id",)
    hides = ("worker", "lease", "lines", "fields", "form_data")

    @admin.display(description=_("progress"))
    def progress(self, scan: CardScan) -> SafeString:
        return progress_bar(scan)
