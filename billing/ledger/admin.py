"""The back office page of the books, to read only."""

from __future__ import annotations

from django.contrib import admin

from billing.ledger.columns import money_column
from billing.ledger.models import Posting
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.text.translation import gettext_lazy as _


@admin.register(Posting)
class PostingAdmin(CompanyRecordAdmin):
    """The books, line by line. They are read only."""

    icon = "menu_book"
    operators_only = True
    list_display = ("__str__", "created_at", "company", "tx", "account", "shown_amount")
    list_filter = (BY_COMPANY, "currency")
    search_fields = ("=id", "=tx", "=account", "=about")
    extra = ("shown_amount",)
    hides = ("amount_minor", "currency")

    shown_amount = money_column("amount_minor", _("amount"), sorts=True)
