"""The page on which the number of seats is changed: more at once, fewer when the paid period ends."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from billing.checkout.pages.base import BillingPage, show_order_errors
from billing.checkout.types import QuoteData
from core.text.spans import days_until
from core.text.translation import gettext_lazy
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.forms import Field, Form


class ChangeSeats(BillingPage):
    path = "settings/plan/seats"
    name = "plan-seats"
    title = gettext_lazy("Seats")
    template = "web/plans/seats.html"

    @cached_property
    def can_change(self) -> bool:
        """Return whether the member may buy seats: the subscription is active and within a paid period."""
        subscription = self.subscription
        runs = (
            subscription["isOpen"]
            and subscription["status"] == "active"
            and subscription["interval"]
            and subscription["period"]["end"]
        )
        return bool(runs and self.may_buy())

    def form(self) -> Form:
        counts = self.subscription["seats"]
        seats = whole_number(self.request.GET.get("seats", "")) or counts["total"] or counts["used"]
        return Form(fields=[Field("seats", _("People"), kind="number", initial=seats, required=True)])

    def show(self) -> Values:
        return self.context(self.form(), asks="seats" in self.request.GET)

    def context(self, form: Form, *, asks: bool) -> JsonObject:
        subscription = self.subscription
        quote = self.quote(form) if asks and self.can_change else None
        return {
            "form": form,
            "subscription": subscription,
            "can_change": self.can_change,
            "quote": quote,
            "later": self.next_period_quote(quote) if quote else None,
            "days": days_until(subscription["period"]["end"]),
            "short": quote is not None and subscription["seats"]["used"] > quote["seats"],
        }

    def quote(self, form: Form) -> QuoteData | None:
        """Return the quote of this number of seats now; None for a refusal, which is in the form."""
        answer = self.ask("POST", "subscription/seats/preview", None, {"seats": form.values["seats"]})
        if not answer.ok:
            form.refuse(answer)
            return None
        preview: QuoteData = answer.data
        return preview

    def next_period_quote(self, quote: QuoteData) -> QuoteData | None:
        """Return the quote of the next period with these seats; None without a next period or if the preview fails."""
        subscription = self.subscription
        plan, change = subscription["plan"], subscription["scheduledChange"]
        if subscription["cancelAtPeriodEnd"] or plan is None:
            return None
        body: JsonObject = {"planID": plan["_id"], "interval": subscription["interval"], "seats": quote["seats"]}
        if change is not None:
            body |= {"planID": change["plan"]["_id"], "interval": change["interval"]}
        answer = self.ask("POST", "subscription/preview", None, {**body, "when": "periodEnd"})
        return answer.data if answer.ok else None

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        context = self.context(form, asks=True)
        return self.page(context, status=422 if form.errors else 200)

    def do_order(self) -> HttpResponse:
        """Order the seats at the price that was shown; fewer are kept for the next period."""
        form = self.form().bind(self.request.POST)
        proof = self.request.POST.get("proof", "")
        if not proof:
            return self.do_save()
        answer = self.ask("POST", "subscription/seats", None, {"seats": form.values["seats"], "proof": proof})
        if not answer.ok:
            show_order_errors(form, answer)
            return self.page(self.context(form, asks=not form.refused_fields), status=422)
        payment = answer.data["payment"]
        if payment is None:
            return self.redirect_with_toast(_("Saved for the next period"), to=self.address("plan"))
        if payment["status"] == "paid":
            return self.redirect_with_toast(_("Seats added"), to=self.address("plan"))
        return self.redirect_with_toast(to=self.address("plan-pay", payment["id"]))
