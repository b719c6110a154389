"""Personal data in what was booked."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from crm.privacy.registry import DataSubject, mentioning, referring, register_personal_data
from outreach.booking.models import Booking


def _booked(subject: DataSubject) -> Q:
    return referring(Booking, subject) | mentioning(subject, "email", "phone", "answers", "reason")


def blank_bookings(subject: DataSubject, rows: QuerySet[Booking]) -> int:
    """Blank who has booked and what they have told; that a time was booked stays."""
    blank = {"name": "", "email": "", "phone": "", "answers": {}, "reason": "", "timezone": ""}
    return rows.update(**blank, contact=None, lead=None, remind_at=None)


def register_tables() -> None:
    """Register the personal data of bookings."""
    register_personal_data("bookings", Booking, _booked, blank_bookings, module="meeting")
