"""The country of the active company."""

from __future__ import annotations

import phonenumbers

from accounts.companies.models import Company
from core.tenancy import company_id


def default_country() -> str:
    """Return the ISO 3166 code of the active company's country, or else that of its dial prefix; empty for neither."""
    country, prefix = Company.objects.values_list("country", "country_code").get(pk=company_id())
    digits = prefix.strip().lstrip("+")
    if country or not digits.isdecimal():
        return country
    region = phonenumbers.region_code_for_country_code(int(digits))
    return "" if region in ("ZZ", "001") else region
