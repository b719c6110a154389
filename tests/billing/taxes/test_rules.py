"""Which tax an order has, by where seller and buyer are, and what its invoice says of it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from billing.invoices.pdf import credit_note_data, invoice_data
from billing.invoices.services import credit_invoice
from billing.models import BillingDetails, CreditNote, Invoice, TaxRate
from billing.taxes import vies
from billing.taxes.rules import REVERSE_CHARGE, tax_for
from config.local.gateway_standin.server import Server
from core.outbound_http import HttpAnswer, HttpFailed
from core.tenancy import unscoped
from tests.billing.checkout.helpers import buyer, order, pay, subscription_of
from tests.kit.cast import make_cast

pytestmark = pytest.mark.django_db
GERMAN, GREEK = "DE136695976", "EL094259216"


@pytest.fixture
def rates() -> None:
    for country, percent in {"IE": "23", "DE": "19", "GR": "24", "CH": "8.1"}.items():
        TaxRate.objects.create(name="VAT", country=country, percent=Decimal(percent), valid_from="2020-01-01")


@pytest.mark.parametrize(
    ("seller", "oss", "country", "vat_id", "rule", "percent"),
    [
        ("IE", False, "IE", "", "domestic", "23"),
        ("IE", False, "IE", "IE6388047V", "domestic", "23"),
        ("IE", False, "", "", "domestic", "23"),
        ("IE", False, "DE", GERMAN, "reverse_charge", "0"),
        ("IE", True, "DE", GERMAN, "reverse_charge", "0"),
        ("IE", False, "GR", GREEK, "reverse_charge", "0"),
        ("IE", False, "DE", "", "home", "23"),
        ("IE", True, "DE", "", "oss", "19"),
        ("IE", True, "DE", "DE136695977", "oss", "19"),  # its check digit is wrong
        ("IE", True, "FR", "", "oss", "0"),  # no rate of its own is known
        ("IE", True, "CH", "CHE107787577IVA", "abroad", "8.1"),
        ("IE", True, "US", "", "abroad", "0"),
        ("GB", True, "DE", GERMAN, "abroad", "19"),
        ("", False, "DE", "", "abroad", "19"),
        ("", False, "", "", "domestic", "0"),
    ],
)
def test_the_tax_of_a_sale(
    rates: None, seller: str, oss: bool, country: str, vat_id: str, rule: str, percent: str
) -> None:
    tax = tax_for(BillingDetails(country=country, vat_id=vat_id), seller_country=seller, oss=oss)
    assert (tax.rule, tax.percent) == (rule, Decimal(percent))
    assert (tax.note == REVERSE_CHARGE) == (rule == "reverse_charge")


def test_reverse_charge_stands_on_quote_invoice_and_papers(rates: None, server: Server) -> None:
    cast, plan = buyer()
    details = {"name": "Acme GmbH", "country": "DE", "vatId": GERMAN}
    id = subscription_of(cast).pk
    assert cast.session.put(f"/subscription/{id}", {"billingDetails": details}).status == 200
    quote = cast.session.post("/subscription/preview", {"planID": plan.pk}).data
    assert (quote["taxRule"], quote["taxNote"], quote["tax"]["amountMinor"]) == ("reverse_charge", REVERSE_CHARGE, 0)
    pay(cast, order(cast, plan)["payment"]["_id"])
    TaxRate.objects.all().delete()
    shown = cast.session.get("/subscription/invoices").data[0]["_id"]
    full = cast.session.get(f"/subscription/invoices/{shown}").data
    assert (full["taxRule"], full["taxNote"]) == ("reverse_charge", REVERSE_CHARGE)
    with cast.scope():
        invoice = Invoice.objects.get(status="paid")
        assert invoice.tax_basis["vat_id"] == GERMAN
        assert invoice_data(invoice)["notes"][0] == REVERSE_CHARGE


def test_a_credit_note_is_a_paper_of_its_own(rates: None, server: Server) -> None:
    cast, plan = buyer()
    pay(cast, order(cast, plan)["payment"]["_id"])
    with cast.scope():
        invoice = Invoice.objects.get(status="paid")
        assert (invoice.total_minor, invoice.tax_minor) == (3567, 667)
        note = credit_invoice(invoice, 1000, "goodwill")
        data = credit_note_data(CreditNote.objects.select_related("invoice").get(pk=note.pk))
    assert data["totals"] == [["Subtotal", "$8.14"], ["VAT 23%", "$1.86"], ["Total credited", "$10.00"]]
    listed = cast.session.get("/subscription/credit-notes").data
    assert [(one["number"], one["amount"]["amountMinor"], one["invoiceNumber"]) for one in listed] == [
        (note.number, 1000, invoice.number)
    ]
    paper = cast.session.get(f"/subscription/credit-notes/{note.pk}/pdf")
    assert paper.body.startswith(b"%PDF-")
    assert cast.session.get(f"/subscription/credit-notes/{note.pk}").data["reason"] == "goodwill"
    assert cast.session.get("/subscription/credit-notes/" + "f" * 24).status == 404
    assert make_cast().session.get(f"/subscription/credit-notes/{note.pk}/pdf").status == 404


def test_vies_is_asked_later_and_changes_no_price(
    rates: None, server: Server, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VIES_URL = "https://vies.example"
    asked: list[str] = []
    answers: list[Any] = [HttpFailed("slow", "away"), HttpAnswer(200, {}, b'{"isValid": false, "name": "---"}')]

    def answer(method: str, url: str, **options: Any) -> HttpAnswer:
        asked.append(url)
        found = answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(vies, "send_request", answer)
    cast, plan = buyer()
    cast.session.put("/subscription/billing-details", {"country": "DE", "vatId": "DE 136 695 976"})
    for _ in range(2):
        ask_all()
    assert asked == ["https://vies.example/ms/DE/vat/136695976"]  # no answer: asked again hours later
    with cast.scope():
        BillingDetails.objects.update(vat_look_at="2020-01-01T00:00:00Z")
    ask_all()
    with cast.scope():
        row = BillingDetails.objects.get()
        assert (row.vat_look_at, row.vat_evidence["isValid"], row.vat_evidence["vatId"]) == (None, "False", GERMAN)
    assert cast.session.post("/subscription/preview", {"planID": plan.pk}).data["taxRule"] == "reverse_charge"
    cast.session.put("/subscription/billing-details", {"vatId": ""})
    with cast.scope():
        assert (BillingDetails.objects.get().vat_look_at, BillingDetails.objects.get().vat_evidence) == (None, {})
    ask_all()
    assert len(asked) == 2


def ask_all() -> None:
    with unscoped(reason="test: the periodic task runs for all companies"):
        vies.ask_vies()
