"""The page on which a subscription is paused and resumed."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime, time

from django.http import HttpResponse
from django.utils.translation import gettext as _

from billing.checkout.pages.base import BillingPage
from core.text.timezones import zone_of
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.forms import Field, Form


class PauseForm(Form):
    until = Field(label=gettext_lazy("Until"), kind="date", required=True)


class PausePlan(BillingPage):
    path = "settings/plan/pause"
    name = "plan-pause"
    title = gettext_lazy("Pause")
    template = "web/plans/pause.html"

    def show(self) -> Values:
        subscription = self.subscription
        months = subscription["pauseMonths"]
        return {
            "subscription": subscription,
            "months": months,
            "form": PauseForm() if months and self.may_buy("PUT") else None,
            "can_change": self.may_buy("PUT"),
        }

    def do_save(self) -> HttpResponse:
        """Pause until the day begins on the company's clock."""
        form = PauseForm().bind(self.request.POST)
        until = form.values["until"]
        with suppress(ValueError, TypeError):  # the API refuses what is no day
            day = date.fromisoformat(until)
            until = datetime.combine(day, time(), zone_of(self.reader.formats.timezone)).isoformat()
        return self._change({"until": until}, _("Paused"), form)

    def do_resume(self) -> HttpResponse:
        return self._change(None, _("Resumed"))

    def _change(self, paused: Values | None, text: str, form: Form | None = None) -> HttpResponse:
        answer = self.ask("PUT", f"subscription/{self.subscription['_id']}", None, {"paused": paused})
        if answer.ok:
            return self.redirect_with_toast(text, to=self.address("plan"))
        return self.invalid(form, answer) if form else self.refuse(answer)
