"""core.text.formats and core.text.timezones: dates, times and amounts as companies write them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from accounts.models import CompanySettings
from core.text.formats import DATE_PATTERNS, TIME_PATTERNS, Formats, is_currency, list_currencies
from core.text.timezones import is_timezone, zone_of

NEW_YEAR = dt.datetime(2026, 12, 31, 23, 5, tzinfo=dt.UTC)


def test_the_formats_are_those_that_settings_offer() -> None:
    assert list(DATE_PATTERNS) == CompanySettings.DateFormat.values
    assert list(TIME_PATTERNS) == CompanySettings.TimeFormat.values


@pytest.mark.parametrize(
    ("date_format", "written"),
    [
        ("dd/mm/yyyy", "05/03/2026"),
        ("mm/dd/yyyy", "03/05/2026"),
        ("yyyy-mm-dd", "2026-03-05"),
        ("dd.mm.yyyy", "05.03.2026"),
        ("dd-mm-yyyy", "05-03-2026"),
        ("d mmm yyyy", "5 Mar 2026"),
    ],
)
def test_dates(date_format: str, written: str) -> None:
    assert Formats(date_format=date_format).date(dt.date(2026, 3, 5)) == written


def test_moments_are_those_of_the_company_s_place() -> None:
    assert Formats().datetime(NEW_YEAR) == "31 Dec 2026, 23:05"
    berlin = Formats("Europe/Berlin", "dd.mm.yyyy")
    assert (berlin.date(NEW_YEAR), berlin.time(NEW_YEAR), berlin.datetime(NEW_YEAR)) == (
        "01.01.2027",
        "00:05",
        "01.01.2027, 00:05",
    )
    new_york = Formats("America/New_York", "mm/dd/yyyy", "hh:mm a")
    assert new_york.datetime(NEW_YEAR) == "12/31/2026, 06:05 PM"
    assert Formats("Asia/Kolkata", time_format="hh:mm a").time(NEW_YEAR) == "04:35 AM"


def test_summer_time() -> None:
    berlin = Formats("Europe/Berlin")
    assert berlin.time(dt.datetime(2026, 3, 29, 0, 59, tzinfo=dt.UTC)) == "01:59"
    assert berlin.time(dt.datetime(2026, 3, 29, 1, 0, tzinfo=dt.UTC)) == "03:00"


def test_a_moment_without_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        Formats().datetime(dt.datetime(2026, 1, 1))


def test_a_zone_that_has_gone_from_the_database_reads_as_utc() -> None:
    assert Formats("Mars/Olympus").time(NEW_YEAR) == "23:05"
    assert zone_of("Europe/Berlin").key == "Europe/Berlin"


@pytest.mark.parametrize(
    ("amount", "currency", "written"),
    [
        (Decimal("1234.5"), "USD", "$1,234.50"),
        (Decimal("1234.565"), "EUR", "€1,234.57"),
        (Decimal("1234.5"), "JPY", "¥1,235"),
        (Decimal("0.0005"), "KWD", "KWD\xa00.001"),
        (-3, "GBP", "-£3.00"),
    ],
)
def test_amounts(amount: Decimal, currency: str, written: str) -> None:
    assert Formats().money(amount, currency) == written
    assert Formats(currency=currency).money(amount) == written


def test_currencies() -> None:
    found = {currency.code: currency for currency in list_currencies()}
    assert list(found) == sorted(found)
    assert 140 < len(found) < 180
    assert (found["EUR"].name, found["EUR"].symbol, found["EUR"].decimals) == ("Euro", "€", 2)
    assert (found["JPY"].symbol, found["JPY"].decimals, found["TND"].decimals) == ("¥", 0, 3)
    assert not {"DEM", "HRK", "XXX", "XAU", "VEF"} & set(found)


@pytest.mark.parametrize("code", ["usd", "DEM", "XXX", "", "US", None, 5])
def test_what_is_no_currency(code: object) -> None:
    assert not is_currency(code)
    assert is_currency("USD")


@pytest.mark.parametrize(
    "name", ["europe/berlin", "Berlin", "", "Factory", "localtime", "../etc/passwd", "UTC+1", None, 1]
)
def test_what_is_no_time_zone(name: object) -> None:
    assert not is_timezone(name)
    assert is_timezone("Europe/Berlin")
    assert is_timezone("UTC")
