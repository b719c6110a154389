"""GET and POST /book/<token>, where visitors book, and /booking/<token>, where they move or cancel a booking.

They work without script. A visitor has no session: no action depends on a log-in, so there is no token against forgery.
Bots are stopped by a hidden field, by the time that they take, and by limits for each network and each address.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from accounts.settings.branding import brand_of
from core.access.attempts import TooManyAttempts
from core.access.callers import caller_of
from core.errors import ApiError, NamedError
from core.tenancy import company_scope
from core.text.timezones import zone_of
from core.text.translation import gettext_lazy
from core.types import JsonObject
from crm.meetings.services import meeting_file
from outreach.site.booking.answers import read_visitor
from outreach.site.booking.models import Booking, BookingPage
from outreach.site.booking.reservations import (
    BOOKINGS,
    CHANGES,
    MOVES,
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
from outreach.site.booking.slots import free_slots
from outreach.site.booking.times import formats_in, span_words, times_of, zone_for, zones_to_choose
from outreach.site.forms.kinds import MULTI
from outreach.site.forms.public import shown_fields
from outreach.site.forms.submissions import MAX_BYTES, TOO_FAST, TRAP, page_id_for, read_page_id

NO_PAGE = gettext_lazy("This booking page is closed")
NO_BOOKING = gettext_lazy("Booking not found")
AGAIN = gettext_lazy("Check your answers and try again.")
OLD = gettext_lazy("This page has expired. Send the form again.")
MOVED_OFTEN = gettext_lazy("This booking was moved five times today. Cancel the booking or try again tomorrow.")
TOO_OFTEN = gettext_lazy("Too many attempts. Try again in a minute.")
TOO_LONG = gettext_lazy("Your answers are too long. Shorten your answers and try again.")
CHOOSE = gettext_lazy("Choose a time.")
GONE = gettext_lazy("This time was just taken. Choose another time.")
NOT_NOW = gettext_lazy("Booking is not possible right now. Try again later, or contact your host.")


@csrf_exempt
def booking_page(request: HttpRequest, token: str) -> HttpResponse:
    """Show the free times of a page, then its questions, and accept the input."""
    page = find_page(token)
    if page is None:
        return _page(request, None, {"title": NO_PAGE}, 404)
    if request.method == "POST":
        return _submit(request, page)
    if request.method not in ("GET", "HEAD"):
        return HttpResponse(status=405, headers={"Allow": "GET, HEAD, POST"})
    # Working out free times costs several queries, and nobody is logged in.
    if not READS.try_count(caller_of(request).network):
        return _page(request, page, {"trouble": TOO_OFTEN}, 429)
    if token.lower() not in (page.slug, page.token.lower()):
        return _redirect_to(page, request)
    with company_scope(page.company_id):
        at = _moment(request.GET.get("at", ""))
        # Checked when the form is shown, too: a link may be days old.
        if at is not None and at in free_slots(page, at, at + timedelta(seconds=1)):
            return _render_form(request, page, at, {})
        return _choose(request, page, problem=GONE if at else "")


def _redirect_to(page: BookingPage, request: HttpRequest) -> HttpResponse:
    """Lead from a former address to the present one, with the parameters."""
    query = request.GET.urlencode()
    return _headers(HttpResponseRedirect(f"/book/{page.address}{'?' if query else ''}{query}"))


def _choose(request: HttpRequest, page: BookingPage, *, problem: str = "", status: int = 200) -> HttpResponse:
    return _page(request, page, {**_calendar(request, page), "trouble": problem}, status)


def _calendar(request: HttpRequest, page: BookingPage, besides: str = "", members: Any = None) -> JsonObject:
    """Return the template's data for the free times."""
    params = request.GET if request.method != "POST" else request.POST
    times = times_of(page, zone_for(params.get("tz", ""), page), params.get("from", ""), besides, members)
    return {"times": times, "zones": zones_to_choose(page, times.zone), "chosen_zone": times.zone.key}


def _is_large(request: HttpRequest) -> bool:
    length = request.headers.get("Content-Length") or "0"
    return not length.isdecimal() or int(length) > MAX_BYTES


