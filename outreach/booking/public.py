"""GET and POST /book/<token>, where visitors book, and /booking/<token>, where they move or cancel it. They work
without script.

A visitor has no session: nothing here is done for whoever is logged in, so that there is no token against forgery.
What keeps programs out is a field that people do not see, the time that they take, and limits for each network and
each address.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from accounts.settings.branding import brand_of
from accounts.settings.formats import formats_of
from core.access.attempts import TooManyAttempts
from core.access.callers import caller_of
from core.errors import ApiError, NamedError
from core.tenancy import company_scope
from core.text.formats import Formats
from core.text.timezones import is_timezone, timezone_names, zone_of
from crm.meetings.services import meeting_file
from outreach.booking.models import Booking, BookingPage
from outreach.booking.reading import read_visitor
from outreach.booking.slots import free_slots, window, zone_name
from outreach.booking.taking import (
    ADDRESSES,
    BOOKINGS,
    CHANGES,
    READS,
    TAKEN,
    TRIES,
    book,
    can_change,
    cancel,
    find_booking,
    find_page,
    move,
)
from outreach.forms.kinds import MULTI
from outreach.forms.public import shown_fields
from outreach.forms.submitting import MOST_BYTES, TOO_FAST, TRAP, issue_page_id, read_page_id

SHOWN_DAYS = 7
NO_PAGE, NO_BOOKING = "This page takes no bookings now", "There is no such booking"
AGAIN = "Look it over and send it once more."
OLD = "This page was open for long. Send it once more."
TOO_OFTEN = "That was often. Wait a minute, then try again."
TOO_LONG = "That is more than this page takes."
GONE = "This time has just been taken. Choose another one."
NOT_NOW = "It cannot be booked now. Try again later, or ask whom you want to meet."


@dataclass(frozen=True)
class OfferedDay:
    """A day with the times that it offers, each its moment and what clocks show."""

    day: date
    words: str
    slots: list[tuple[str, str]]


@dataclass(frozen=True)
class Times:
    """The days of a page with the times that they offer, by the clocks of a zone."""

    zone: ZoneInfo
    first: date
    days: list[OfferedDay]
    before: date | None
    after: date | None
    later: date | None = None
    """The next day that offers something, where these days offer nothing."""
    later_words: str = ""


@csrf_exempt
def booking_page(request: HttpRequest, token: str) -> HttpResponse:
    """Show the free times of a page, then what is asked, and take what was sent."""
    page = find_page(token)
    if page is None:
        return _page(request, None, {"title": NO_PAGE}, 404)
    if request.method == "POST":
        return _take(request, page)
    if request.method not in ("GET", "HEAD"):
        return HttpResponse(status=405, headers={"Allow": "GET, HEAD, POST"})
    if not READS.try_count(caller_of(request).network):
        return _page(request, page, {"trouble": TOO_OFTEN}, 429)
    with company_scope(page.company_id):
        at = _moment(request.GET.get("at", ""))
        if at is not None and at in free_slots(page, at, at + timedelta(seconds=1)):
            return _ask(request, page, at, {})
        return _choose(request, page, trouble=GONE if at else "")


def _choose(request: HttpRequest, page: BookingPage, *, trouble: str = "", status: int = 200) -> HttpResponse:
    return _page(request, page, {**_calendar(request, page), "trouble": trouble}, status)


def _calendar(request: HttpRequest, page: BookingPage, besides: str = "", members: Any = None) -> dict[str, Any]:
    """Return what the template draws the free times from."""
    asked = request.GET if request.method != "POST" else request.POST
    times = times_of(page, _zone(asked.get("tz", ""), page), asked.get("from", ""), besides, members)
    names = sorted(timezone_names()) if times.zone.key in timezone_names() else []
    return {"times": times, "zones": names, "chosen_zone": times.zone.key}


def times_of(page: BookingPage, zone: ZoneInfo, start: str, besides: str = "", members: Any = None) -> Times:
    """Return the free times of a week; of one that has none, where the next ones are."""
    begins, ends = (moment.astimezone(zone).date() for moment in window(page))
    try:
        first = min(max(date.fromisoformat(start[:10]), begins), ends)
    except ValueError:
        first = begins
    last = first + timedelta(days=SHOWN_DAYS)
    formats = _formats(page, zone)
    found = _by_day(free_slots(page, *_between(first, last, zone), besides=besides, members=members), zone, formats)
    later = None
    if not found and last <= ends:
        rest = free_slots(page, *_between(last, ends + timedelta(days=1), zone), besides=besides, members=members)
        later = min((at.astimezone(zone).date() for at in rest), default=None)
    before = max(first - timedelta(days=SHOWN_DAYS), begins) if first > begins else None
    after = last if last <= ends else None
    return Times(zone, first, found, before, after, later, _day_words(later, formats) if later else "")


def _between(first: date, last: date, zone: ZoneInfo) -> tuple[datetime, datetime]:
    start, end = (datetime.combine(day, time(), zone).astimezone(UTC) for day in (first, last))
    return start, end


def _by_day(slots: dict[datetime, list[str]], zone: ZoneInfo, formats: Formats) -> list[OfferedDay]:
    found: dict[date, list[tuple[str, str]]] = {}
    for at in slots:
        here = at.astimezone(zone)
        twice = here.utcoffset() != here.replace(fold=1 - here.fold).utcoffset()  # an hour that comes twice
        words = f"{formats.time(at)} {here:%Z}" if twice else formats.time(at)
        found.setdefault(here.date(), []).append((at.isoformat(), words))
    return [OfferedDay(day, _day_words(day, formats), here) for day, here in sorted(found.items())]


def _day_words(day: date, formats: Formats) -> str:
    return f"{day:%A}, {formats.date(day)}"


def _span_words(start: datetime, end: datetime, formats: Formats) -> str:
    """Write when something is, by the clocks of the formats' zone."""
    zone = zone_of(formats.timezone)
    here, until = start.astimezone(zone), end.astimezone(zone)
    last = formats.time(end) if here.date() == until.date() else formats.datetime(end)
    return f"{_day_words(here.date(), formats)}, {formats.time(start)} – {last}"


