"""The names of the work of calendars."""

from __future__ import annotations

EVENTS, BUSY = "calendar-events", "calendar-busy"
