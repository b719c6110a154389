"""Back office pages of tax rates and of companies' billing details."""

from __future__ import annotations

from django.contrib import admin

from billing.taxes.models import BillingDetails, TaxRate
from core.backoffice.admin import BackOfficeAdmin, BackOfficeForm, CompanyRecordAdmin


class TaxRateForm(BackOfficeForm):
    """A rate, whose country is a code in capitals."""

    def clean_country(self) -> str:
        return str(self.cleaned_data["country"]).strip().upper()


@admin.register(TaxRate)
class TaxRateAdmin(BackOfficeAdmin):
    """The tax rates of countries. Which one an order has depends on where seller and buyer are: the seller's own for
    buyers in the same country, none for companies of other countries of the EU with a VAT id (reverse charge), and for
    consumers there the seller's, or their own country's with the seller's one stop shop. Buyers elsewhere pay a rate of
    their country if there is one here. A change of law is a new rate, from its day on."""

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
    """Whom the companies' invoices are made out to."""

    icon = "contact_mail"
    edits = ("name", "address", "country", "vat_id", "email")
    list_display = ("name", "company", "country", "vat_id", "vies", "email")
    search_fields = ("=id", "name", "vat_id", "email")

    @admin.display(description="VIES says")
    def vies(self, row: BillingDetails) -> str:
        if not row.vat_evidence:
            return "–"
        said = str(row.vat_evidence.get("isValid", row.vat_evidence.get("valid", "")))
        return f"{'valid' if said == 'True' else 'not valid'}, {row.vat_evidence.get('at', '')[:10]}"