def _take(request: HttpRequest, page: BookingPage) -> HttpResponse:
    length = request.headers.get("Content-Length") or "0"
    if not length.isdigit() or int(length) > MOST_BYTES:
        return _page(request, page, {"title": TOO_LONG}, 413)
    sent = request.POST
    given: dict[str, Any] = {
        one["key"]: sent.getlist(one["key"]) if one["type"] == MULTI else sent.get(one["key"]) for one in page.fields
    }
    at = _moment(sent.get("at", ""))
    with company_scope(page.company_id):
        if at is None:
            return _choose(request, page, trouble=GONE, status=422)
        try:
            TRIES.count(f"{page.pk} {caller_of(request).network}")
            return _read_and_book(request, page, at, given)
        except TooManyAttempts as error:
            answer = _ask(request, page, at, given, trouble=TOO_OFTEN, status=429)
            answer["Retry-After"] = str(error.retry_after)
            return answer


def _read_and_book(request: HttpRequest, page: BookingPage, at: datetime, given: dict[str, Any]) -> HttpResponse:
    """Book by what was sent, or show what is wrong with it. Raises TooManyAttempts."""
    sent = request.POST
    opened = read_page_id(page, sent.get("page", ""))
    network = f"{page.pk} {caller_of(request).network}"
    if sent.get(TRAP):
        BOOKINGS.count(network)
    if sent.get(TRAP) or opened is None:
        return _ask(request, page, at, given, trouble=OLD, status=422)
    read = read_visitor(page, given, sent.get("tz", ""))
    if read.visitor is None:
        return _ask(request, page, at, given, errors=read.errors, status=422)
    if opened[1] < TOO_FAST:
        return _ask(request, page, at, given, trouble=AGAIN, status=422, opened=sent["page"])
    BOOKINGS.count(network)
    ADDRESSES.count(read.visitor.email.lower())
    try:
        booking = book(page, at=at, visitor=read.visitor, sent_id=opened[0])
    except NamedError as error:
        BOOKINGS.refund(network)  # nothing was stored
        ADDRESSES.refund(read.visitor.email.lower())
        if error.name == TAKEN:
            return _choose(request, page, trouble=GONE, status=409)
        return _ask(request, page, at, given, trouble=NOT_NOW, status=422)
    return _lead_to(f"/booking/{booking.token}?new=1")


def _ask(
    request: HttpRequest,
    page: BookingPage,
    at: datetime,
    given: dict[str, Any],
    *,
    errors: dict[str, str] | None = None,
    trouble: str = "",
    status: int = 200,
    opened: str = "",
) -> HttpResponse:
    wrong = errors or {}
    asked = request.POST if request.method == "POST" else request.GET
    zone = _zone(asked.get("tz", ""), page)
    context = {
        "when": _span_words(at, at + timedelta(minutes=page.duration_minutes), _formats(page, zone)),
        "chosen_zone": zone.key,
        "fields": shown_fields(page, given, wrong),
        "wrong": [(one["key"], one["label"], wrong[one["key"]]) for one in page.fields if one["key"] in wrong],
        "trouble": trouble,
        "trap": TRAP,
        "kept": [("page", opened or issue_page_id(page)), ("at", at.isoformat()), ("tz", zone.key)],
        "back": f"/book/{page.token}?{urlencode({'tz': zone.key, 'from': at.astimezone(zone).date().isoformat()})}",
    }
    return _page(request, page, context, status)


