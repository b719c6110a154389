"""Visitors' actions: book a time, move it, cancel it.

A booking locks the members who may be met, so that of two bookings of the same time one succeeds. Connected calendars
are queried before, outside of any transaction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone
from django.utils.crypto import get_random_string

from accounts.models import Member
from core.access import entitlement, limited_creation
from core.access.attempts import Limit
from core.errors import NamedError
from core.events import emit
from core.lists import BulkSelection
from core.tenancy import company_scope, unscoped
from core.types import JsonObject, Values
from crm.activities.reminders import schedule_reminder
from crm.meetings.models import Meeting
from crm.meetings.providers.registry import provider_of
from crm.meetings.services import (
    cancel_meetings,
    create_meeting,
    send_invitations,
    update_meeting,
    video_provider_of_company,
)
from crm.records.writes.updates import event_value
from outreach.connections.calendars.busy_times import ask_now
from outreach.site.booking.models import MAX_SLUG_LENGTH, TOKEN_LENGTH, Booking, BookingPage
from outreach.site.booking.people import contact_of, lead_of
from outreach.site.booking.slots import booking_window, free_slots, hours_of, members_of
from outreach.site.booking.slugs import former_page
from outreach.site.forms.submissions import id_of_sent

BOOKINGS = Limit("booking", 5, 60)
"""Bookings of one network by one page in a minute."""
DAILY = Limit("booking-day", 100, 24 * 3600)
"""Bookings of one network by one page in a day: as many as a conference makes, and no flood."""
TRIES = Limit("booking-try", 30, 60)
"""Requests of one network to one page, including refused ones: people mistype."""
ADDRESSES = Limit("booking-address", 10, 24 * 3600)
"""Bookings of one network with one company in a day that give the same address.

