"""Dates, times and amounts as people read them, by the CLDR's data (Babel).

Pages and mails of a company use its `Formats`; the back office and titles of records use `day_text`, `moment_text` and
`money_text`.
"""

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

CURRENCY = "USD"
"""The currency of people without a company."""
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
    date_format: str = "d mmm yyyy"
    time_format: str = "HH:mm"
    currency: str = CURRENCY
    country: str = ""
    """The ISO 3166-1 code of the company's country."""

    def date(self, value: dt.date, language: str = LOCALE) -> str:
        """Format a day, with names in the language. The day of a datetime is that of the company's time zone."""
        day = self._localize(value) if isinstance(value, dt.datetime) else value
        return dates.format_date(day, DATE_PATTERNS[self.date_format], locale=language)

    def read_date(self, text: str) -> dt.date | None:
        """Read a day in the company's own format, or return None for any other text."""
        try:
            return dt.datetime.strptime(text.strip(), READING_PATTERNS[self.date_format]).date()
        except ValueError:
            return None

    def time(self, value: dt.datetime) -> str:
        """Format the time of a datetime, in the company's time zone."""
        local = self._localize(value)
        return dates.format_time(local.time(), TIME_PATTERNS[self.time_format], locale=LOCALE)

    def datetime(self, value: dt.datetime) -> str:
        """Format a datetime, in the company's time zone, such as 26 Dec 2026, 14:05."""
        return f"{self.date(value)}, {self.time(value)}"

    def span(self, start: dt.datetime, end: dt.datetime) -> str:
        """Format the time from a start to an end, in the company's time zone, with one date if it is the same."""
        is_same_day = self._localize(start).date() == self._localize(end).date()
        return f"{self.datetime(start)} – {self.time(end) if is_same_day else self.datetime(end)}"

    def exact(self, value: dt.datetime) -> str:
        """Format a datetime so that it can be read back: with its seconds, in the company's time zone.

        A time that clocks repeat has its offset, and so has one that the company's format cannot hold.
        """
        try:
            local = self._localize(value)
        except OverflowError:
            return value.isoformat()
        if local.utcoffset() != local.replace(fold=1 - local.fold).utcoffset():
            return local.isoformat()
        day = dates.format_date(local.date(), DATE_PATTERNS[self.date_format], locale=LOCALE)
        return f"{day} {self._clock(local)}"

    def _clock(self, local: dt.datetime) -> str:
        pattern = "%H:%M" if self.time_format == "HH:mm" else "%I:%M"
        seconds = local.strftime(":%S") if local.second or local.microsecond else ""
        fraction = f".{local.microsecond // 1000:03}" if local.microsecond else ""
        half = "" if self.time_format == "HH:mm" else f" {'AM' if local.hour < 12 else 'PM'}"
        return f"{local.strftime(pattern)}{seconds}{fraction}{half}"

    def money(self, amount: Decimal | int, currency: str | None = None) -> str:
        """Format an amount with its currency's sign and decimals, rounded half up. Default: the company's currency."""
        return money_text(amount, currency or self.currency)

    def _localize(self, moment: dt.datetime) -> dt.datetime:
        if moment.tzinfo is None:
            raise ValueError("a moment without time zone may be any of several")
        return moment.astimezone(zone_of(self.timezone))


def day_text(value: dt.date) -> str:
    """Write a day, such as 24 Nov 2026; that of a time in its own zone."""
    return dates.format_date(value, DATE_PATTERNS["d mmm yyyy"], locale=LOCALE)


def short_day_text(value: dt.date) -> str:
    """Write a day without its year, such as 24 Nov."""
    return dates.format_date(value, "d MMM", locale=LOCALE)


def month_text(value: dt.date) -> str:
    """Write a month, such as November 2026."""
    return dates.format_date(value, "MMMM y", locale=LOCALE)


def weekday_text(value: dt.date, *, short: bool = False) -> str:
    """Write the day of the week, such as Tuesday, or Tue if it is `short`."""
    return dates.format_date(value, "EEE" if short else "EEEE", locale=LOCALE)


def moment_text(value: dt.datetime) -> str:
    """Write a time, such as 24 Nov 2026, 14:05 UTC; the zone is named in UTC alone, others are the reader's."""
    text = f"{day_text(value)}, {value:%H:%M}"
    return f"{text} UTC" if value.tzinfo is not None and not value.utcoffset() else text


def money_text(amount: Decimal | int, currency: str) -> str:
    """Write an amount with the currency's sign and its decimals by ISO 4217, rounded half up."""
    return _money(amount, currency, exponent(currency))


def price_text(amount: Decimal | int, currency: str) -> str:
    """Write the price of a unit, which may be a fraction of the smallest coin: with all decimals that it has."""
    price = Decimal(amount).normalize()
    return _money(price, currency, max(exponent(currency), -int(price.as_tuple().exponent)))


def _money(amount: Decimal | int, currency: str, decimals: int) -> str:
    rounded = Decimal(amount).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    fraction = f".{'0' * decimals}" if decimals else ""
    pattern = f"\N{CURRENCY SIGN}#,##0{fraction}"
    sign = numbers.get_currency_symbol(currency, locale=LOCALE)
    text = numbers.format_currency(rounded, currency, locale=LOCALE, format=pattern, currency_digits=False)
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
        if tender and _covers_day(since, until, today)
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


def _covers_day(since: Any, until: Any, day: dt.date) -> bool:
    return (since is None or dt.date(*since) <= day) and (until is None or dt.date(*until) >= day)


def currency_of(country: str) -> str:
    """Return the currency of a country by its ISO 3166-1 code, or an empty text where none is known."""
    tenders = numbers.get_territory_currencies(country)
    return next((code for code in tenders if is_currency(code)), "")


def is_currency(code: object) -> bool:
    """Return whether it is the upper-case code of a currency in use."""
    return isinstance(code, str) and any(currency.code == code for currency in list_currencies())
