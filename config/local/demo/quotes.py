"""The demo's quotes: one in each state, and a version that replaces another."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from django.utils import timezone

from accounts.models import Member
from core.types import JsonObject
from crm.models import Lead, ProductService
from outreach.models import Quote
from outreach.site.quotes.answers import accept_quote, decline_quote, expire_quotes, note_view
from outreach.site.quotes.sending import mark_sent
from outreach.site.quotes.services import create_quote, revise_quote

DAYS_APART = 4
"""Days between the creations of two quotes, so that reports have several days."""
TERMS = "Payment within 30 days. Prices without transport."
TITLES = ("Coffee for two floors", "Trial week", "Espresso bar", "Beans for a year", "Filter corner", "Summer event")
"""Titles of a draft, a sent, an opened, an accepted, a declined and an expired quote."""


def create_quotes(member: Member) -> None:
    """Create the quotes on the first leads."""
    leads = list(Lead.objects.filter(is_deleted=False).order_by("pk").values_list("pk", flat=True)[: len(TITLES)])
    quotes = [
        _quote(member, lead, title, place) for place, (lead, title) in enumerate(zip(leads, TITLES, strict=False))
    ]
    if len(quotes) < len(TITLES):
        return
    _draft, sent, opened, accepted, declined, expired = quotes
    for quote in (sent, opened, accepted, declined, expired):
        mark_sent(id=quote.pk, actor_id=member.pk, automation=False)
    for quote in (opened, accepted, declined):
        quote.refresh_from_db()
        note_view(quote)
    accept_quote(accepted, name="Alex Morgan", ip=None)
    decline_quote(declined, reason="We chose a smaller machine.", ip=None)
    Quote.objects.filter(pk=expired.pk).update(valid_until=timezone.now() - timedelta(days=2))
    expire_quotes()
    revise_quote(id=declined.pk, actor_id=member.pk, automation=False)
    for place, quote in enumerate(quotes):
        created_at = timezone.now() - timedelta(days=DAYS_APART * (len(quotes) - place))
        Quote.objects.filter(pk=quote.pk).update(created_at=created_at)


def _quote(member: Member, lead: str, title: str, place: int) -> Quote:
    products = list(ProductService.objects.order_by("name").values_list("pk", flat=True))
    lines: list[JsonObject] = [
        {"product": products[place % len(products)], "quantity": Decimal(6 + place), "tax": Decimal(20)},
        {"name": "Setup on site", "quantity": Decimal(1), "unit_price": Decimal(140), "discount": Decimal(10)},
    ]
    return create_quote(
        actor_id=member.pk,
        lead_id=lead,
        values={"title": title, "lines": lines, "terms": TERMS},
        automation=False,
    )
