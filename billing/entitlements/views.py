"""Endpoints of plans (contract 4.9): the company's subscription and its use, and the plans on offer."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django.db.models import Q
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from accounts.models import CompanySettings
from billing.addons.selectors import items_of, offered_add_ons
from billing.entitlements.selectors import SEATS, terms_of, usage_of
from billing.entitlements.serializers import NONE, PlanOffered, SubscriptionPlans
from billing.payments.periods import running_period
from billing.plans.filters import PLAN_FIELDS
from billing.plans.models import Currency, Plan
from billing.plans.serializers import CurrencyOut, PlanCurrencyOut, PlanOut, as_kept
from billing.subscriptions.models import Subscription
from billing.subscriptions.selectors import grace_begins, is_open, primary_subscription, restricted_phase
from core.access import Entitlement
from core.access.meters import METERS
from core.api.endpoint import endpoint
from core.api.listing import Listing, Within
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError, shorten
from core.types import JsonObject

CURRENCY = OpenApiParameter(
    "currency", str, description="ISO 4217 code, whatever its case; without it that of the company's settings."
)
FALLBACK = "USD"


def plan_data(id: str, currency: str) -> JsonObject:
    """Return the currency, with the plan and its prices in that currency.

    Raises PlanNotFound_400 unless the plan is on offer or the company's own.
    """
    own = Subscription.objects.filter(is_primary=True, plan__isnull=False).values("plan")
    plan = PlanOut.one(Plan.objects.filter(Q(is_public=True) | Q(pk__in=own), pk=id))
    if plan is None:
        raise NamedError("PlanNotFound_400", "there is no such plan on offer", field="id")
    currency_code = choose_currency(currency, [price["currency"] for price in plan["prices"]])
    prices = [price for price in plan["prices"] if price["currency"] == currency_code["code"]]
    meters = [
        {**meter, "prices": [price for price in meter["prices"] if price["currency"] == currency_code["code"]]}
        for meter in plan["meters"]
    ]
    return {**currency_code, "plan": {**plan, "prices": prices, "meters": meters}}


def choose_currency(requested: str, priced: list[str]) -> JsonObject:
    """Return the currency asked for, or the best one of a plan's prices: the company's own, US dollars, then any.

    Raises InvalidRequest_400 for a currency that is not on offer.
    """
    active = Currency.objects.filter(is_active=True)
    if requested:
        currency = CurrencyOut.one(active.filter(code=requested.upper()))
        if currency is None:
            raise NamedError(
                "InvalidRequest_400",
                f"choose another currency; {shorten(requested, 20)} is not on offer",
                field="currency",
            )
        return currency
    own = CompanySettings.objects.values_list("currency", flat=True).first() or FALLBACK
    fitting = [code for code in (own, FALLBACK, *priced) if code in priced]
    currency = CurrencyOut.one(active.filter(code=(fitting or [own])[0])) or CurrencyOut.one(
        Currency.objects.order_by("code")
    )
    if currency is None:
        raise NamedError("InvalidRequest_400", "no currency is on offer", field="currency")
    return currency


def subscription_data(subscription: Subscription | None = None) -> JsonObject:
    """Return the active company's subscription under its output names. It is read from the database unless it is
    given."""
    subscription = subscription or primary_subscription()
    allowed = terms_of(subscription) if subscription else Entitlement(frozenset())
    used = usage_of(allowed)
    running = running_period(subscription) if subscription else (None, None)
    seats, total = used.pop(SEATS)
    limits = [
        {"module": module, "limit": limit, "used": number, "monthly": module in METERS}
        for module, (number, limit) in used.items()
    ]
    return {
        "_id": subscription and subscription.pk,
        "status": subscription.status if subscription else NONE,
        "isOpen": subscription is not None and is_open(subscription),
        "plan": _plan_of(subscription),
        "interval": subscription.interval if subscription else "",
        "currency": subscription.currency if subscription else "",
        "seats": {"used": seats, "total": total},
        "period": {"start": running[0], "end": subscription and subscription.period_end, "runsUntil": running[1]},
        "startsAt": subscription and subscription.starts_at,
        "endsAt": subscription and subscription.ends_at,
        "cancelAtPeriodEnd": subscription is not None and subscription.cancel_at_period_end,
        "scheduledChange": scheduled_change(subscription),
        "scheduledSeats": (subscription.scheduled or {}).get("seats") if subscription else None,
        "pauseMonths": subscription.plan.pause_months if subscription and subscription.plan else 0,
        "pausedUntil": subscription and subscription.paused_until,
        "phase": restricted_phase(subscription.status, subscription.ends_at)
        if subscription and is_open(subscription)
        else "",
        "graceAt": _grace_at(subscription),
        "modules": None if allowed.modules is None else sorted(allowed.modules),
        "limits": limits,
        "addOns": items_of(subscription.pk) if subscription else [],
        "createdAt": subscription and subscription.created_at,
        "updatedAt": subscription and subscription.updated_at,
    }


def scheduled_change(subscription: Subscription | None) -> JsonObject | None:
    """Return the plan of the subscription's next period, or None if it keeps its own."""
    scheduled = (subscription.scheduled or {}) if subscription else {}
    plan = Plan.objects.filter(pk=scheduled["plan"]).first() if subscription and "plan" in scheduled else None
    if subscription is None or plan is None:
        return None
    name = {"_id": plan.pk, "name": plan.name}
    return {"plan": name, "interval": scheduled["interval"], "seats": scheduled["seats"], "at": subscription.period_end}


def _grace_at(subscription: Subscription | None) -> datetime | None:
    """Return when the phase of grace begins, or has begun, of a subscription that is past due."""
    if subscription is None or subscription.status != Subscription.Status.PAST_DUE or subscription.ends_at is None:
        return None
    return grace_begins(subscription.ends_at)


def _plan_of(subscription: Subscription | None) -> JsonObject | None:
    """Return the plan of a subscription as it pays for it."""
    plan = PlanOut.one(Plan.objects.filter(pk=subscription.plan_id)) if subscription and subscription.plan_id else None
    return as_kept(plan, subscription.version) if plan is not None and subscription is not None else None


def subscription_and_offer() -> JsonObject:
    """Return the active company's subscription, and the add-ons on offer."""
    return {**subscription_data(), "offeredAddOns": offered_add_ons()}


class PlanViewSet(ResourceViewSet):
    module = "plan"
    listing = Listing(
        "Read the subscription and list the plans on offer",
        partial(Plan.objects.filter, is_public=True),
        PLAN_FIELDS,
        PlanOffered,
        within=Within(SubscriptionPlans, "plans", subscription_and_offer),
        needs_subscription=False,
        description="data is the company's subscription, with its seats, limits and what is used of them; the page of"
        " plans stands in its field plans, and add-ons in offeredAddOns. Open without a subscription.",
    )

    @endpoint(
        "Read a plan and its prices in a currency",
        output=PlanCurrencyOut,
        parameters=(CURRENCY,),
        errors=("PlanNotFound_400", "InvalidRequest_400"),
        needs_subscription=False,
        description="data is the currency, with the plan in it. Without `currency` it is that of the company's"
        " settings; where the plan has no price in that, US dollars or else the first that it has one in."
        " Open without a subscription.",
    )
    def retrieve(self, request: Request, id: str) -> object:
        return plan_data(id, request.query_params.get("currency", ""))
