"""Back office page of the answers that are kept for repeated requests."""

from __future__ import annotations

from django.contrib import admin
from unfold.contrib.filters.admin import RangeNumericFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.idempotency.models import IdempotencyKey
from core.text.translation import gettext_lazy as _


@admin.register(IdempotencyKey)
class IdempotencyKeyAdmin(CompanyRecordAdmin):
    """Requests that programs may repeat without a second effect, of the last day."""

    icon = "repeat"
    operators_only = True
    list_display = ("__str__", "created_at", "company", "operation", "key", "status", "caller")
    list_filter = (BY_COMPANY, ("status", RangeNumericFilter))
    search_fields = ("=id", "=key", "=caller")
    search_help_text = _("Key, or id of the sender")
