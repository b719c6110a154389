"""The page of the use of meters: this month with a forecast, and by day."""

from __future__ import annotations

from datetime import date, timedelta

from django.utils import timezone
from django.utils.translation import gettext

from core.text.spans import moment_of
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.navigation.places import PLAN_MENU
from core.web.pages import Page

NEARLY = 80
"""Percentage from which the included quantity counts as nearly used up."""

EARLY = timedelta(days=1)
"""Time from the start of a month in which no forecast is possible."""


class Usage(Page):
    path = "settings/plan/usage"
    name = "plan-usage"
    title = gettext_lazy("Usage by day")
    module = "plan"
    menu = PLAN_MENU
    needs_subscription = False
    template = "web/plans/usage.html"

    def show(self) -> Values:
        params = {name: self.request.GET[name] for name in ("from", "to") if self.request.GET.get(name)}
        answer = self.ask("GET", "subscription/usage", params)
        if params and answer.status == 400:
            self.add_error_toast(gettext("These days can't be shown. Here are the usual ones."))
            answer = self.ask("GET", "subscription/usage")
        usage = self.require_ok(answer).data
        return {"usage": usage, "meters": [meter_row(meter) for meter in usage["meters"]]}


def meter_row(meter: Values) -> JsonObject:
    """Return a meter with its tone, and its days as charts take them."""
    tone = ""
    if meter["percent"] >= 100 and not meter["price"]:
        tone = "bad"
    elif meter["percent"] >= NEARLY:
        tone = "warn"
    days = [(date.fromisoformat(str(day["day"])[:10]), [day["used"]]) for day in meter["days"]]
    return {
        **meter,
        "tone": tone,
        "names": [meter["name"]],
        "rows": days,
        "any": any(counts[0] for _, counts in days),
        "early": moment_of(meter["periodStart"]) > timezone.now() - EARLY,
        "over": meter["forecast"] > meter["included"],
    }


PAGES = [Usage]
