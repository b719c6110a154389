"""The page for cancelling a subscription: the time, and the losses."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from billing.checkout.pages.base import BillingPage
from core.text.spans import days_until
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form

END, NOW = "periodEnd", "now"
UNSURE = gettext_lazy("Tick the box to cancel now.")


class CancelPlan(BillingPage):
    path = "settings/plan/cancel"
    name = "plan-cancel"
    title = gettext_lazy("Cancel")
    template = "web/plans/cancel.html"

    @cached_property
    def primary_subscription(self) -> Values | None:
        """Return the subscription with its unused amount, or None."""
        rows = self.read("subscription", {"p": "1", "n": "1", "filters": {"isPrimary": True}}).data
        return self.read(f"subscription/{rows[0]['_id']}").data if rows else None

    @cached_property
    def ways(self) -> list[str]:
        """Return the possible times of cancellation: at the end of the paid period, now, both or none."""
        subscription = self.primary_subscription
        if subscription is None or not subscription["isOpen"] or not self.may_buy("PUT"):
            return []
        runs = subscription["status"] in ("active", "trial") and days_until(subscription["period"]["end"]) > 0
        ways = [END] if runs and not subscription["cancelAtPeriodEnd"] else []
        return [*ways, NOW] if self.may_buy("DELETE") else ways

    def form(self) -> Form:
        when = self.request.POST.get("when", "")
        return Form(
            fields=[
                Field("when", "", kind="hidden", initial=when if when in self.ways else (self.ways or [""])[0]),
                Field("sure", _("I understand this can't be undone"), kind="switch"),
            ]
        )

    def show(self) -> Values:
        return self.context(self.form())

    def context(self, form: Form) -> JsonObject:
        subscription = self.primary_subscription
        return {
            "form": form,
            "chosen": form.values["when"],
            "subscription": subscription,
            "ways": self.ways,
            "days": days_until(subscription["period"]["end"]) if subscription else 0,
            "sure": form["sure"],
        }

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        when = form.values["when"]
        subscription = self.primary_subscription
        if subscription is None or when not in self.ways:
            return self.fail(_("Choose when to cancel"))
        if when == NOW and not form.values["sure"]:
            form.add_error("sure", UNSURE)
            return self.page(self.context(form), status=422)
        if when == NOW:
            answer = self.ask("DELETE", f"subscription/{subscription['_id']}", None, {"when": NOW, "forfeit": True})
        else:
            answer = self.ask("PUT", f"subscription/{subscription['_id']}", None, {"cancelAtPeriodEnd": True})
        if not answer.ok:
            return self.refuse(answer)
        text = _("The subscription has ended") if when == NOW else _("Ends after the paid period")
        return self.redirect_with_toast(text, to=self.address("plan"))