The network is part of the key. Otherwise a stranger could use up the limit of an address and lock out its owner.
"""
READS = Limit("booking-read", 120, 60)
CHANGES = Limit("booking-change", 10, 60)
MOVES = Limit("booking-move", 5, 24 * 3600)
"""Number of moves of a booking by its visitor in a day: each sends mails, to an address that anybody may give."""
TAKEN, GONE = "BookingSlotTaken_409", "BookingNotFound_404"
AN_ADDRESS = re.compile(r"(?i:://|www\.|@)|\w\.([a-z]{2,}|[A-Z]{2,})(?!\w)")
"""Texts that mail programs convert into links: bit.ly, too, but not J.R.R. or St.John."""
SCHEDULED = Meeting.Status.SCHEDULED
PAGE_ADDRESS = re.compile(rf"[A-Za-z0-9-]{{1,{MAX_SLUG_LENGTH}}}")


@dataclass(frozen=True)
class Visitor:
    """The visitor and their answers."""

    name: str
    email: str
    phone: str
    answers: Values
    timezone: str = ""


def find_page(address: str) -> BookingPage | None:
    """Return the page with this token, slug or former slug, of any company, if it can be booked and the company is
    paying."""
    # Checked before the query, since any text may stand in an address.
    if not PAGE_ADDRESS.fullmatch(address):
        return None
    is_it = Q(token=address) | Q(slug=address.lower())
    with unscoped(reason="public booking page: the page whose address it is"):
        rows = BookingPage.objects.filter(is_it).select_related("company", "member")
        # Another page's slug never takes the address of a token, even while the token's page is switched off.
        page = min(rows, key=lambda row: row.token != address, default=None)
    page = page or former_page(address.lower())
    if page is None or not page.is_active:
        return None
    with company_scope(page.company_id):
        try:
            entitlement(page.company_id)
        except NamedError:
            return None
    return page


def find_booking(token: str) -> Booking | None:
    """Return the booking with this address, of any company."""
    if len(token) != TOKEN_LENGTH or not token.isascii() or not token.isalnum():
        return None
    with unscoped(reason="public booking: the booking whose address it is"):
        rows = Booking.objects.select_related("company", "page", "meeting__organizer", "member")
        booking: Booking | None = rows.filter(token=token).first()
        return booking


def slot_taken() -> NamedError:
    """Return the error for a time that is taken, or that the page does not offer."""
    return NamedError(TAKEN, "this time is no longer free; choose another one", field="startsAt")


def book(page: BookingPage, *, at: datetime, visitor: Visitor, sent_id: str, network: str = "") -> Booking:
    """Book a time of the page, in its company, for a visitor of a network, whose bookings are limited.

    Without a network there is no limit. A repetition with the same `sent_id` returns the existing booking. Raises
    BookingSlotTaken_409, TooManyAttempts, and NamedError if the company's plan allows no meeting.
    """
    sent_id = id_of_sent(sent_id, at, visitor.email.lower(), visitor.name, visitor.phone, visitor.answers)
    # A look without locks: most repetitions end here.
    if (existing := Booking.objects.filter(sent_id=sent_id).first()) is not None:
        return existing
    with _count_booking(page, network, visitor.email) if network else nullcontext():
        return _book(page, at, visitor, sent_id)


@contextmanager
def _count_booking(page: BookingPage, network: str, email: str) -> Iterator[None]:
    """Count a booking against the limits of its network; one that is not made is not counted."""
    by_page = f"{page.pk} {network}"
    counts = ((BOOKINGS, by_page), (DAILY, by_page), (ADDRESSES, f"{page.company_id} {network} {email.lower()}"))
    counted: list[tuple[Limit, str]] = []
    try:
        for limit, value in counts:
            counted.append((limit, value))
            limit.count(value)
        yield
    # Whatever went wrong, no booking was made, so the limits are given back.
    except BaseException:
        for limit, value in counted:
            limit.refund(value)
        raise


def _book(page: BookingPage, at: datetime, visitor: Visitor, sent_id: str) -> Booking:
    # Asks connected calendars, outside of the transaction: their servers may take seconds.
    _check_free(page, at)
    with limited_creation(entitlement(page.company_id)), transaction.atomic():
        members = _lock_members(page)
        # Again under the locks: the same form may have been sent twice at once.
        if (existing := Booking.objects.filter(sent_id=sent_id).first()) is not None:
            return existing
        # Free times once more, under the locks of all who may be met.
        member = _next_member(page, members, at)
        contact = contact_of(visitor.email, visitor.name, visitor.phone, member.pk)
        lead = lead_of(page, contact, member.pk) if contact and page.makes_lead else None
        meeting = _make_meeting(page, member, at, visitor, contact, lead)
        booking = Booking(
            page=page,
            meeting=meeting,
            member=member,
            sent_id=sent_id,
            # The token is all that opens the booking, so it cannot be guessed.
            token=get_random_string(TOKEN_LENGTH),
            name=visitor.name,
            email=visitor.email.lower(),
            phone=visitor.phone,
            answers=dict(visitor.answers),
            timezone=visitor.timezone,
            buffer_before=page.buffer_before,
            buffer_after=page.buffer_after,
            contact=contact,
            lead=lead,
            remind_minutes=page.remind_minutes,
        )
        schedule_reminder(booking, at)
        booking.save(force_insert=True)
        # Event and invitations commit with the booking: none without the other.
        _emit("meeting.booked", booking, meeting)
        send_invitations(meeting)
    return booking


def move(booking: Booking, *, at: datetime) -> None:
    """Move a booking to another free time of the same member. Raises BookingSlotTaken_409, BookingNotFound_404."""
    page = _page_of(booking)
    _check_free(page, at, besides=booking.meeting_id, member=booking.member_id)
    # Google was asked above, outside of the transaction; the stored bookings are checked under the lock.
    with transaction.atomic():
        members = _lock_members(page, booking.member_id)
        current, meeting = _lock_active(booking)
        if meeting.starts_at == at:
            return
        # Under the lock again, as in a booking.
        if not free_slots(page, at, at + timedelta(seconds=1), besides=meeting.pk, members=members).get(at):
            raise slot_taken()
        values = {"starts_at": at.isoformat(), "duration_minutes": page.duration_minutes}
        moved = update_meeting(id=meeting.pk, actor_id=None, values=values).meeting
        schedule_reminder(current, at)
        current.save(update_fields=["remind_at", "reminded_at", "updated_at"])
        _emit("meeting.rescheduled", current, moved)


def cancel(booking: Booking, *, reason: str = "") -> None:
    """Cancel a booking; one that is cancelled stays so. Raises BookingNotFound_404 for one that has begun."""
    with transaction.atomic():
        # A second click finds it cancelled and says nothing.
        if Meeting.objects.filter(pk=booking.meeting_id).exclude(status=SCHEDULED).exists():
            return
        current, meeting = _lock_active(booking)
        cancel_meetings(actor_id=None, selection=BulkSelection.of_ids([meeting.pk]))
        current.cancelled_at = timezone.now()
        current.reason = " ".join(reason.split())[:500]
        current.save(update_fields=["cancelled_at", "reason", "updated_at"])


def can_change(booking: Booking) -> bool:
    """Return whether its visitor may still move or cancel it."""
    meeting: Meeting = booking.meeting
    return meeting.status == SCHEDULED and meeting.starts_at > timezone.now()


def _page_of(booking: Booking) -> BookingPage:
    page: BookingPage | None = booking.page
    if page is None or not page.is_active:
        raise NamedError(GONE, "its page takes no bookings now; cancel it, or ask whom you meet", field="token")
    return page


def _lock_active(booking: Booking) -> tuple[Booking, Meeting]:
    """Return the booking and its meeting, locked. Raises BookingNotFound_404 for one that is over or cancelled."""
    # The booking before its meeting, in move and cancel alike.
    current = Booking.objects.select_for_update(of=("self",)).get(pk=booking.pk)
    meeting = Meeting.objects.select_for_update(of=("self",)).get(pk=booking.meeting_id)
    if meeting.status != SCHEDULED or meeting.starts_at <= timezone.now():
        raise NamedError(GONE, "this booking is cancelled, or has begun", field="token")
    return current, meeting


def _check_free(page: BookingPage, at: datetime, *, besides: str = "", member: str = "") -> None:
    """Refuse a time that is not free by the stored data, and query connected calendars again about one that is."""
    members = [candidate for candidate in members_of(page) if not member or candidate.pk == member]
    free = free_slots(page, at, at + timedelta(seconds=1), besides=besides, members=members).get(at)
    if not free:
        raise slot_taken()
    ask_now(free, *booking_window(page))


def _lock_members(page: BookingPage, member: str = "") -> list[Member]:
    """Return the bookable members of the page, locked so that their bookings run one after the other."""
    ids = [candidate.pk for candidate in members_of(page) if not member or candidate.pk == member]
    # Locked in one order: two bookings of a team never wait for each other in a circle.
    locked = Member.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=ids).order_by("pk")
    return list(locked)


def _next_member(page: BookingPage, members: Sequence[Member], at: datetime) -> Member:
    """Return who gets the booking: of those who are free the one whose last one is longest ago."""
    free = free_slots(page, at, at + timedelta(seconds=1), members=members).get(at)
    if not free:
        raise slot_taken()
    rows = Booking.objects.filter(page=page, member_id__in=free).order_by()
    last = dict(rows.values_list("member_id").annotate(last=Max("created_at")))
    # Who has had none comes first; the id decides between equals, so the choice is always the same.
    chosen = min(free, key=lambda id: (id in last, last.get(id), id))
    return next(member for member in members if member.pk == chosen)


def _make_meeting(
    page: BookingPage, member: Member, at: datetime, visitor: Visitor, contact: Any, lead: Any
) -> Meeting:
    values: JsonObject = {
        "title": f"{page.heading}: {visitor.name}"[:300],
        "description": page.text,
        "organizer": member.pk,
        "starts_at": at.isoformat(),
        "duration_minutes": page.duration_minutes,
        "timezone": hours_of(page, [member.pk])[member.pk].zone.key,
        "kind": page.kind,
        "place": page.place,
    }
    if lead is not None:
        values["lead"] = lead.pk
    elif contact is not None:
        values["contact"] = contact.pk
    if page.kind == Meeting.Kind.ONLINE:
        values["video_provider"] = _provider(page, member)
    # The contact may have been found by the number: the invitation goes to the address that was entered.
    if contact is not None and contact.email and contact.email.lower() == visitor.email.lower():
        attendee = {"contact": contact.pk}
    else:
        attendee = {"email": visitor.email, "name": visitor.name}
    return create_meeting(actor_id=None, values=values, attendees=[attendee], invite=False).meeting


def _provider(page: BookingPage, member: Member) -> str:
    """Return the provider of the link; "" if it is unavailable: the booking stays, and a member adds the link."""
    key = page.video_provider or video_provider_of_company()
    try:
        return key if key and provider_of(key, member.pk) else ""
    except NamedError:
        return ""


def event_payload(booking: Booking, meeting: Meeting) -> JsonObject:
    """Return the payload of the events of a booking."""
    return {
        "lead": meeting.lead_id,
        "contact": booking.contact_id,
        "title": meeting.title,
        "startsAt": event_value(meeting.starts_at),
        "endsAt": event_value(meeting.ends_at),
        "member": booking.member_id,
        "booking": booking.pk,
        "page": booking.page_id,
        "answers": booking.answers,
    }


def _emit(kind: str, booking: Booking, meeting: Meeting) -> None:
    emit(kind, [meeting.pk], payloads={meeting.pk: event_payload(booking, meeting)})
