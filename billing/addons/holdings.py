"""Add-ons of many subscriptions for their next periods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from billing.addons.models import AddOn, AddOnPrice, SubscriptionItem
from billing.addons.services import Chosen, Item


@dataclass(frozen=True, kw_only=True)
class Holdings:
    """Add-ons of subscriptions with their prices; each read once for all of them."""

    rows: Mapping[str, Mapping[str, SubscriptionItem]]
    """Subscription -> add-on -> its row with quantity and price."""
    add_ons: Mapping[str, AddOn]
    prices: Mapping[tuple[str, str, str], Decimal]
    """(add-on, interval, currency) -> the present price."""

    @classmethod
    def read(cls, choices: Mapping[str, Chosen | None]) -> Holdings:
        """Read the add-ons of the subscriptions, and those `choices` for their next periods."""
        rows: dict[str, dict[str, SubscriptionItem]] = defaultdict(dict)
        for row in SubscriptionItem.objects.filter(subscription_id__in=list(choices)):
            rows[row.subscription_id][row.add_on_id] = row
        ids = {id for quantities in (*rows.values(), *choices.values()) for id in quantities or ()}
        if not ids:
            return cls(rows={}, add_ons={}, prices={})
        amounts = AddOnPrice.objects.filter(add_on__in=ids, currency__is_active=True)
        columns = amounts.values_list("add_on_id", "interval", "currency__code", "amount")
        prices = {(id, interval, code): amount for id, interval, code, amount in columns}
        return cls(rows=rows, add_ons=AddOn.objects.in_bulk(ids), prices=prices)

    def items(
        self, subscription_id: str, choice: Chosen | None, *, interval: str, currency: str, keeps: bool
    ) -> list[Item]:
        """Return the add-ons of a subscription's next period, in the order of the offer: the chosen ones, or else the
        present ones.

        With `keeps` the present ones keep their prices. Those without a price are omitted.
        """
        rows = self.rows.get(subscription_id, {})
        quantities = {id: row.quantity for id, row in rows.items()} if choice is None else choice
        priced_items = []
        for id, quantity in quantities.items():
            stored_amount = rows[id].unit_amount if keeps and id in rows else None
            amount = self.prices.get((id, interval, currency)) if stored_amount is None else stored_amount
            if amount is not None and id in self.add_ons:
                priced_items.append(Item(add_on=self.add_ons[id], quantity=quantity, unit_amount=amount))
        return sorted(priced_items, key=lambda item: (item.add_on.order, item.add_on.name, item.add_on.pk))
