"""Dial prefixes such as +49, read from codes and names of countries in many languages."""

from __future__ import annotations

import re
from functools import lru_cache

import phonenumbers
from babel import Locale, UnknownLocaleError
from babel.core import get_global
from babel.languages import get_official_languages

from core.text.phone_text import MAX_TEXT, to_ascii

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "tr")
"""The languages whose names are known for all countries; a country is known by its own languages, too."""
ALIASES = {
    "uk": "GB",
    "u.k.": "GB",
    "great britain": "GB",
    "britain": "GB",
    "england": "GB",
    "scotland": "GB",
    "wales": "GB",
    "northern ireland": "GB",
    "grossbritannien": "GB",
    "großbritannien": "GB",
    "grande-bretagne": "GB",
    "gran bretaña": "GB",
    "usa": "US",
    "u.s.": "US",
    "u.s.a.": "US",
    "america": "US",
    "united states of america": "US",
    "brd": "DE",
    "holland": "NL",
    "czech republic": "CZ",
    "uae": "AE",
    "korea": "KR",
    "republic of korea": "KR",
    "russian federation": "RU",
    "turkey": "TR",
    "ivory coast": "CI",
}
_FLAG = {0x1F1E6 + place: chr(ord("A") + place) for place in range(26)}
_DIGITS = re.compile(r"(?:\+|00)?([1-9][0-9]{0,2})(?:[.,]0{1,2})?")
_AREA_CODE = re.compile(r"0[1-9][0-9]{0,5}")
TITLES = frozenset({"mr", "ms", "sr", "pan"})
"""Titles of people that are codes of countries as well, in capitals: of Mauritania, Montserrat, Suriname and Panama."""
_SIGNED = re.compile(r"(?:\+|\b00)\s?([1-9][0-9]{0,2})\b")


def read_dial_code(text: str) -> int | None:
    """Return the calling code that a text means: digits, a code or name of a country, or both where they agree."""
    if len(text) > MAX_TEXT:
        return None
    plain = " ".join(to_ascii(text.translate(_FLAG)).strip("\"'=").split())
    if match := _DIGITS.fullmatch(plain.replace(" ", "").strip("()")):
        return _known_code(int(match[1]))
    codes = {_known_code(int(code)) for code in _SIGNED.findall(plain)}
    parts = [part for part in re.split(r"[()\[\],;:/|]|\s-\s", _SIGNED.sub("()", plain)) if part.strip(" -")]
    for word in parts:
        region = find_region(word.strip(" -"))
        codes.add(phonenumbers.country_code_for_region(region) if region else None)
    code = codes.pop() if len(codes) == 1 else None
    return code or None


def is_area_code(text: str) -> bool:
    """Return whether digits begin with the zero of national calls, such as 040 or (0170), and so name no country."""
    return bool(_AREA_CODE.fullmatch(re.sub(r"[\s()\"'=./-]", "", to_ascii(text))))


def _known_code(code: int) -> int | None:
    return code if code in phonenumbers.COUNTRY_CODE_TO_REGION_CODE else None


@lru_cache(maxsize=2_000)
def find_region(text: str) -> str:
    """Return the ISO 3166 code of the country with this code or name; empty if there is none, or several.

    Codes are letters of one case, since Mr and Pan are titles. A title in lower case is not a code either.
    """
    if len(text) > MAX_TEXT:
        return ""
    plain = " ".join(text.split())
    word = plain.casefold()
    if len(word) in (2, 3) and word.isalpha() and word.isascii():
        return _region_of_code(plain)
    if word in ALIASES:
        return ALIASES[word]
    if word.isdecimal():
        return ""
    regions = _names().get(word) or _native_names().get(word) or set()
    return next(iter(regions)) if len(regions) == 1 else ""


def _region_of_code(letters: str) -> str:
    """Return the country of an ISO 3166 code of two or three letters, or of an abbreviation in ALIASES."""
    word = letters.lower()
    if word in ALIASES:
        return ALIASES[word]
    if not letters.isupper() and not (letters.islower() and word not in TITLES):
        return ""
    code = letters.upper()
    if len(code) == 2:
        return code if code in phonenumbers.SUPPORTED_REGIONS else ""
    successors: list[str] = list(get_global("territory_aliases").get(code) or [])
    return successors[0] if len(successors) == 1 else ""


@lru_cache(maxsize=1)
def _names() -> dict[str, set[str]]:
    """Return name in lower case -> the countries that it means in LANGUAGES."""
    return _named(dict.fromkeys(LANGUAGES, phonenumbers.SUPPORTED_REGIONS))


@lru_cache(maxsize=1)
def _native_names() -> dict[str, set[str]]:
    """Return name in lower case -> the countries that it means in a language of their own."""
    regions: dict[str, set[str]] = {}
    for region in phonenumbers.SUPPORTED_REGIONS:
        for language in get_official_languages(region, regional=True, de_facto=True):
            regions.setdefault(language, set()).add(region)
    return _named(regions)


def _named(regions: dict[str, set[str]]) -> dict[str, set[str]]:
    named_regions: dict[str, set[str]] = {}
    for language, codes in regions.items():
        try:
            territories = Locale.parse(language).territories
        except (UnknownLocaleError, ValueError):
            continue
        for region in codes:
            if name := territories.get(region):
                named_regions.setdefault(str(name).casefold(), set()).add(region)
    return named_regions
