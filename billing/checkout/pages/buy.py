"""The page for buying a plan and its add-ons: their price, and the order at the shown price."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from billing.checkout.pages.base import BillingPage, losses, show_order_errors
from billing.checkout.types import OrderedData, QuoteData
from core.ids import is_id
from core.text.formats import money_text
from core.text.translation import gettext_lazy
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option

EACH = {"month": gettext_lazy("%(amount)s each a month."), "year": gettext_lazy("%(amount)s each a year.")}
"""Interval -> the price of an add-on."""
CHOSEN = ("plan", "interval", "seats", "currency", "couponCode")
"""Query parameters of the page that describe the purchase."""
INTERVALS = [Option("month", gettext_lazy("Monthly")), Option("year", gettext_lazy("Yearly"))]
ADD_ON = "addon-"
"""Prefix of the add-on fields' names, followed by the add-on's id."""


class BuyPlan(BillingPage):
    path = "settings/plan/buy"
    name = "plan-buy"
    title = gettext_lazy("Subscribe")
    template = "web/plans/buy.html"

    @property
    def plan_id(self) -> str:
        text = self.request.GET.get("plan", "")
        return text if is_id(text) else ""

    @cached_property
    def add_on_quantities(self) -> dict[str, int]:
        """Return the subscription's quantity of each add-on by its id; empty if the subscription is not open."""
        subscription = self.subscription
        return (
            {add_on["addOnID"]: add_on["quantity"] for add_on in subscription["addOns"]}
            if subscription["isOpen"]
            else {}
        )

    def form(self) -> Form:
        parameters = self.request.POST if self.request.method == "POST" else self.request.GET
        seats = whole_number(parameters.get("seats", ""))
        interval = parameters.get("interval") or "month"
        currency = parameters.get("currency", "")
        return Form(
            fields=[
                Field("interval", _("Billing period"), kind="radio", options=INTERVALS, initial=interval),
                Field(
                    "seats",
                    _("People"),
                    kind="number",
                    initial=seats,
                    help_text=_("Leave empty to pay for all current members."),
                ),
                *(self.add_ons(interval, currency) if self.may_buy() and self.plan_id else ()),
                Field("couponCode", _("Coupon"), initial=parameters.get("couponCode", "")),
                Field("currency", "", kind="hidden", initial=currency),
            ]
        )

    def add_ons(self, interval: str, currency: str) -> list[Field]:
        """Return a field for each add-on that is on offer for the chosen plan, or that the subscription has."""
        fields = []
        code = currency or self.subscription["currency"] or self.reader.formats.currency
        for add_on in self.subscription["offeredAddOns"]:
            prices = {(price["currency"], price["interval"]): price["amount"] for price in add_on["prices"]}
            amount = prices.get((code, interval))
            if amount is None and add_on["_id"] not in self.add_on_quantities:
                continue
            costs = EACH[interval] % {"amount": money_text(Decimal(str(amount)), code)} if amount is not None else ""
            about = " ".join(text for text in (add_on["description"], costs) if text)
            value = self.add_on_quantities.get(add_on["_id"], 0)
            fields.append(
                Field(f"{ADD_ON}{add_on['_id']}", add_on["name"], kind="number", initial=value, help_text=about)
            )
        return fields

    def body(self, form: Form) -> JsonObject:
        """Return the body of the order. Unchanged add-ons are omitted; a reduction waits for the next period."""
        values = {
            name: value
            for name, value in form.values.items()
            if value not in ("", None) and not name.startswith(ADD_ON)
        }
        quantities = {
            name.removeprefix(ADD_ON): value or 0 for name, value in form.values.items() if name.startswith(ADD_ON)
        }
        changed = {id: number for id, number in quantities.items() if number != self.add_on_quantities.get(id, 0)}
        if changed:
            all_quantities = {**self.add_on_quantities, **changed}
            values["addOns"] = [{"addOnID": id, "quantity": number} for id, number in all_quantities.items() if number]
            fewer = all(number < self.add_on_quantities.get(id, 0) for id, number in changed.items())
            if fewer and self.runs_with(values.get("interval", "")):
                values["when"] = "periodEnd"
        return {"planID": self.plan_id, **values}

    def runs_with(self, interval: str) -> bool:
        """Return whether the chosen plan is the active, paid one."""
        subscription = self.subscription
        same = subscription["plan"] is not None and (subscription["plan"]["_id"], subscription["interval"]) == (
            self.plan_id,
            interval,
        )
        return bool(same and subscription["status"] == "active")

    def readable(self, form: Form) -> bool:
        """Return whether all numbers of add-ons are valid, and add an error to each field that isn't."""
        for field in form:
            number = field.value()
            wrong = number is not None and not (isinstance(number, int) and 0 <= number <= 1000)
            if field.name.startswith(ADD_ON) and wrong:
                field.replace_error(_("A whole number, from 0 to 1,000."))
        return not form.refused_fields

    def context(self, form: Form) -> JsonObject:
        asks = self.may_buy() and self.plan_id and self.readable(form)
        answer = self.ask("POST", "subscription/preview", None, self.body(form)) if asks else None
        if answer is not None and not answer.ok:
            show_order_errors(form, answer)
        quote: QuoteData | None = answer.data if answer is not None and answer.ok else None
        details = self.ask("GET", "subscription/billing-details") if quote else None
        parameters = {
            "plan": self.plan_id,
            **{name: choice for name, choice in form.values.items() if name in CHOSEN and choice},
        }
        return {
            "form": form,
            "quote": quote,
            "change_details": self.address("billing-details", **parameters),
            "details": details.data if details is not None and details.ok else None,
            "can_buy": self.may_buy(),
            "plan_id": self.plan_id,
            **losses(quote),
        }

    def show(self) -> Values:
        return self.context(self.form())

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        context = self.context(form)
        return self.page(context, status=200 if context["quote"] else 422)

    def do_order(self) -> HttpResponse:
        """Order at the shown price; if the price differs, show the new one and ask again."""
        form = self.form().bind(self.request.POST)
        proof = self.request.POST.get("proof", "")
        if not proof or not self.readable(form):
            return self.do_save()
        answer = self.ask("POST", "subscription", None, {**self.body(form), "proof": proof})
        if not answer.ok:
            show_order_errors(form, answer)
            before = form.non_field_errors()
            context = self.context(form)
            if before:
                form.replace_errors([str(text) for text in before])
            return self.page(context, status=422)
        order_data: OrderedData = answer.data
        payment = order_data["payment"]
        if payment is None:
            return self.redirect_with_toast(_("Changes when the paid period ends"), to=self.address("plan"))
        if payment["status"] == "paid":
            return self.redirect_with_toast(_("Activated. No payment was needed."), to=self.address("plan"))
        return self.redirect_with_toast(to=self.address("plan-pay", payment["_id"]))
