"""The names of months and days of the week in the languages that files come in, by the CLDR's data (Babel)."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from babel.core import Locale

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "nb", "fi", "cs", "ru", "tr")
MAX_WORD = 60
_MORE_MONTHS = {"sept": 9, "maerz": 3, "jaenner": 1, "janner": 1}


def fold_word(text: str) -> str:
    """Return a word in the form that the names are compared in: lower case, without accents and dots."""
    spread = unicodedata.normalize(
        "NFKD", text[:MAX_WORD].casefold().replace("ı", "i").replace("ł", "l").replace("ø", "o")
    )
    return "".join(char for char in spread if not unicodedata.combining(char)).strip(".")


@lru_cache(maxsize=1)
def month_numbers() -> dict[str, int]:
    """Return month's name or abbreviation -> 1 to 12. A name of two months in two languages is left out."""
    numbers_by_name: dict[str, set[int]] = {}
    for months in _names("months"):
        for number, name in months.items():
            numbers_by_name.setdefault(fold_word(name), set()).add(number)
    return {
        name: min(numbers) for name, numbers in numbers_by_name.items() if len(numbers) == 1 and name
    } | _MORE_MONTHS


@lru_cache(maxsize=1)
def weekday_names() -> frozenset[str]:
    """Return the names and abbreviations of the days of the week."""
    return frozenset(fold_word(name) for days in _names("days") for name in days.values()) - {""}


def _names(part: str) -> list[dict[int, str]]:
    return [
        dict(names[width])
        for language in LANGUAGES
        for names in getattr(Locale.parse(language), part).values()
        for width in ("wide", "abbreviated")
        if width in names
    ]
