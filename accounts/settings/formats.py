"""The formats in which a company's people read dates, times and amounts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from time import monotonic
from zoneinfo import ZoneInfo

from accounts.companies.models import Company
from accounts.settings.models import CompanySettings
from core.tenancy import unscoped
from core.text.formats import Formats
from core.text.timezones import zone_of

ZONE_SECONDS = 60
"""Seconds for which a process caches a company's time zone, which each sent message asks for."""


def formats_of(company_id: str | None) -> Formats:
    """Return the company's formats, or the service's without a company."""
    if company_id is None:
        return Formats()
    with unscoped(reason="formats: how the company that is asked for writes"):
        settings = CompanySettings.objects.filter(company_id=company_id)
        columns = ("company__timezone", "date_format", "time_format", "currency", "company__country")
        row = settings.values_list(*columns).first()
        if row is None:
            zone = Company.objects.filter(pk=company_id).values_list("timezone", flat=True).first()
            return Formats() if zone is None else Formats(zone)
    timezone, date_format, time_format, currency, country = row
    return Formats(timezone, date_format, time_format, currency, country)


def zone_of_company(company_id: str) -> ZoneInfo:
    """Return the company's time zone, as it was within the last minute."""
    return _kept_zone(company_id, int(monotonic() // ZONE_SECONDS))


@lru_cache(maxsize=10_000)
def _kept_zone(company_id: str, minute: int) -> ZoneInfo:
    return zone_of(formats_of(company_id).timezone)


def currencies_of(company_ids: Iterable[str]) -> dict[str, str]:
    """Return company -> its currency, of those that have chosen one, by one query."""
    with unscoped(reason="formats: what currency the companies that are asked for use"):
        rows = CompanySettings.objects.filter(company_id__in=list(company_ids))
        return dict(rows.values_list("company_id", "currency"))
