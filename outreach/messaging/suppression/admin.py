"""Back office pages of the suppression list."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.jobs.progress import ProgressMixin, progress_bar
from core.tenancy import company_scope
from core.text.translation import gettext_lazy as _
from outreach.messaging.suppression.models import Suppression, SuppressionImport
from outreach.messaging.suppression.services import delete_suppressions


@admin.register(Suppression)
class SuppressionAdmin(CompanyRecordAdmin):
    """Addresses that are never written to. People who unsubscribed or complained stay on the list."""

    icon = "block"
    finds = True
    deletes = True
    list_display = ("email", "reason", "company", "source", "created_at")
    list_filter = (("reason", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "email")

    def has_delete_permission(self, request: HttpRequest, obj: Suppression | None = None) -> bool:
        kept = (Suppression.Reason.UNSUBSCRIBED, Suppression.Reason.COMPLAINED)
        return super().has_delete_permission(request, obj) and (obj is None or obj.reason not in kept)

    def delete_model(self, request: HttpRequest, obj: Suppression) -> None:
        with company_scope(obj.company_id):
            delete_suppressions(ids=[obj.pk])


@admin.register(SuppressionImport)
class SuppressionImportAdmin(ProgressMixin, CompanyRecordAdmin):
    """Imports of addresses and their progress."""

    icon = "playlist_add"
    list_display = ("__str__", "company", "status", "progress", "created_at", "finished_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id",)
    hides = ("worker", "lease")

    @admin.display(description=_("progress"))
    def progress(self, job: SuppressionImport) -> SafeString:
        return progress_bar(job, {name: getattr(job, name) for name in ("added", "listed", "failed")})
