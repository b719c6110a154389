"""The country and the currency of a new company, from the time zone and the language of its owner's browser."""

from __future__ import annotations

from dataclasses import dataclass

from babel.core import get_global

from accounts.places.data import find_country
from core.errors import NamedError
from core.text.formats import currency_of
from core.text.timezones import is_timezone

UNPLACED = ("ZZ", "001", None)
"""CLDR's territories of zones without a country, such as UTC."""
UNTOLD = "en-US"
"""The language of browsers that hide their own, so that its region says nothing."""


@dataclass(frozen=True, slots=True)
class Locality:
    """A company's time zone, and its country and currency where they are known."""

    timezone: str = "UTC"
    country: str = ""
    currency: str = ""


def locality_of(timezone: str, language: str) -> Locality:
    """Return the locality that a browser names. Unknown values keep their defaults.

    The zone decides the country. The region of the language, as in de-AT, stands in for a zone without a country.
    """
    if not is_timezone(timezone):
        timezone = "UTC"
    country = _country(_territory(timezone)) or ("" if language == UNTOLD else _country(language.partition("-")[2]))
    return Locality(timezone, country, currency_of(country) if country else "")


def _territory(timezone: str) -> str:
    canonical = get_global("zone_aliases").get(timezone, timezone)
    territory = get_global("zone_territories").get(canonical)
    return "" if territory in UNPLACED else str(territory)


def _country(code: str) -> str:
    """Return the code of a country of ISO 3166-1, or an empty text."""
    if len(code) != 2:
        return ""
    try:
        return find_country(code).iso2
    except NamedError:
        return ""
