"""Back office pages of invoices and of who sells."""

from __future__ import annotations

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from billing.invoices.models import CreditNote, Invoice, InvoiceLine, InvoiceSeries, Seller
from billing.ledger.columns import money_column
from billing.ledger.money import sum_text
from billing.revenue.page import sections
from core.backoffice.admin import BY_COMPANY, BackOfficeAdmin, CompanyRecordAdmin
from core.backoffice.panels import ROWS, register_panel, render_table
from core.text.translation import gettext_lazy as _


@admin.register(Seller)
class SellerAdmin(BackOfficeAdmin):
    """The seller: details on invoices and for bank transfers. There is one."""

    icon = "storefront"
    adds = True
    edits = ("name", "address", "country", "vat_id", "oss", "email", "timezone", "bank_instructions")
    list_display = ("name", "country", "vat_id", "email")
    search_fields = ("=id", "name")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and not Seller.objects.exists()


@admin.register(Invoice)
class InvoiceAdmin(CompanyRecordAdmin):
    """Invoices. Once issued they stay as they are; a credit note takes a part back."""

    icon = "receipt_long"
    finds = True
    list_display = ("__str__", "company", "status", "kind", "total", "issued_on", "paid_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "number", "company__name")
    list_before_template = "admin/invoices_before.html"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.revenue_view)
        return [path("revenue/", view, name="billing_invoice_revenue"), *super().get_urls()]

    def revenue_view(self, request: HttpRequest) -> HttpResponse:
        """Show the operator's revenue."""
        if not (request.user.has_perm("billing.view_invoice") and request.user.has_perm("billing.view_posting")):
            raise PermissionDenied
        context = {**self.admin_site.each_context(request), "title": _("Revenue"), "sections": sections()}
        return TemplateResponse(request, "admin/revenue.html", context)

    total = money_column("total_minor", _("total"))


@admin.register(InvoiceLine)
class InvoiceLineAdmin(CompanyRecordAdmin):
    """Lines of invoices."""

    icon = "list"
    operators_only = True
    list_display = ("text", "company", "invoice", "quantity", "amount", "tax")
    search_fields = ("=id", "text", "invoice__number")
    extra = ("unit", "amount", "discount", "tax")
    hides = ("unit_minor", "amount_minor", "discount_minor", "tax_minor")

    unit = money_column("unit_minor", _("Price of a unit"), currency="invoice.currency", sorts=True)

    amount = money_column("amount_minor", _("amount"), currency="invoice.currency", sorts=True)

    discount = money_column("discount_minor", _("discount"), currency="invoice.currency", sorts=True)

    tax = money_column("tax_minor", _("tax"), currency="invoice.currency", sorts=True)


@admin.register(CreditNote)
class CreditNoteAdmin(CompanyRecordAdmin):
    """Credit notes of invoices."""

    icon = "assignment_return"
    list_display = ("number", "company", "invoice", "shown_amount", "reason", "issued_on")
    search_fields = ("=id", "number", "invoice__number")
    extra = ("shown_amount",)
    hides = ("amount_minor",)

    shown_amount = money_column("amount_minor", _("amount"), sorts=True)


@admin.register(InvoiceSeries)
class InvoiceSeriesAdmin(BackOfficeAdmin):
    """The last number of each series."""

    icon = "pin"
    operators_only = True
    list_display = ("name", "last")
    search_fields = ("name",)
    ordering = ("name",)


@register_panel(Invoice, _("Lines"), permission="billing.view_invoice")
def _lines(invoice: Invoice) -> SafeString:
    rows = InvoiceLine.objects.filter(invoice=invoice).order_by("position")[:ROWS]
    sums = [(row, (row.amount_minor, row.discount_minor, row.tax_minor)) for row in rows]
    cells = [(row.text, row.quantity, *(sum_text(amount, invoice.currency) for amount in of)) for row, of in sums]
    return render_table((_("Item"), _("Quantity"), _("Amount"), _("Discount"), _("Tax")), cells)
