"""The page of the plan: the subscription, what is used of it, and the plans on offer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

from core.text.modules import NAMES, name_of
from core.web.settings import SettingsPage

STATES = {
    "none": ("No subscription", "bad"),
    "trial": ("Trial", "info"),
    "active": ("Active", "ok"),
    "past_due": ("To be paid", "warn"),
    "cancelled": ("Cancelled", "bad"),
    "expired": ("Ended", "bad"),
}
INTERVALS = {"month": "a month", "year": "a year"}
NEARLY = 80
"""From so many percent on, a limit is nearly reached."""


def use(module: str, used: int, limit: int | None, *, monthly: bool = False) -> dict[str, Any]:
    """Return what is used of a limit, with the percent and its tone."""
    percent = 0 if limit is None else 100 if not limit else min(100, 100 * used // limit)
    tone = "bad" if percent >= 100 else "warn" if percent >= NEARLY else ""
    return {
        "words": name_of(module),
        "used": used,
        "limit": limit,
        "percent": percent,
        "tone": tone,
        "monthly": monthly,
    }


def shown_plan(plan: Mapping[str, Any], current: str, currency: str) -> dict[str, Any]:
    """Return a plan with its prices in the currency of the subscription, or in the first one that it has."""
    codes = [one["currency"] for one in plan["prices"]]
    chosen = currency if currency in codes else "USD" if "USD" in codes else codes[0] if codes else ""
    prices = [
        {**one, "interval": INTERVALS.get(one["interval"], one["interval"])}
        for one in plan["prices"]
        if one["currency"] == chosen
    ]
    order = {module: place for place, module in enumerate(NAMES)}
    sized = sorted(plan["limits"].items(), key=lambda one: order.get(one[0], len(order)))
    limits = [(name_of(module), number) for module, number in sized]
    return {**plan, "prices": prices, "bounds": limits, "current": plan["_id"] == current}


class PlanAndUse(SettingsPage):
    path = "settings/plan"
    name = "plan"
    title = "Plan and use"
    tab = "Plan and use"
    place = 90
    icon = "gauge"
    about = "The subscription, what is used of it, and the plans on offer."
    module = "plan"
    needs_subscription = False
    template = "web/plans/plan.html"

    def show(self) -> Mapping[str, Any]:
        found = self.read("plans", {"p": "1", "n": "50", "sortBy": "order", "sortOrder": "asc"}).data
        words, tone = STATES.get(found["status"], (found["status"], "none"))
        seats = use("member", found["seats"]["used"], found["seats"]["total"])
        uses = [
            seats,
            *(use(one["module"], one["used"], one["limit"], monthly=one["monthly"]) for one in found["limits"]),
        ]
        current = (found["plan"] or {}).get("_id", "")
        return {
            "subscription": found,
            "state": words,
            "tone": tone,
            "interval": INTERVALS.get(found["interval"], ""),
            "uses": uses,
            "short": sorted((one for one in uses if one["tone"] and one["limit"] > 1), key=lambda one: -one["percent"]),
            "can_buy": self._may("POST"),
            "can_change": found["_id"] is not None and self._may("PUT"),
            "plans": [shown_plan(one, current, found["currency"]) for one in found["plans"]],
        }

    def _may(self, method: str) -> bool:
        """Tell whether the role allows it; a lapsed company's plan is not asked."""
        return self.reader.member is not None and self.reader.member.may("plan", method)

    def do_cancel(self) -> HttpResponse:
        return self._end(True, "It ends when what is paid is over")

    def do_go_on(self) -> HttpResponse:
        return self._end(False, "It goes on")

    def _end(self, ends: bool, text: str) -> HttpResponse:
        answer = self.ask("PUT", f"subscription/{self.sent_id()}", None, {"cancelAtPeriodEnd": ends})
        return self.done(text) if answer.ok else self.refuse(answer)


PAGES = [PlanAndUse]