def _submit(request: HttpRequest, page: BookingPage) -> HttpResponse:
    if _is_large(request):
        return _page(request, page, {"title": TOO_LONG}, 413)
    sent = request.POST
    inputs: JsonObject = {
        field["key"]: sent.getlist(field["key"]) if field["type"] == MULTI else sent.get(field["key"])
        for field in page.fields
    }
    at = _moment(sent.get("at", ""))
    with company_scope(page.company_id):
        if at is None:
            return _choose(request, page, problem=CHOOSE, status=422)
        try:
            # Before the form is read, so that refused requests count as well.
            TRIES.count(f"{page.pk} {caller_of(request).network}")
            return _read_and_book(request, page, at, inputs)
        except TooManyAttempts as error:
            answer = _render_form(request, page, at, inputs, problem=TOO_OFTEN, status=429)
            answer["Retry-After"] = str(error.retry_after)
            return answer


def _read_and_book(request: HttpRequest, page: BookingPage, at: datetime, inputs: JsonObject) -> HttpResponse:
    """Book by the input, or show its errors. Raises TooManyAttempts."""
    sent = request.POST
    opened = read_page_id(page, sent.get("page", ""))
    network = caller_of(request).network
    if sent.get(TRAP):
        # A filled trap counts as a booking, so that a bot's further tries are refused early.
        BOOKINGS.count(f"{page.pk} {network}")
    if sent.get(TRAP) or opened is None:
        return _render_form(request, page, at, inputs, problem=OLD, status=422)
    read = read_visitor(page, inputs, sent.get("tz", ""))
    if read.visitor is None:
        return _render_form(request, page, at, inputs, errors=read.errors, status=422)
    # After the answers were checked: people who correct an error are quick the second time.
    if opened[1] < TOO_FAST:
        return _render_form(request, page, at, inputs, problem=AGAIN, status=422)
    try:
        booking = book(page, at=at, visitor=read.visitor, sent_id=opened[0], network=network)
    except NamedError as error:
        if error.name == TAKEN:
            return _choose(request, page, problem=GONE, status=409)
        return _render_form(request, page, at, inputs, problem=NOT_NOW, status=422)
    return _lead_to(f"/booking/{booking.token}?new=1")


