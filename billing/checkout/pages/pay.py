"""The page of an order: payment options, and its state."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from billing.checkout.pages.base import BillingPage
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form

TRANSFER_STATES = {
    "awaiting": gettext_lazy("We wait for your transfer."),
    "submitted": gettext_lazy("We'll email you when the transfer arrives."),
    "rejected": gettext_lazy("Your transfer was not found."),
}
NO_REFERENCE = gettext_lazy("Enter the reference of your transfer.")


class PayOrder(BillingPage):
    path = "settings/plan/pay/<str:id>"
    name = "plan-pay"
    title = gettext_lazy("Pay")
    template = "web/plans/pay.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the page, or poll the order: the page's input stays until the state changes."""
        order = self.order()
        if "HX-Request" not in request.headers:
            return self.page(self.order_context(order))
        if self.waits(order):
            self.ask("POST", f"{order['begun']}/capture", None, {"paymentID": order["id"]})
            order = self.order()
        return HttpResponse(status=204, headers={} if self.waits(order) else {"HX-Redirect": request.path})

    def show(self) -> Values:
        return self.order_context(self.order())

    def order(self) -> Values:
        record: Values = self.read(f"manual-payment/{self.params['id']}").data
        return record

    def order_context(self, order: Values, transfer: Form | None = None) -> JsonObject:
        titles = {gateway["gateway"]: gateway["title"] for gateway in order["gateways"]}
        form = transfer or self.transfer_form(order)
        announced = order["state"] == "submitted"
        return {
            "order": order,
            "waits": self.waits(order),
            "begun_title": titles.get(order["begun"] or "", "the gateway"),
            "transfer": TRANSFER_STATES.get(order["state"], ""),
            "announced": announced,
            "form": form if order["bank"] and self.may_buy() and not announced else None,
            "can_buy": self.may_buy(),
        }

    def waits(self, order: Values) -> bool:
        """Return whether a payment may be in progress on the gateway's page. Then this page polls."""
        return bool(order["status"] == "open" and order["redirectUrl"] and self.may_buy())

    def transfer_form(self, order: Values) -> Form:
        """Return the form of a bank transfer. Its reference defaults to the order's number."""
        reference = order["reference"] or (order["bank"] or {}).get("reference", "")
        return Form(fields=[Field("reference", _("Transfer reference"), initial=reference, required=True)])

    def do_begin(self) -> HttpResponse:
        order = self.order()
        gateway = self.request.POST.get("gateway", "")
        if gateway not in {option["gateway"] for option in order["gateways"]}:
            return self.fail(_("This payment method is no longer available"))
        if order["state"] == "submitted":
            return self.fail(_("Cancel the notice of your transfer first"))
        ids = {"manualPaymentID": order["id"], "subscriptionID": order["subscriptionID"], "proof": "page"}
        answer = self.ask("POST", gateway, None, ids)
        return self.redirect_with_toast() if answer.ok else self.refuse(answer)

    def do_look(self) -> HttpResponse:
        order = self.order()
        if not order["begun"]:
            return self.redirect_with_toast()
        answer = self.ask("POST", f"{order['begun']}/capture", None, {"paymentID": order["id"]})
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(
            _("Paid") if answer.data["paymentStatus"] == "paid" else _("No payment received yet")
        )

    def do_other(self) -> HttpResponse:
        """Leave the gateway's page to choose another method, unless the order has been paid there."""
        order = self.order()
        if self.waits(order):
            looked = self.ask("POST", f"{order['begun']}/capture", None, {"paymentID": order["id"]})
            if looked.ok and looked.data["paymentStatus"] == "paid":
                return self.redirect_with_toast(_("Already paid"))
        answer = self.ask("POST", f"manual-payment/{order['id']}/choose-again")
        return self.redirect_with_toast() if answer.ok else self.refuse(answer)

    def do_pdf(self) -> HttpResponse:
        return self.download(f"subscription/invoices/{self.sent_id()}/pdf")

    def do_transfer(self) -> HttpResponse:
        order = self.order()
        form = self.transfer_form(order).bind(self.request.POST)
        if not form.values["reference"]:
            form.add_error("reference", NO_REFERENCE)
            return self.page(self.order_context(order, form), status=422)
        body: JsonObject = {"paymentID": order["id"], "reference": form.values["reference"]}
        if self.request.FILES.getlist("file"):
            uploaded = self.upload()
            if not uploaded.ok:
                return self.refuse(uploaded)
            body["proof"] = uploaded.data["id"]
        answer = self.ask("POST", "manual-payment", None, body)
        if answer.ok:
            return self.redirect_with_toast(_("Thank you. We will check for your transfer."))
        form.refuse(answer)
        return self.page(self.order_context(order, form), status=422)
