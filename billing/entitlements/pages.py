"""The page of the plan: the subscription, its use, and the plans on offer."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext as _

from billing.entitlements.types import SubscriptionPlansData
from core.text.labels.modules import NAMES, name_of
from core.text.spans import days_until
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option
from core.web.navigation.places import PLAN_MENU
from core.web.pages import Page

STATES = {
    "none": (gettext_lazy("No subscription"), "bad"),
    "trial": (gettext_lazy("Trial"), "info"),
    "active": (gettext_lazy("Active"), "ok"),
    "past_due": (gettext_lazy("To be paid"), "warn"),
    "paused": (gettext_lazy("Paused"), "warn"),
    "cancelled": (gettext_lazy("Cancelled"), "bad"),
    "expired": (gettext_lazy("Ended"), "bad"),
}
INTERVALS = {"month": gettext_lazy("a month"), "year": gettext_lazy("a year")}
PAID_BY = {"month": gettext_lazy("Monthly"), "year": gettext_lazy("Yearly")}
MAX_SEATS = 1_000_000
NEARLY = 80
"""From so many percent on, a limit is nearly reached."""


def use(module: str, used: int, limit: int | None, *, monthly: bool = False) -> JsonObject:
    """Return the use of a limit, with the percent and its tone."""
    percent = 0
    if limit is not None:
        percent = min(100, 100 * used // limit) if limit else 100
    tone = ""
    if percent >= 100:
        tone = "bad"
    elif percent >= NEARLY:
        tone = "warn"
    return {
        "words": name_of(module),
        "used": used,
        "limit": limit,
        "percent": percent,
        "tone": tone,
        "monthly": monthly,
    }


@dataclass(frozen=True)
class Choice:
    """The options of the plan comparison: interval, currency and number of seats."""

    interval: str
    currency: str
    seats: int

    @property
    def words(self) -> str:
        return INTERVALS[self.interval]


def shown_plan(plan: Values, choice: Choice, subscription: SubscriptionPlansData) -> JsonObject:
    """Return a plan with its price for the chosen options, and the label of its button."""
    price = next(
        (
            entry
            for entry in plan["prices"]
            if (entry["currency"], entry["interval"]) == (choice.currency, choice.interval)
        ),
        None,
    )
    people = max(choice.seats, plan["minSeats"])
    fits = plan["maxSeats"] is None or people <= plan["maxSeats"]
    total = None
    if price is not None and fits:
        amount = price["amount"] + price["seatAmount"] * (people - plan["minSeats"])
        total = {"amount": amount, "currency": choice.currency}
    saved = [entry["percent"] for entry in plan["yearlySaving"] if entry["currency"] == choice.currency]
    label, waits = label_of(plan, choice, subscription)
    gains, loses = changes_of(plan, subscription)
    order = {module: place for place, module in enumerate(NAMES)}
    sized = sorted(plan["limits"].items(), key=lambda entry: order.get(entry[0], len(order)))
    return {
        **plan,
        "price": price,
        "people": people,
        "fits": fits,
        "total": total,
        "saves": _("%(saved)s%% less than twelve months") % {"saved": saved[0]}
        if saved and choice.interval == "year"
        else "",
        "bounds": [(name_of(module), number) for module, number in sized],
        "gains": gains,
        "loses": loses,
        "label": label,
        "waits": waits,
        "ordered": "" if label == AHEAD else people,  # a period is paid ahead with the seats of the running one
    }


def changes_of(plan: Values, subscription: SubscriptionPlansData) -> tuple[list[str], list[str]]:
    """Return the gains and losses of a company that changes to another plan: features and limits."""
    mine = subscription["plan"]
    if mine is None or plan["current"] or not subscription["isOpen"]:
        return [], []
    present = mine["features"]
    offered = plan["features"]
    gains = [feature for feature in offered if feature not in present]
    loses = [feature for feature in present if feature not in offered]
    for module in {**mine["limits"], **plan["limits"]}:
        before, after = mine["limits"].get(module), plan["limits"].get(module)
        if before == after:
            continue
        change = _("%(name_of)s: %(bound)s instead of %(bound_2)s") % {
            "name_of": name_of(module),
            "bound": _limit_text(after),
            "bound_2": _limit_text(before),
        }
        (loses if after is not None and (before is None or after < before) else gains).append(change)
    return gains, loses


def left_out_of(subscription: SubscriptionPlansData) -> list[str]:
    """Return the features of other plans that the running plan does not include."""
    mine = subscription["plan"]
    if mine is None or not subscription["isOpen"]:
        return []
    offered = dict.fromkeys(feature for plan in subscription["plans"] for feature in plan["features"])
    return [feature for feature in offered if feature not in mine["features"]]


def _limit_text(limit: int | None) -> str:
    return _("no limit") if limit is None else f"{limit:,}"


AHEAD = gettext_lazy("Pay the next period")


def label_of(plan: Values, choice: Choice, subscription: SubscriptionPlansData) -> tuple[str, bool]:
    """Return the label of a plan's button, and whether the end date of the paid period follows."""
    pays = subscription["isOpen"] and subscription["status"] != "trial" and subscription["interval"]
    if not pays:
        return _("Choose"), False
    if subscription["status"] == "past_due":  # its renewal is to be paid; another plan begins where the paid one ended
        return ("", False) if plan["current"] else (_("Choose"), False)
    if plan["current"] and choice.interval == subscription["interval"]:
        return AHEAD, False
    if (pays, choice.interval) == ("year", "month"):
        return _("Change on"), True
    if plan["current"]:
        return _("Pay by the year"), False
    return (_("Downgrade on"), True) if plan["change"] == "downgrade" else (_("Upgrade now"), False)


