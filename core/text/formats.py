"""Dates, times and amounts in a company's formats, by the CLDR's data (Babel)."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any

from babel import dates, numbers
from babel.core import get_global

from core.text.currencies import exponent
from core.text.timezones import zone_of

LOCALE = "en"
"""The language of mails and pages."""
DATE_PATTERNS = {
    "dd/mm/yyyy": "dd/MM/yyyy",
    "mm/dd/yyyy": "MM/dd/yyyy",
    "yyyy-mm-dd": "yyyy-MM-dd",
    "dd.mm.yyyy": "dd.MM.yyyy",
    "dd-mm-yyyy": "dd-MM-yyyy",
    "d mmm yyyy": "d MMM yyyy",
}
"""A date format as settings name it -> the CLDR's pattern."""
READING_PATTERNS = {
    "dd/mm/yyyy": "%d/%m/%Y",
    "mm/dd/yyyy": "%m/%d/%Y",
    "yyyy-mm-dd": "%Y-%m-%d",
    "dd.mm.yyyy": "%d.%m.%Y",
    "dd-mm-yyyy": "%d-%m-%Y",
    "d mmm yyyy": "%d %b %Y",
}
"""A date format as settings name it -> strptime's pattern."""
TIME_PATTERNS = {"HH:mm": "HH:mm", "hh:mm a": "hh:mm a"}


@dataclass(frozen=True)
class Formats:
    """The formats of a company. The defaults are for people without one."""

    timezone: str = "UTC"
    date_format: str = "dd/mm/yyyy"
    time_format: str = "HH:mm"
    currency: str = "USD"
    country: str = ""
    """The ISO 3166-1 code of the company's country."""

    def date(self, value: dt.date) -> str:
        """Format a day. The day of a datetime is that of the company's time zone."""
        day = self._here(value) if isinstance(value, dt.datetime) else value
        return dates.format_date(day, DATE_PATTERNS[self.date_format], locale=LOCALE)

    def read_date(self, text: str) -> dt.date | None:
        """Read a day in the company's own format, or return None for any other text."""
        try:
            return dt.datetime.strptime(text.strip(), READING_PATTERNS[self.date_format]).date()
        except ValueError:
            return None

    def time(self, value: dt.datetime) -> str:
        """Format the time of a datetime, in the company's time zone."""
        here = self._here(value)
        return dates.format_time(here.time(), TIME_PATTERNS[self.time_format], locale=LOCALE)

    def datetime(self, value: dt.datetime) -> str:
        """Format a datetime, in the company's time zone."""
        return f"{self.date(value)} {self.time(value)}"

    def exact(self, value: dt.datetime) -> str:
        """Format a datetime so that it can be read back: with its seconds, in the company's time zone.

        A time that clocks repeat has its offset, and so has one that the company's format cannot hold.
        """
        try:
            here = self._here(value)
        except OverflowError:
            return value.isoformat()
        if here.utcoffset() != here.replace(fold=1 - here.fold).utcoffset():
            return here.isoformat()
        day = dates.format_date(here.date(), DATE_PATTERNS[self.date_format], locale=LOCALE)
        return f"{day} {self._clock(here)}"

    def _clock(self, here: dt.datetime) -> str:
        pattern = "%H:%M" if self.time_format == "HH:mm" else "%I:%M"
        seconds = here.strftime(":%S") if here.second or here.microsecond else ""
        fraction = f".{here.microsecond // 1000:03}" if here.microsecond else ""
        half = "" if self.time_format == "HH:mm" else f" {'AM' if here.hour < 12 else 'PM'}"
        return f"{here.strftime(pattern)}{seconds}{fraction}{half}"

    def money(self, amount: Decimal | int, currency: str | None = None) -> str:
        """Format an amount with its currency's sign and decimals, rounded half up. Default: the company's currency."""
        code = currency or self.currency
        unit = Decimal(1).scaleb(-numbers.get_currency_precision(code))
        rounded = Decimal(amount).quantize(unit, ROUND_HALF_UP)
        sign = numbers.get_currency_symbol(code, locale=LOCALE)
        text = numbers.format_currency(rounded, code, locale=LOCALE)
        return text.replace(sign, f"{sign}\N{NO-BREAK SPACE}") if sign[-1].isalpha() else text

    def _here(self, moment: dt.datetime) -> dt.datetime:
        if moment.tzinfo is None:
            raise ValueError("a moment without time zone may be any of several")
        return moment.astimezone(zone_of(self.timezone))


def exact_money(amount: Decimal, currency: str) -> str:
    """Format a payable amount, with the currency's sign and all decimals that it has by ISO 4217."""
    digits = exponent(currency)
    pattern = f"\N{CURRENCY SIGN}#,##0.{'0' * digits}" if digits else "\N{CURRENCY SIGN}#,##0"
    sign = numbers.get_currency_symbol(currency, locale=LOCALE)
    text = numbers.format_currency(amount, currency, locale=LOCALE, format=pattern, currency_digits=False)
    return text.replace(sign, f"{sign}\N{NO-BREAK SPACE}") if sign[-1].isalpha() else text


@dataclass(frozen=True)
class CurrencyInfo:
    """A currency of ISO 4217. `decimals` is the number of digits after the point."""

    code: str
    name: str
    symbol: str
    decimals: int


@lru_cache(maxsize=1)
def list_currencies() -> tuple[CurrencyInfo, ...]:
    """Return the currencies that are legal tender somewhere today, by code."""
    today = dt.date.today()
    codes = {
        code
        for used in get_global("territory_currencies").values()
        for code, since, until, tender in used
        if tender and _spans(since, until, today)
    }
    return tuple(
        CurrencyInfo(
            code,
            numbers.get_currency_name(code, locale=LOCALE),
            numbers.get_currency_symbol(code, locale=LOCALE),
            exponent(code),
        )
        for code in sorted(codes)
    )


def _spans(since: Any, until: Any, day: dt.date) -> bool:
    return (since is None or dt.date(*since) <= day) and (until is None or dt.date(*until) >= day)


def currency_of(country: str) -> str:
    """Return the currency of a country by its ISO 3166-1 code, or an empty text where none is known."""
    tenders = numbers.get_territory_currencies(country)
    return next((code for code in tenders if is_currency(code)), "")


def is_currency(code: object) -> bool:
    """Return whether it is the upper-case code of a currency in use."""
    return isinstance(code, str) and any(currency.code == code for currency in list_currencies())
