"""Reads of add-ons, as answers show them."""

from __future__ import annotations

from django.db.models import Prefetch

from billing.addons.models import AddOn, AddOnPrice, SubscriptionItem
from core.types import JsonObject


def offered_add_ons() -> list[JsonObject]:
    """Return the add-ons on offer with their prices, under their output names."""
    priced = AddOnPrice.objects.filter(currency__is_active=True).select_related("currency")
    prices = Prefetch("prices", priced.order_by("currency__code", "interval"))
    rows = AddOn.objects.filter(is_public=True).order_by("order", "name", "pk").prefetch_related(prices)
    return [
        {
            "_id": row.pk,
            "name": row.name,
            "description": row.description,
            "modules": row.modules,
            "limits": row.limits,
            "prices": [
                {"currency": price.currency.code, "interval": price.interval, "amount": float(price.amount)}
                for price in row.prices.all()
            ],
        }
        for row in rows
    ]


def items_of(subscription_id: str) -> list[JsonObject]:
    """Return the add-ons that a subscription has, under their output names."""
    rows = SubscriptionItem.objects.filter(subscription_id=subscription_id).select_related("add_on")
    return [
        {"addOnID": row.add_on_id, "name": row.add_on.name, "quantity": row.quantity}
        for row in rows.order_by("add_on__order", "add_on__name", "pk")
    ]
