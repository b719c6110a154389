"""Datetimes in requests: with an offset from UTC, or as local time."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from accounts.settings.formats import formats_of
from core.errors import InvalidFormat, NamedError
from core.spans import from_clock, to_clock
from core.tenancy import company_id
from core.text.formats import Formats
from core.text.timezones import is_timezone, zone_of

YEARS = range(1970, 2200)
"""Well within the range of datetime, so that adding or subtracting a duration never overflows."""
FORM = "write it as 2026-03-09T14:30:00+01:00, or without an offset for the clock of the time zone"


def read_datetime(field: str, text: str, zone: str | None = None) -> datetime:
    """Parse a datetime, to the second, as UTC.

    Without an offset it is local time in `zone` (None: the company's time zone). A local time that occurs twice is the
    first occurrence; one that the zone skips is refused. Raises InvalidFormat.
    """
    try:
        parsed = datetime.fromisoformat(text.strip()).replace(microsecond=0)
    except ValueError:
        raise InvalidFormat(field, text, FORM, field=field) from None
    if _is_date(text.strip()):
        raise InvalidFormat(field, text, f"a day without a time; {FORM}", field=field)
    check_year(field, text, parsed.year)
    if parsed.tzinfo is not None:
        return parsed.astimezone(UTC)
    name = zone or company_timezone()
    found_utc = local_to_utc(parsed, zone_of(name))
    if found_utc is None:
        raise InvalidFormat(field, text, f"enter another time; clocks in {name} skip this one", field=field)
    return found_utc


def check_year(field: str, text: str, year: int) -> None:
    """Raise InvalidFormat for a year outside of YEARS."""
    if year not in YEARS:
        raise InvalidFormat(field, text, f"enter a year from {YEARS.start} to {YEARS.stop - 1}", field=field)


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def local_to_utc(local: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the first datetime in UTC at which it is this local time in the zone; None if it never is."""
    found_utc = from_clock(local, zone)
    return found_utc if to_clock(found_utc, zone).replace(fold=0) == local else None


def company_timezone() -> str:
    """Return the time zone of the active company."""
    return formats_of(company_id()).timezone


def check_timezone(name: str) -> str:
    """Return the name of a time zone. Raises InvalidTimezone_400 for one that the tz database does not have."""
    if not is_timezone(name):
        raise NamedError(
            "InvalidTimezone_400",
            "enter a time zone, such as Europe/Berlin",
            field="timezone",
            operation="GET /api/private/timezones",
        )
    return name


def read_day(formats: Formats, text: str) -> date | None:
    """Read a day in a company's own format, or return None for any other text."""
    day = formats.read_date(text)
    if day is None and formats.date_format == "d mmm yyyy":
        # Programs write digits, and the day first unless the company has chosen otherwise.
        day = Formats(date_format="dd/mm/yyyy").read_date(text)
    return day
