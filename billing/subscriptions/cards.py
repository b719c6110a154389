"""The notice of a card that is about to expire, in time to save another one before a charge is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.apps import apps

from accounts.members.notices import notify
from accounts.models import Company
from billing.subscriptions.changes import Action
from billing.subscriptions.models import PAID, Subscription, SubscriptionChange
from billing.subscriptions.periods import months_after

CHARGED = (*PAID, Subscription.Status.PAUSED)


def tell_of_card(subscription: Subscription, now: datetime) -> None:
    """Notify the owners, from the month before, that the card of a locked subscription expires.

    Each card and expiry date causes one notice, which the subscription's log records.
    """
    if subscription.status not in CHARGED or subscription.cancel_at_period_end or not subscription.interval:
        return
    card = _expiring_method(now)
    if card is None:
        return
    source = f"card:{card.pk}:{card.expires_on}"
    if SubscriptionChange.objects.filter(source=source).exists():
        return
    note = f"told that {card.label} expires on {card.expires_on}"
    SubscriptionChange.objects.create(subscription=subscription, action=Action.CHANGED, note=note, source=source)
    company = Company.objects.only("name").get(pk=subscription.company_id)
    context = {"subscription": subscription, "company": company, "card": card.label, "expires_on": card.expires_on}
    notify("payment_method.expiring", context, about=("plans", subscription.pk))


def _expiring_method(now: datetime) -> Any:
    """Return the company's default method if it is a card that expires this month or the next."""
    after_next = months_after(now.astimezone(UTC).replace(day=1), 2, 1).date()
    window = {"expires_on__gte": now.date(), "expires_on__lt": after_next}
    return apps.get_model("billing", "PaymentMethod").objects.filter(is_default=True, **window).first()
