"""Endpoints of invoices and credit notes. A lapsed company reads them too."""

from __future__ import annotations

from django.http import HttpResponse
from rest_framework.decorators import action
from rest_framework.request import Request

from billing.checkout import filters
from billing.checkout.order_serializers import CreditNoteOut, InvoiceFull, InvoiceOut
from billing.checkout.selectors import lines_of, visible_invoices
from billing.invoices.models import CreditNote, Invoice
from billing.invoices.pdf import credit_note_pdf, invoice_pdf
from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError


def download(number: str, content: bytes) -> HttpResponse:
    """Return a PDF, named by its number."""
    answer = HttpResponse(content, content_type="application/pdf")
    answer["Content-Disposition"] = f'attachment; filename="{number}.pdf"'
    return answer


class InvoiceViewSet(ResourceViewSet):
    module = "plan"
    listing = Listing(
        "List invoices",
        visible_invoices,
        filters.INVOICE_FIELDS,
        InvoiceOut,
        needs_subscription=False,
        description="The draft of an open order among them. Open without a subscription.",
    )

    @endpoint("Read an invoice", output=InvoiceFull, errors=("NotFound_404",), needs_subscription=False)
    def retrieve(self, request: Request, id: str) -> object:
        invoice = self._get_invoice(id)
        data = InvoiceFull.one(Invoice.objects.filter(pk=id)) or {}
        basis = invoice.tax_basis
        tax_texts = {"taxRule": basis.get("rule", ""), "taxNote": basis.get("note", "")}
        return {**data, **tax_texts, "lines": lines_of(invoice)}

    @action(detail=True)
    @endpoint(
        "Download an invoice as PDF",
        raw="application/pdf",
        errors=("NotFound_404", "InvoiceNotGenerated_400"),
        needs_subscription=False,
        description="A draft has none.",
    )
    def pdf(self, request: Request, id: str) -> object:
        invoice = self._get_invoice(id)
        if invoice.number is None:
            raise NamedError("InvoiceNotGenerated_400", "the order has not been paid yet")
        return download(invoice.number, invoice_pdf(invoice))

    def _get_invoice(self, id: str) -> Invoice:
        invoice: Invoice | None = Invoice.objects.filter(pk=id).first()
        if invoice is None:
            raise NamedError("NotFound_404", "there is no such invoice", field="id")
        return invoice


class CreditNoteViewSet(ResourceViewSet):
    module = "plan"
    listing = Listing(
        "List credit notes",
        CreditNote.objects.all,
        filters.CREDIT_NOTE_FIELDS,
        CreditNoteOut,
        needs_subscription=False,
        description="What was taken back of invoices, in part or whole. Open without a subscription.",
    )

    @endpoint("Read a credit note", output=CreditNoteOut, errors=("NotFound_404",), needs_subscription=False)
    def retrieve(self, request: Request, id: str) -> object:
        return CreditNoteOut.one(CreditNote.objects.filter(pk=self._get_credit_note(id).pk))

    @action(detail=True)
    @endpoint(
        "Download a credit note as PDF", raw="application/pdf", errors=("NotFound_404",), needs_subscription=False
    )
    def pdf(self, request: Request, id: str) -> object:
        note = self._get_credit_note(id)
        return download(note.number, credit_note_pdf(note))

    def _get_credit_note(self, id: str) -> CreditNote:
        note: CreditNote | None = CreditNote.objects.select_related("invoice").filter(pk=id).first()
        if note is None:
            raise NamedError("NotFound_404", "there is no such credit note", field="id")
        return note
