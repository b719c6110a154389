"""The pages of buying: choose and see the price, pay, invoices and whom they are made out to.

A lapsed company opens them too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from functools import cached_property
from typing import Any

from django.http import HttpRequest, HttpResponse

from core.ids import is_id
from core.text.features import feature_of
from core.text.modules import name_of
from core.text.timezones import zone_of
from core.web.forms import Field, Form, Option
from core.web.settings import SettingsForm, SettingsPage

INVOICE_STATES = {
    "draft": ("Not paid", "none"),
    "issued": ("To be paid", "warn"),
    "paid": ("Paid", "ok"),
    "credited": ("Taken back", "none"),
    "uncollectible": ("Not paid", "bad"),
}
TRANSFER_STATES = {
    "awaiting": "We wait for your transfer.",
    "submitted": "We look whether your transfer has come, and write to you.",
    "rejected": "Your transfer was not found.",
}
CHOSEN = ("plan", "interval", "seats", "currency", "couponCode")
"""What the address of a page says of what is bought."""
INTERVALS = [Option("month", "a month"), Option("year", "a year")]


class BillingPage(SettingsPage):
    """A page below that of the plan."""

    module = "plan"
    section = "plan"
    needs_subscription = False

    @cached_property
    def subscription(self) -> Mapping[str, Any]:
        """The company's subscription, as the plan's page has it."""
        found: Mapping[str, Any] = self.read("plans", {"p": "1", "n": "1"}).data
        return found

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
        people = sent.get("seats", "")
        seats = int(people) if people.isascii() and people.isdecimal() and len(people) < 10 else ""
        return Form(
            [
                Field("interval", "Paid", kind="radio", options=INTERVALS, value=sent.get("interval") or "month"),
                Field("seats", "People", kind="number", value=seats, help="Empty: as many as you are."),
                Field("couponCode", "Coupon", value=sent.get("couponCode", "")),
                Field("currency", "", kind="hidden", value=sent.get("currency", "")),
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
        details = self.ask("GET", "subscription/billing-details") if quote else None
        chosen = {"plan": self.plan_id, **{name: one for name, one in form.values.items() if name in CHOSEN and one}}
        return {
            "form": form,
            "quote": quote,
            "seen": seen(form),
            "change_details": self.address("billing-details", **chosen),
            "details": details.data if details is not None and details.ok else None,
            "can_buy": self.may_buy(),
            "plan_id": self.plan_id,
            "lost": [feature_of(module) for module in quote["loses"]["modules"]] if quote else [],
            "over": [(name_of(one["module"]), one) for one in quote["loses"]["limits"]] if quote else [],
        }

    def show(self) -> Mapping[str, Any]:
        return self.context(self.form())

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        shown = self.context(form)
        return self.page(shown, status=200 if shown["quote"] else 422)

    def do_order(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        if self.request.POST.get("seen", seen(form)) != seen(form):  # what is sent is not what the price was shown for
            return self.do_save()
        answer = self.ask("POST", "subscription", None, self.body(form))
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            return self.page({**self.context(form), "quote": None}, status=422)
        payment = answer.data["payment"]
        if payment is None:
            return self.done("It changes when the paid period ends", to=self.address("plan"))
        return self.done(to=self.address("plan-pay", payment["id"]))


def seen(form: Form) -> str:
    """Return what a price was shown for, as the page sends it along with an order."""
    return " ".join(f"{name}={form.values.get(name) or ''}" for name in CHOSEN)


class PayOrder(BillingPage):
    path = "settings/plan/pay/<str:id>"
    name = "plan-pay"
    title = "Pay"
    template = "web/plans/pay.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the page, or look for itself: what is typed in it stays until there is something new."""
        order = self.read(f"manual-payment/{self.params['id']}").data
        if "HX-Request" not in request.headers:
            return self.page(self.shown(order))
        if self.waits(order):
            self.ask("POST", f"{order['begun']}/capture", None, {"paymentID": order["id"]})
            order = self.read(f"manual-payment/{self.params['id']}").data
        return HttpResponse(status=204, headers={} if self.waits(order) else {"HX-Redirect": request.path})

    def show(self) -> Mapping[str, Any]:
        return self.shown(self.read(f"manual-payment/{self.params['id']}").data)

    def shown(self, order: Mapping[str, Any]) -> dict[str, Any]:
        titles = {one["gateway"]: one["title"] for one in order["gateways"]}
        return {
            "order": order,
            "waits": self.waits(order),
            "begun_title": titles.get(order["begun"] or "", "the gateway"),
            "transfer": TRANSFER_STATES.get(order["state"], ""),
            "transfer_form": self.transfer_form(order) if order["bank"] and self.may_buy() else None,
            "can_buy": self.may_buy(),
        }

    def waits(self, order: Mapping[str, Any]) -> bool:
        """Tell whether somebody may be paying on the gateway's page: then this page looks by itself."""
        return bool(order["status"] == "open" and order["redirectUrl"] and self.may_buy())

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
        found = self.read("subscription/invoices", {"p": "1", "n": "100"}).data
        notes = self.read("subscription/credit-notes", {"p": "1", "n": "100"}).data
        asked = {"p": "1", "n": "50", "filters": {"status": "open"}}
        orders = {one["invoiceID"]: one["id"] for one in self.read("manual-payment", asked).data}
        invoices = [
            {
                **one,
                "state": INVOICE_STATES.get(one["status"], INVOICE_STATES["draft"]),
                "order": orders.get(one["id"]),
                "notes": [note for note in notes if note["invoiceID"] == one["id"]],
            }
            for one in found
            if one["status"] != "void"
        ]
        methods = self.read("subscription/payment-methods", {"p": "1", "n": "50"}).data
        ways = self.read("subscription/payment-methods/setup").data["gateways"] if self.may_buy() else []
        return {
            "invoices": invoices,
            "methods": methods,
            "ways": ways,
            "can_delete": self.may_buy("DELETE"),
            "charged": self.charged(methods),
        }

    def charged(self, methods: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
        """Return the method that what is past due can be charged to now, or None."""
        default = next((one for one in methods if one["isDefault"]), None)
        return default if default and self.may_buy() and self.subscription["status"] == "past_due" else None

    def do_retry(self) -> HttpResponse:
        answer = self.ask("POST", f"subscription/{self.subscription['_id']}/retry")
        return self.done("It is charged now: look again in a minute") if answer.ok else self.refuse(answer)

    def do_add(self) -> HttpResponse:
        body = {"gateway": self.request.POST.get("gateway", "")}
        answer = self.ask("POST", "subscription/payment-methods/setup", None, body)
        if not answer.ok:
            return self.refuse(answer)
        return self.page({**self.show(), "go_on": answer.data["redirectUrl"]})

    def do_pdf(self) -> HttpResponse:
        return self.download(f"subscription/invoices/{self.sent_id()}/pdf")

    def do_note(self) -> HttpResponse:
        return self.download(f"subscription/credit-notes/{self.sent_id()}/pdf")

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", f"subscription/payment-methods/{self.sent_id()}")
        return self.done("Deleted") if answer.ok else self.refuse(answer)


class PausePlan(BillingPage):
    path = "settings/plan/pause"
    name = "plan-pause"
    title = "Pause"
    template = "web/plans/pause.html"

    def show(self) -> Mapping[str, Any]:
        rows = self.read("subscription", {"p": "1", "n": "1"}).data
        full = self.read(f"subscription/{rows[0]['_id']}").data if rows else None
        months = full["pauseMonths"] if full else 0
        return {
            "subscription": full,
            "months": months,
            "form": self.form() if months and self.may_buy("PUT") else None,
            "can_change": self.may_buy("PUT"),
        }

    def form(self) -> Form:
        return Form([Field("until", "Until", kind="date", required=True)])

    def do_save(self) -> HttpResponse:
        """Pause until the day begins on the company's clock."""
        form = self.form().fill(self.request.POST)
        until = form.values["until"]
        with suppress(ValueError, TypeError):  # the API refuses what is no day
            day = date.fromisoformat(until)
            until = datetime.combine(day, time(), zone_of(self.reader.formats.timezone)).isoformat()
        return self._change({"until": until}, "It is paused", form)

    def do_resume(self) -> HttpResponse:
        return self._change(None, "It goes on")

    def _change(self, paused: Mapping[str, Any] | None, text: str, form: Form | None = None) -> HttpResponse:
        answer = self.ask("PUT", f"subscription/{self.subscription['_id']}", None, {"paused": paused})
        if answer.ok:
            return self.done(text, to=self.address("plan"))
        return self.invalid(form, answer) if form else self.refuse(answer)


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
                Field("country", "Country", value=known.get("country", ""), help="Its name or code, such as DE."),
                Field("vatId", "VAT id", value=known.get("vatId", ""), help="It is checked against the country."),
                Field("email", "E-mail for invoices", kind="email", value=known.get("email", "")),
            ]
        )

    def do_save(self) -> HttpResponse:
        saved = super().do_save()
        plan = self.request.GET.get("plan", "")
        if saved.status_code == 303 and is_id(plan):  # from an order, which goes on with what was changed
            chosen = {name: self.request.GET[name] for name in CHOSEN if name in self.request.GET}
            saved["Location"] = self.address("plan-buy", **chosen)
        return saved

    def may(self, module: str, method: str = "GET") -> bool:
        """Tell whether the role allows it; a lapsed company's plan is not asked."""
        return self.reader.member is not None and self.reader.member.may(module, method)


PAGES = [BuyPlan, PayOrder, Invoices, PausePlan, Details]