@csrf_exempt
def booking(request: HttpRequest, token: str) -> HttpResponse:
    """Show what was booked, and the free times to move it to; move or cancel it."""
    found = find_booking(token)
    if found is None:
        return _page(request, None, {"title": NO_BOOKING}, 404)
    if request.method not in ("GET", "HEAD", "POST"):
        return HttpResponse(status=405, headers={"Allow": "GET, HEAD, POST"})
    limit = CHANGES if request.method == "POST" else READS
    if not limit.try_count(f"{found.pk} {caller_of(request).network}"):
        return _booked(request, found, trouble=TOO_OFTEN, status=429)
    with company_scope(found.company_id):
        if request.method == "POST":
            return _change(request, found)
        return _booked(request, found)


def _change(request: HttpRequest, found: Booking) -> HttpResponse:
    at = _moment(request.POST.get("at", ""))
    try:
        if request.POST.get("do") == "cancel":
            cancel(found, reason=request.POST.get("reason", "").replace("\0", ""))
        elif at is not None:
            move(found, at=at)
    except ApiError as error:
        taken = getattr(error, "name", "") == TAKEN
        trouble = GONE if taken else (error.detail or error.message).partition(": ")[2] or NOT_NOW
        return _booked(request, found, trouble=trouble, status=409)
    return _lead_to(f"/booking/{found.token}?new=1")


def _booked(request: HttpRequest, found: Booking, *, trouble: str = "", status: int = 200) -> HttpResponse:
    page, meeting = found.page, found.meeting
    changeable = can_change(found)
    zone = zone_of(found.timezone or meeting.timezone)
    context: dict[str, Any] = {
        "booking": found,
        "meeting": meeting,
        "when": _span_words(meeting.starts_at, meeting.ends_at, _formats(found, zone)),
        "chosen_zone": zone.key,
        "changeable": changeable,
        "cancelled": meeting.status != "scheduled",
        "new": "new" in request.GET,
        "trouble": trouble,
        "title": page.heading if page else meeting.title,
    }
    if changeable and page is not None and page.is_active and ("move" in request.GET or status == 409):
        with company_scope(found.company_id):
            context |= _calendar(request, page, meeting.pk, [found.member]) | {"moving": True}
    return _page(request, page, context, status, company=found.company_id, template="pages/booked.html")


def booking_file(request: HttpRequest, token: str) -> HttpResponse:
    """Hand out the iCalendar file of what was booked."""
    found = find_booking(token)
    if found is None or not READS.try_count(caller_of(request).network):
        return HttpResponse(status=404)
    with company_scope(found.company_id):
        answer = HttpResponse(meeting_file(id=found.meeting_id), content_type="text/calendar; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="meeting.ics"'
    answer["X-Content-Type-Options"] = "nosniff"
    return _headers(answer)


def _moment(text: str) -> datetime | None:
    """Read a moment as the page's own links write it."""
    try:
        found = datetime.fromisoformat(text[:40])
        return found.astimezone(UTC) if found.tzinfo and 1970 < found.year < 9000 else None
    except (ValueError, OverflowError):
        return None


def _zone(name: str, page: BookingPage) -> ZoneInfo:
    return zone_of(name if is_timezone(name) else zone_name(page))


def _formats(record: BookingPage | Booking, zone: ZoneInfo) -> Formats:
    found = formats_of(record.company_id)
    return Formats(zone.key, found.date_format, found.time_format, found.currency)


def _lead_to(place: str) -> HttpResponse:
    """Lead on, so that a page that is loaded again sends nothing."""
    answer = HttpResponseRedirect(place)
    answer.status_code = 303
    return _headers(answer)


def _page(
    request: HttpRequest,
    page: BookingPage | None,
    context: dict[str, Any],
    status: int,
    *,
    company: str | None = None,
    template: str = "pages/booking.html",
) -> HttpResponse:
    owner = page.company_id if page else company
    shared: dict[str, Any] = {"page": page, "brand": brand_of(owner), "now": timezone.now()}
    if page is not None:
        shared |= {"title": page.heading, "style": f"/f/style/{page.colour[1:]}.css"}
    return _headers(render(request, template, {**shared, **context}, status=status))


def _headers(answer: HttpResponse) -> HttpResponse:
    answer["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
        " base-uri 'none'; form-action 'self'; frame-ancestors *"
    )
    answer.xframe_options_exempt = True  # type: ignore[attr-defined]  # any site may show a page on which one books
    answer["Cache-Control"] = "no-store"
    answer["X-Robots-Tag"] = "noindex"
    answer["Referrer-Policy"] = "no-referrer"
    return answer


urlpatterns = [
    path("book/<str:token>", booking_page, name="public-booking"),
    path("booking/<str:token>", booking, name="public-booked"),
    path("booking/<str:token>/calendar.ics", booking_file, name="public-booked-file"),
]
