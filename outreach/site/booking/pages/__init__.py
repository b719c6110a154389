"""The pages of booking: the list, a page, its hours and questions, one's own hours, the calendar elsewhere."""

from __future__ import annotations

from outreach.site.booking.pages.hours import BookableHours, BookingPageHours, CalendarReturn
from outreach.site.booking.pages.records import BookingList, BookingQuestions, EditBookingPage, NewBookingPage

PAGES = [
    BookingList,
    NewBookingPage,
    BookableHours,
    CalendarReturn,
    EditBookingPage,
    BookingPageHours,
    BookingQuestions,
]