class PlanAndUse(Page):
    path = "settings/plan"
    name = "plan"
    title = gettext_lazy("Plan and usage")
    menu = PLAN_MENU
    purpose = gettext_lazy("Your subscription, your usage and all plans.")
    module = "plan"
    needs_subscription = False
    template = "web/plans/plan.html"

    def show(self) -> Values:
        subscription: SubscriptionPlansData = self.read(
            "plans", {"p": "1", "n": "50", "sortBy": "order", "sortOrder": "asc"}
        ).data
        state, tone = STATES.get(subscription["status"], (subscription["status"], "none"))
        seats = use("member", subscription["seats"]["used"], subscription["seats"]["total"])
        uses = [
            seats,
            *(
                use(entry["module"], entry["used"], entry["limit"], monthly=entry["monthly"])
                for entry in subscription["limits"]
            ),
        ]
        choice = self.choice(subscription)
        params = {"p": "1", "n": "1", "filters": {"status": "open"}}
        is_due = subscription["status"] == "past_due" and self._may("POST")
        return {
            "subscription": subscription,
            "due": next(iter(self.read("manual-payment", params).data), None) if is_due else None,
            "days": days_until(subscription["endsAt"]),
            "state": state,
            "tone": tone,
            "interval": INTERVALS.get(subscription["interval"], ""),
            "left_out": left_out_of(subscription),
            "chosen": choice,
            "form": self.form(subscription, choice),
            "uses": uses,
            "short": sorted(
                (entry for entry in uses if entry["tone"] and entry["limit"] > 1), key=lambda entry: -entry["percent"]
            ),
            "can_buy": self._may("POST"),
            "can_change": subscription["_id"] is not None and self._may("PUT"),
            "plans": [
                shown_plan(entry, choice, subscription) for entry in subscription["plans"] if not entry["isTrial"]
            ],
        }

    def choice(self, subscription: SubscriptionPlansData) -> Choice:
        """Return the options of the plan comparison from the address, else from the subscription."""
        params = self.request.GET
        priced = {price["currency"] for plan in subscription["plans"] for price in plan["prices"]}
        currencies = [
            params.get("currency", ""),
            subscription["currency"],
            self.reader.formats.currency,
            "USD",
            *sorted(priced),
        ]
        interval = params.get("interval", "")
        seats = params.get("seats", "")
        return Choice(
            interval if interval in INTERVALS else subscription["interval"] or "month",
            next((code for code in currencies if code in priced), ""),
            min(int(seats), MAX_SEATS) if seats.isdecimal() and len(seats) < 10 else subscription["seats"]["used"],
        )

    def form(self, subscription: SubscriptionPlansData, choice: Choice) -> Form:
        priced = sorted({price["currency"] for plan in subscription["plans"] for price in plan["prices"]})
        options = [Option(name, label) for name, label in PAID_BY.items()]
        fields = [Field("interval", _("Billing period"), kind="radio", options=options, initial=choice.interval)]
        if len(priced) > 1:
            codes = [Option(code, code) for code in priced]
            fields.append(
                Field("currency", _("Currency"), kind="select", required=True, options=codes, initial=choice.currency)
            )
        return Form(fields=[*fields, Field("seats", _("People"), kind="number", initial=choice.seats)])

    def _may(self, method: str) -> bool:
        """Return whether the role allows it; a lapsed company's plan is not asked."""
        return self.reader.member is not None and self.reader.member.may("plan", method)

    def do_keep(self) -> HttpResponse:
        """Cancel the changes scheduled for the end of the paid period."""
        subscription: SubscriptionPlansData = self.read("plans", {"p": "1", "n": "1"}).data
        plan = subscription["plan"]
        if subscription["scheduledChange"] is not None and plan is not None:
            body = {"planID": plan["_id"], "interval": subscription["interval"], "when": "periodEnd"}
            answer = self.ask("POST", "subscription", None, body)
        elif subscription["scheduledSeats"] is not None:
            answer = self.ask("POST", "subscription/seats", None, {"seats": subscription["seats"]["total"]})
        else:
            return self.redirect_with_toast()
        return self.redirect_with_toast(_("No changes")) if answer.ok else self.refuse(answer)

    def do_go_on(self) -> HttpResponse:
        """Take a cancellation back; the banner of every page does so too."""
        subscription: SubscriptionPlansData = self.read("plans", {"p": "1", "n": "1"}).data
        answer = self.ask("PUT", f"subscription/{subscription['_id']}", None, {"cancelAtPeriodEnd": False})
        return self.redirect_with_toast(_("Resumed")) if answer.ok else self.refuse(answer)


PAGES = [PlanAndUse]
