"""The country whose national phone numbers the active company means."""

from __future__ import annotations

import phonenumbers

from accounts.companies.models import Company
from core.tenancy import company_id


def default_country() -> str:
    """Return the ISO 3166 code of the active company's country, or else of its dial prefix; empty if neither is clear.

    A dial prefix counts if it belongs to one country: +49 does, +1 does not.
    """
    found = Company.objects.filter(pk=company_id()).values_list("country", "country_code").first()
    country, prefix = found or ("", "")
    if country in phonenumbers.SUPPORTED_REGIONS:
        return str(country)
    code = prefix.removeprefix("+")
    regions = phonenumbers.region_codes_for_country_code(int(code)) if code.isdecimal() else ()
    known = [region for region in regions if region in phonenumbers.SUPPORTED_REGIONS]
    return known[0] if len(known) == 1 else ""
