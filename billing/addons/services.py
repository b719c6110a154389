"""Add-ons of subscriptions: choices from the offer, and those that a subscription has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from billing.addons.models import AddOn, AddOnPrice, SubscriptionItem
from billing.subscriptions.models import Subscription
from core.errors import NamedError
from core.types import JsonObject, Values

Chosen = Mapping[str, int]
"""Id of an add-on -> how many of it."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """An add-on of an order, with the price of one for the order's interval."""

    add_on: AddOn
    quantity: int
    unit_amount: Decimal


def count_addons(subscription: Subscription) -> dict[str, int]:
    """Return how many the subscription has of each add-on."""
    return dict(SubscriptionItem.objects.filter(subscription=subscription).values_list("add_on_id", "quantity"))


def items_for(
    subscription: Subscription, quantities: Chosen, *, currency: str, interval: str, keeps: bool
) -> list[Item]:
    """Return the chosen add-ons with their prices, in the order of the offer.

    With `keeps` the subscription's present ones keep their prices. Raises BadRequest_400 for one that is not on offer,
    or not for the interval in the currency.
    """
    rows = SubscriptionItem.objects.filter(subscription=subscription).select_related("add_on")
    present = {row.add_on_id: row for row in rows}
    stored_amounts = {id: row.unit_amount for id, row in present.items()} if keeps else {}
    prices = AddOnPrice.objects.filter(add_on__in=list(quantities), interval=interval, currency__code=currency)
    priced = dict(prices.filter(currency__is_active=True).values_list("add_on_id", "amount"))
    items = []
    for add_on in AddOn.objects.filter(pk__in=list(quantities)).order_by("order", "name", "pk"):
        amount = stored_amounts.get(add_on.pk, priced.get(add_on.pk))
        if amount is None:
            detail = f"{add_on.name} has no price for a {interval} in {currency}"
            raise NamedError("BadRequest_400", detail, field="addOns")
        if add_on.is_public or add_on.pk in present:
            items.append(Item(add_on=add_on, quantity=quantities[add_on.pk], unit_amount=amount))
    if len(items) != len(quantities):
        raise NamedError("BadRequest_400", "choose add-ons on offer", field="addOns")
    return items


def addons_to_json(items: Sequence[Item]) -> list[JsonObject]:
    """Return the form in which an order stores its add-ons."""
    return [{"addOn": item.add_on.pk, "quantity": item.quantity, "amount": str(item.unit_amount)} for item in items]


def set_items(subscription: Subscription, order_items: Sequence[Values]) -> JsonObject:
    """Set the add-ons of a locked subscription to those of a paid order, in the caller's transaction.

    Returns the subscription's `extras`: the added modules and limits. An add-on keeps those that it had when it was
    bought.
    """
    ordered_by_id = {order_item["addOn"]: order_item for order_item in order_items}
    rows = {row.add_on_id: row for row in SubscriptionItem.objects.filter(subscription=subscription)}
    SubscriptionItem.objects.filter(pk__in=[row.pk for id, row in rows.items() if id not in ordered_by_id]).delete()
    now = AddOn.objects.in_bulk([id for id in ordered_by_id if id not in rows])
    for id, order_item in ordered_by_id.items():
        row = rows.get(id) or SubscriptionItem(
            subscription=subscription, add_on=now[id], modules=now[id].modules, limits=now[id].limits
        )
        row.quantity = order_item["quantity"]
        row.unit_amount = Decimal(order_item["amount"])
        row.save()
    return extras_of(subscription)


def extras_of(subscription: Subscription) -> JsonObject:
    """Return the total of the subscription's add-ons: modules and limits."""
    modules: set[str] = set()
    limits: dict[str, int] = {}
    for row in SubscriptionItem.objects.filter(subscription=subscription).order_by("pk"):
        modules |= set(row.modules)
        for name, number in row.limits.items():
            limits[name] = limits.get(name, 0) + number * row.quantity
    return {"modules": sorted(modules), "limits": limits} if modules or limits else {}
