"""The page of invoices: dates, subjects, states, and their credit notes."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from billing.checkout.pages.base import BillingPage
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.navigation.places import SETTINGS, MenuItem

STATES = {
    "draft": (gettext_lazy("Not paid"), "none"),
    "issued": (gettext_lazy("Due"), "warn"),
    "paid": (gettext_lazy("Paid"), "ok"),
    "credited": (gettext_lazy("Refunded"), "none"),
    "uncollectible": (gettext_lazy("Not paid"), "bad"),
}
ORDER_KINDS = {"seats": gettext_lazy("More seats"), "addons": gettext_lazy("Add-ons")}


class Invoices(BillingPage):
    path = "settings/plan/invoices"
    name = "invoices"
    purpose = gettext_lazy("Download your invoices.")
    title = gettext_lazy("Invoices")
    template = "web/plans/invoices.html"
    menu = MenuItem(
        gettext_lazy("Invoices"),
        SETTINGS,
        20,
        "receipt",
        gettext_lazy("Billing"),
        gettext_lazy("bills receipts payments credit notes"),
    )

    def show(self) -> Values:
        page = {"p": "1", "n": "100"}
        rows = self.read("subscription/invoices", page).data
        notes = self.read("subscription/credit-notes", page).data
        orders = {row["invoiceID"]: row for row in self.read("manual-payment", page).data}
        invoices = [
            {
                **row,
                "state": STATES.get(row["status"], STATES["draft"]),
                "what": invoice_subject(row, orders.get(row["id"])),
                "order": open_id(orders.get(row["id"])),
                "notes": [note for note in notes if note["invoiceID"] == row["id"]],
            }
            for row in rows
            if row["status"] != "void"
        ]
        return {
            "invoices": invoices,
            "charged": self.chargeable_method() if any(row["order"] for row in invoices) else None,
        }

    def chargeable_method(self) -> Values | None:
        """Return the method that a past due amount can be charged to now, or None."""
        if not self.may_buy() or self.subscription["status"] != "past_due":
            return None
        methods = self.read("subscription/payment-methods", {"p": "1", "n": "50"}).data
        return next((method for method in methods if method["isDefault"]), None)

    def do_retry(self) -> HttpResponse:
        answer = self.ask("POST", f"subscription/{self.subscription['_id']}/retry")
        return (
            self.redirect_with_toast(_("Payment started. Check again in a minute."))
            if answer.ok
            else self.refuse(answer)
        )

    def do_pdf(self) -> HttpResponse:
        return self.download(f"subscription/invoices/{self.sent_id()}/pdf")

    def do_note(self) -> HttpResponse:
        return self.download(f"subscription/credit-notes/{self.sent_id()}/pdf")


def invoice_subject(invoice: Values, order: Values | None) -> str:
    """Return the subject of an invoice: the plan, and the bought part of it."""
    plan = (order or {}).get("plan")
    parts = [plan["name"] if plan else "", ORDER_KINDS.get(invoice["kind"], "")]
    return ": ".join(part for part in parts if part)


def open_id(order: Values | None) -> str | None:
    """Return the id of an order that can be paid, or None."""
    return order["id"] if order is not None and order["status"] == "open" else None
