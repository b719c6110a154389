"""Reads of quotes that are more than a filter."""

from __future__ import annotations

from django.db.models import QuerySet

from outreach.site.quotes.models import Quote, QuoteSettings


def live_quotes() -> QuerySet[Quote]:
    """Return the quotes of the active company, without deleted ones and those of deleted leads."""
    return of_live_leads(Quote.objects.filter(deleted_at=None))


def of_live_leads(quotes: QuerySet[Quote]) -> QuerySet[Quote]:
    """Leave out the quotes of deleted leads."""
    return quotes.filter(lead__is_deleted=False)


def quote_settings() -> QuoteSettings:
    """Return the active company's settings, with the defaults until it has changed any."""
    return QuoteSettings.objects.first() or QuoteSettings()
