"""The pages of buying: choose and see the price, pay, invoices and whom they are made out to.

A lapsed company opens them too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

from core.ids import is_id
from core.web.forms import Field, Form, Option
from core.web.settings import SettingsForm, SettingsPage

INVOICE_STATES = {"draft": ("Not paid", "none"), "issued": ("To be paid", "warn"), "paid": ("Paid", "ok")}
TRANSFER_STATES = {
    "awaiting": "We wait for your transfer.",
    "submitted": "We look whether your transfer has come, and write to you.",
    "rejected": "Your transfer was not found.",
}
INTERVALS = [Option("month", "a month"), Option("year", "a year")]


class BillingPage(SettingsPage):
    """A page below that of the plan."""

    module = "plan"
    section = "plan"
    needs_subscription = False

    def may_buy(self, method: str = "POST") -> bool:
        """Tell whether the role allows it; a lapsed company's plan is not asked."""
        return self.reader.member is not None and self.reader.member.may("plan", method)


class BuyPlan(BillingPage):
    path = "settings/plan/buy"
    name = "plan-buy"
    title = "Subscribe"
    template = "web/plans/buy.html"

    def form(self) -> Form:
        sent = self.request.POST if self.request.method == "POST" else self.request.GET
        return Form(
            [
                Field("interval", "Paid", kind="radio", options=INTERVALS, value=sent.get("interval") or "month"),
                Field("seats", "People", kind="number", value=sent.get("seats", ""), help="Empty: as many as you are."),
                Field("couponCode", "Coupon", value=sent.get("couponCode", "")),
            ]
        )

    @property
    def plan_id(self) -> str:
        found = self.request.GET.get("plan", "")
        return found if is_id(found) else ""

    def body(self, form: Form) -> dict[str, Any]:
        values = {name: value for name, value in form.values.items() if value not in ("", None)}
        return {"planID": self.plan_id, **values}

    def context(self, form: Form) -> dict[str, Any]:
        asks = self.may_buy() and self.plan_id
        answer = self.ask("POST", "subscription/preview", None, self.body(form)) if asks else None
        if answer is not None and not answer.ok:
            form.refuse(answer.message, answer.warning)
        quote = answer.data if answer is not None and answer.ok else None
        return {"form": form, "quote": quote, "can_buy": self.may_buy(), "plan_id": self.plan_id}

    def show(self) -> Mapping[str, Any]:
        return self.context(self.form())

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        shown = self.context(form)
        return self.page(shown, status=200 if shown["quote"] else 422)

    def do_order(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        answer = self.ask("POST", "subscription", None, self.body(form))
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            return self.page({"form": form, "quote": None, "can_buy": True, "plan_id": self.plan_id}, status=422)
        payment = answer.data["payment"]
        return self.done(to=self.address("plan-pay", payment["id"]))


class PayOrder(BillingPage):
    path = "settings/plan/pay/<str:id>"
    name = "plan-pay"
    title = "Pay"
    template = "web/plans/pay.html"

    def show(self) -> Mapping[str, Any]:
        order = self.read(f"manual-payment/{self.params['id']}").data
        titles = {one["gateway"]: one["title"] for one in order["gateways"]}
        return {
            "order": order,
            "begun_title": titles.get(order["begun"] or "", "the gateway"),
            "transfer": TRANSFER_STATES.get(order["state"], ""),
            "transfer_form": self.transfer_form(order) if order["bank"] and self.may_buy() else None,
            "can_buy": self.may_buy(),
        }

    def transfer_form(self, order: Mapping[str, Any]) -> Form:
        return Form([Field("reference", "What your transfer says", value=order["reference"], required=True)])

    def do_begin(self) -> HttpResponse:
        order = self.read(f"manual-payment/{self.params['id']}").data
        gateway = self.request.POST.get("gateway", "")
        if gateway not in {one["gateway"] for one in order["gateways"]}:
            return self.fail("This way to pay is not on offer any more.")
        ids = {"manualPaymentID": order["id"], "subscriptionID": order["subscriptionID"], "proof": "page"}
        answer = self.ask("POST", gateway, None, ids)
        return self.done() if answer.ok else self.refuse(answer)

    def do_look(self) -> HttpResponse:
        order = self.read(f"manual-payment/{self.params['id']}").data
        if not order["begun"]:
            return self.done()
        answer = self.ask("POST", f"{order['begun']}/capture", None, {"paymentID": order["id"]})
        if not answer.ok:
            return self.refuse(answer)
        return self.done("Paid" if answer.data["paymentStatus"] == "paid" else "Nothing has come yet")

    def do_pdf(self) -> HttpResponse:
        return self.download(f"subscription/invoices/{self.sent_id()}/pdf")

    def do_transfer(self) -> HttpResponse:
        form = Form([Field("reference", "What your transfer says", required=True)]).fill(self.request.POST)
        body: dict[str, Any] = {"paymentID": self.params["id"], "reference": form.values["reference"]}
        if self.request.FILES.getlist("file"):
            uploaded = self.upload()
            if not uploaded.ok:
                return self.refuse(uploaded)
            body["proof"] = uploaded.data["id"]
        answer = self.ask("POST", "manual-payment", None, body)
        return self.done("Thank you: we look for your transfer") if answer.ok else self.refuse(answer)


class Invoices(BillingPage):
    path = "settings/plan/invoices"
    name = "invoices"
    title = "Invoices"
    template = "web/plans/invoices.html"

    def show(self) -> Mapping[str, Any]:
        found = self.read("subscription/invoices", {"p": "1", "n": "100"})
        invoices = [
            {**one, "state": INVOICE_STATES.get(one["status"], INVOICE_STATES["draft"])}
            for one in found.data
            if one["status"] != "void"
        ]
        methods = self.read("subscription/payment-methods", {"p": "1", "n": "50"}).data
        ways = self.read("subscription/payment-methods/setup").data["gateways"] if self.may_buy() else []
        return {"invoices": invoices, "methods": methods, "ways": ways, "can_delete": self.may_buy("DELETE")}

    def do_add(self) -> HttpResponse:
        body = {"gateway": self.request.POST.get("gateway", "")}
        answer = self.ask("POST", "subscription/payment-methods/setup", None, body)
        if not answer.ok:
            return self.refuse(answer)
        return self.page({**self.show(), "go_on": answer.data["redirectUrl"]})

    def do_pdf(self) -> HttpResponse:
        return self.download(f"subscription/invoices/{self.sent_id()}/pdf")

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", f"subscription/payment-methods/{self.sent_id()}")
        return self.done("Deleted") if answer.ok else self.refuse(answer)


class Details(SettingsForm):
    path = "settings/plan/details"
    name = "billing-details"
    title = "Whom invoices are made out to"
    module = "plan"
    section = "plan"
    needs_subscription = False
    resource = "subscription/billing-details"

    def form(self, values: Mapping[str, Any] | None = None) -> Form:
        known = values or {}
        return Form(
            [
                Field("name", "Name", value=known.get("name", ""), autocomplete="organization"),
                Field("address", "Address", kind="textarea", value=known.get("address", "")),
                Field("country", "Country", value=known.get("country", "")),
                Field("vatId", "VAT id", value=known.get("vatId", "")),
                Field("email", "E-mail for invoices", kind="email", value=known.get("email", "")),
            ]
        )

    def may(self, module: str, method: str = "GET") -> bool:
        """Tell whether the role allows it; a lapsed company's plan is not asked."""
        return self.reader.member is not None and self.reader.member.may(module, method)


PAGES = [BuyPlan, PayOrder, Invoices, Details]
