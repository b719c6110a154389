"""The back office page of the books, to read only."""

from __future__ import annotations

from django.contrib import admin

from billing.ledger.models import Posting
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin


@admin.register(Posting)
class PostingAdmin(CompanyRecordAdmin):
    """The books, line by line. Nobody changes them."""

    icon = "menu_book"
    list_display = ("created_at", "company", "tx", "account", "amount_minor", "currency")
    list_filter = (BY_COMPANY, "currency")
    search_fields = ("=id", "=tx", "=account", "=about")
