"""The back office page of charges."""

from __future__ import annotations

from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from billing.charges.models import Charge
from billing.ledger.columns import money_column
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.text.translation import gettext_lazy as _


@admin.register(Charge)
class ChargeAdmin(CompanyRecordAdmin):
    """Amounts that companies owe outside of their periods. A charge without an invoice is billed with the next one. It
    is given up when its subscription ended long ago."""

    icon = "request_quote"
    list_display = ("description", "company", "kind", "amount", "invoice", "given_up_at", "created_at")
    list_filter = (("kind", ChoicesDropdownFilter), ("given_up_at", admin.EmptyFieldListFilter), BY_COMPANY)
    search_fields = ("=id", "=source", "description", "company__name", "invoice__number")

    amount = money_column("amount_minor", _("amount"))
