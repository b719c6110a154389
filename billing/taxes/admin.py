"""Back office pages of tax rates and of companies' billing details."""

from __future__ import annotations

from django.contrib import admin

from billing.taxes.models import BillingDetails, TaxRate
from core.backoffice.admin import BackOfficeAdmin, BackOfficeForm, CompanyRecordAdmin
from core.text.translation import gettext_lazy as _


class TaxRateForm(BackOfficeForm):
    """A rate, whose country is a code in capitals."""

    def clean_country(self) -> str:
        return str(self.cleaned_data["country"]).strip().upper()


@admin.register(TaxRate)
class TaxRateAdmin(BackOfficeAdmin):
    """The tax rates of countries. The rate of an order depends on the countries of seller and buyer.

    Buyers in the seller's country pay the seller's rate. Companies in other EU countries with a VAT id pay none
    (reverse charge). Consumers there pay the seller's rate, or their own country's with the seller's one stop shop.
    Buyers elsewhere pay their country's rate if there is one here. A change of law is a new rate, valid from its date.
    """

    icon = "percent"
    form = TaxRateForm
    adds = True
    edits = ("name", "country", "percent", "valid_from", "valid_until")
    list_display = ("name", "country", "percent", "valid_from", "valid_until")
    list_filter = ("country",)
    search_fields = ("=id", "name", "country")
    ordering = ("country", "-valid_from")


@admin.register(BillingDetails)
class BillingDetailsAdmin(CompanyRecordAdmin):
    """The recipients of the companies' invoices."""

    icon = "contact_mail"
    edits = ("name", "address", "country", "vat_id", "email")
    list_display = ("name", "company", "country", "vat_id", "vies", "email")
    search_fields = ("=id", "name", "vat_id", "email")

    @admin.display(description=_("VAT number"))
    def vies(self, row: BillingDetails) -> str:
        if not row.vat_evidence:
            return "–"
        validity = str(row.vat_evidence.get("isValid", row.vat_evidence.get("valid", "")))
        text = _("Valid on %(day)s") if validity == "True" else _("Not valid on %(day)s")
        return text % {"day": row.vat_evidence.get("at", "")[:10]}
