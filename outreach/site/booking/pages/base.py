"""Shared parts of the pages of booking."""

from __future__ import annotations

from typing import ClassVar

from core.text.translation import gettext_lazy
from core.web.navigation.places import CALENDAR, MenuItem
from core.web.pages import Page
from core.web.records import Records

PAGES_KIND = Records(
    "booking-page",
    "booking",
    "calendar-check",
    gettext_lazy("Let people book a free time in your calendar."),
)


class BookingPages(Page):
    module = "calendar"
    alternate_modules: ClassVar[tuple[str, ...]] = ("my-calendar",)
    menu = MenuItem(
        gettext_lazy("Booking pages"),
        CALENDAR,
        20,
        "calendar-check",
        keywords=gettext_lazy("scheduling links appointments"),
    )
    kind = PAGES_KIND

    def may(self, module: str, method: str = "GET") -> bool:
        """Return whether either permission allows access to the member's own data; the API checks the rest."""
        if module == self.module:
            return super().may(module, method) or super().may(self.alternate_modules[0], method)
        return super().may(module, method)
