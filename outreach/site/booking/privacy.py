"""Personal data in bookings."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from crm.privacy.registry import (
    DataSubject,
    dangling_rows,
    delete_rows,
    mentioning_rows,
    referring_rows,
    register_personal_data,
)
from outreach.site.booking.models import Booking


def _bookings_of(subject: DataSubject) -> Q:
    mentions = mentioning_rows(subject, "email", "phone", "answers", "reason")
    return referring_rows(Booking, subject) | mentions | dangling_rows(Booking, "meeting")


def blank_bookings(subject: DataSubject, rows: QuerySet[Booking]) -> int:
    """Blank visitors' names and answers; the booked time stays as long as its meeting."""
    deleted = delete_rows(subject, rows.filter(dangling_rows(Booking, "meeting")))
    blank = {"name": "", "email": "", "phone": "", "answers": {}, "reason": "", "timezone": ""}
    return deleted + rows.update(**blank, contact=None, lead=None, remind_at=None)


def register_tables() -> None:
    """Register the personal data of bookings."""
    register_personal_data("bookings", Booking, _bookings_of, blank_bookings, module="meeting")
