"""Reads of the use of AI apps, and the company's caps."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from accounts.models import CompanySettings
from core.text.formats import CURRENCY
from core.types import JsonObject
from outreach.connections.ai.budgets import Cap, month_of, next_month, plan_tokens
from outreach.connections.ai.models import AiApp, AiBudget, AiCaps, AiUsage
from outreach.connections.ai.services import notify_apps_changed

CAPS = ("monthly_token_cap", "monthly_cost_cap", "run_token_cap", "run_cost_cap")
MONTHS = 12


def settled_calls() -> QuerySet[AiUsage]:
    """Return the calls that were answered."""
    return AiUsage.objects.filter(status=AiUsage.Status.SETTLED)


def used_by_month() -> list[JsonObject]:
    """Return the usage of each app in each of the last twelve months, the newest first."""
    first = timezone.now().astimezone(dt.UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    first = first.replace(year=first.year - 1) + dt.timedelta(days=32)
    rows = (
        settled_calls()
        .filter(created_at__gte=first.replace(day=1))
        .order_by()
        # In UTC, as budgets are counted.
        .annotate(month=TruncMonth("created_at", tzinfo=dt.UTC))
        .values("month", "app_id")
        .annotate(calls=Count("pk"), sent=Sum("tokens_in"), came=Sum("tokens_out"), paid=Sum("cost"))
    )
    names = dict(AiApp.objects.values_list("pk", "name"))
    months = [
        {
            "month": month_of(row["month"]),
            "app": {"_id": row["app_id"], "name": names[row["app_id"]]} if row["app_id"] in names else None,
            "calls": row["calls"],
            "tokensIn": int(row["sent"]),
            "tokensOut": int(row["came"]),
            "cost": row["paid"],
        }
        for row in rows
    ]
    return sorted(months, key=lambda row: (row["month"], row["tokensIn"] + row["tokensOut"]), reverse=True)


def used_this_month() -> int:
    """Return the tokens that the active company's AI apps have used this month."""
    return _this_month().tokens_used


def _this_month() -> AiBudget:
    return AiBudget.objects.filter(key=f"company:{month_of(timezone.now())}").first() or AiBudget()


def currency() -> str:
    """Return the code of the currency that prices of AI apps are in: the company's."""
    return CompanySettings.objects.values_list("currency", flat=True).first() or CURRENCY


def read_caps() -> JsonObject:
    """Return the company's caps, and this month's usage."""
    now, caps = timezone.now(), AiCaps.objects.first() or AiCaps()
    budget = _this_month()
    return {
        "monthlyTokenCap": caps.monthly_token_cap,
        "monthlyCostCap": caps.monthly_cost_cap,
        "runTokenCap": caps.run_token_cap,
        "runCostCap": caps.run_cost_cap,
        "planTokens": plan_tokens(),
        "currency": currency(),
        "month": month_of(now),
        "endsAt": next_month(now),
        "tokens": budget.tokens_used,
        "cost": budget.cost_used,
        "updatedAt": caps.updated_at,
    }


def cap_of_run(tokens: int | None, cost: Decimal | None) -> Cap:
    """Return the cap of a run that names these; where it names none, it has the company's for runs."""
    caps = AiCaps.objects.first() or AiCaps()
    return Cap(caps.run_token_cap if tokens is None else tokens, caps.run_cost_cap if cost is None else cost)


@transaction.atomic
def change_caps(**values: Any) -> None:
    """Change the given caps. Work that waits for a cap is resumed."""
    caps = {name: values[name] for name in CAPS if name in values}
    # The unique company makes one row of two requests at once.
    AiCaps.objects.bulk_create([AiCaps()], ignore_conflicts=True)
    AiCaps.objects.filter().update(updated_at=timezone.now(), **caps)
    # Messages that wait for a cap would otherwise wait for their hourly look.
    notify_apps_changed()
