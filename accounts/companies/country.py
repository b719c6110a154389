"""The country whose national phone numbers the active company means."""

from __future__ import annotations

import phonenumbers

from accounts.companies.models import Company
from core.tenancy import company_id
from core.text.whole_numbers import whole_number


def default_country() -> str:
    """Return the ISO 3166 code of the active company's country, or else of its dial prefix; empty if neither is known.

    Countries that share a prefix, such as +1, have one format of national numbers: the largest represents all of them.
    """
    row = Company.objects.filter(pk=company_id()).values_list("country", "country_code").first()
    country, prefix = row or ("", "")
    if country in phonenumbers.SUPPORTED_REGIONS:
        return str(country)
    code = prefix.removeprefix("+")
    region = phonenumbers.region_code_for_country_code(number) if (number := whole_number(code)) else ""
    return region if region in phonenumbers.SUPPORTED_REGIONS else ""