def _render_form(
    request: HttpRequest,
    page: BookingPage,
    at: datetime,
    inputs: JsonObject,
    *,
    errors: dict[str, str] | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    wrong = errors or {}
    params = request.POST if request.method == "POST" else request.GET
    zone = zone_for(params.get("tz", ""), page)
    context = {
        "when": span_words(at, at + timedelta(minutes=page.duration_minutes), formats_in(zone, page)),
        "chosen_zone": zone.key,
        "fields": shown_fields(page, inputs, wrong),
        "wrong": [
            (field["key"], field["label"], wrong[field["key"]]) for field in page.fields if field["key"] in wrong
        ],
        "trouble": problem,
        "trap": TRAP,
        "kept": [("page", page_id_for(page, params.get("page", ""))), ("at", at.isoformat()), ("tz", zone.key)],
        "back": f"/book/{page.address}?{urlencode({'tz': zone.key, 'from': at.astimezone(zone).date().isoformat()})}",
    }
    return _page(request, page, context, status)


# The address itself is the secret, so a token against forgery would protect nothing.
@csrf_exempt
def booking(request: HttpRequest, token: str) -> HttpResponse:
    """Show the booking, and the free times to move it to; move or cancel it."""
    record = find_booking(token)
    if record is None:
        return _page(request, None, {"title": NO_BOOKING}, 404)
    if request.method not in ("GET", "HEAD", "POST"):
        return HttpResponse(status=405, headers={"Allow": "GET, HEAD, POST"})
    if request.method == "POST" and _is_large(request):
        return _page(request, None, {"title": TOO_LONG}, 413)
    limit = CHANGES if request.method == "POST" else READS
    if not limit.try_count(f"{record.pk} {caller_of(request).network}"):
        return _render_booking(request, record, problem=TOO_OFTEN, status=429)
    with company_scope(record.company_id):
        if request.method == "POST":
            return _change(request, record)
        return _render_booking(request, record)


def _change(request: HttpRequest, booking: Booking) -> HttpResponse:
    at = _moment(request.POST.get("at", ""))
    try:
        if request.POST.get("do") == "cancel":
            cancel(booking, reason=request.POST.get("reason", "").replace("\0", ""))
            done = ""
        # Each move sends mails to an address that anybody may have entered.
        elif at is not None and not MOVES.try_count(booking.pk):
            return _render_booking(request, booking, problem=MOVED_OFTEN, status=429)
        elif at is not None:
            move(booking, at=at)
            done = "?moved=1"
        else:
            return _render_booking(request, booking, problem=CHOOSE, status=422)
    except ApiError as error:
        taken = getattr(error, "name", "") == TAKEN
        reason = error.reason if error.fields else NOT_NOW
        problem = GONE if taken else reason
        return _render_booking(request, booking, problem=problem, status=409)
    return _lead_to(f"/booking/{booking.token}{done}")


def _render_booking(request: HttpRequest, booking: Booking, *, problem: str = "", status: int = 200) -> HttpResponse:
    page, meeting = booking.page, booking.meeting
    changeable = can_change(booking)
    zone = zone_of(booking.timezone or meeting.timezone)
    context: JsonObject = {
        "booking": booking,
        "meeting": meeting,
        "when": span_words(meeting.starts_at, meeting.ends_at, formats_in(zone, booking)),
        "chosen_zone": zone.key,
        "was_zone": zone.key,
        "changeable": changeable,
        "cancelled": meeting.status != "scheduled",
        "news": next((name for name in ("new", "moved") if name in request.GET), ""),
        "trouble": problem,
        "title": page.heading if page else meeting.title,
    }
    if changeable and page is not None and page.is_active and ("move" in request.GET or status in (409, 422)):
        with company_scope(booking.company_id):
            context |= _moving(request, booking, page)
    return _page(request, page, context, status, company=booking.company_id, template="pages/booked.html")


def _moving(request: HttpRequest, booking: Booking, page: BookingPage) -> JsonObject:
    """Return the template's data for the free times, or for the chosen one, which needs a confirmation."""
    at = _moment(request.GET.get("at", ""))
    only = {"besides": booking.meeting_id, "members": [booking.member]}
    if at is not None and at in free_slots(page, at, at + timedelta(seconds=1), **only):
        zone = zone_for(request.GET.get("tz", ""), page)
        label = span_words(at, at + timedelta(minutes=page.duration_minutes), formats_in(zone, page))
        return {"moving": True, "chosen_zone": zone.key, "at": at.isoformat(), "to": label}
    context = _calendar(request, page, booking.meeting_id, [booking.member]) | {"moving": True}
    return context | {"trouble": GONE} if at is not None else context


def booking_file(request: HttpRequest, token: str) -> HttpResponse:
    """Return the iCalendar file of the booking."""
    booking = find_booking(token)
    if booking is None or not READS.try_count(caller_of(request).network):
        return HttpResponse(status=404)
    with company_scope(booking.company_id):
        answer = HttpResponse(meeting_file(id=booking.meeting_id), content_type="text/calendar; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="meeting.ics"'
    answer["X-Content-Type-Options"] = "nosniff"
    return _headers(answer)


def _moment(text: str) -> datetime | None:
    """Read a time in the format of the page's own links."""
    try:
        moment = datetime.fromisoformat(text[:40])
        # Reckoning with zones and buffers must not leave the calendar.
        return moment.astimezone(UTC) if moment.tzinfo and 1970 < moment.year < 9000 else None
    except (ValueError, OverflowError):
        return None


def _lead_to(place: str) -> HttpResponse:
    """Lead on, so that a page that is loaded again sends nothing."""
    answer = HttpResponseRedirect(place)
    # 303 makes the browser GET the next page whatever the method was (RFC 9110, 15.4.4).
    answer.status_code = 303
    return _headers(answer)


def _page(
    request: HttpRequest,
    page: BookingPage | None,
    context: JsonObject,
    status: int,
    *,
    company: str | None = None,
    template: str = "pages/booking.html",
) -> HttpResponse:
    owner = page.company_id if page else company
    shared: JsonObject = {"page": page, "brand": brand_of(owner), "now": timezone.now()}
    if page is not None:
        shared |= {"title": page.heading, "style": f"/f/style/{page.colour[1:]}.css"}
    return _headers(render(request, template, {**shared, **context}, status=status))


def _headers(answer: HttpResponse) -> HttpResponse:
    answer["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
        # The page is meant to be embedded in any website.
        " base-uri 'none'; form-action 'self'; frame-ancestors *"
    )
    answer.xframe_options_exempt = True  # any site may show a page on which one books
    answer["Cache-Control"] = "no-store"
    answer["X-Robots-Tag"] = "noindex"
    # The address opens the booking, so other sites must not learn it.
    answer["Referrer-Policy"] = "no-referrer"
    return answer


urlpatterns = [
    path("book/<str:token>", booking_page, name="public-booking"),
    path("booking/<str:token>", booking, name="public-booked"),
    path("booking/<str:token>/calendar.ics", booking_file, name="public-booked-file"),
]
