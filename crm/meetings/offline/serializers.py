"""Bodies of meetings in person."""

from __future__ import annotations

from core.api.input import TextInput
from crm.meetings.serializers import MeetingCreate, MeetingUpdate

PLACE = "where it is: an address, a room"


class OfflineMeetingUpdate(MeetingUpdate):
    kind = None  # type: ignore[assignment]
    link = None  # type: ignore[assignment]
    videoProvider = None  # type: ignore[assignment]
    place = TextInput(max_length=500, required=False, help_text=PLACE)


class OfflineMeetingCreate(MeetingCreate):
    kind = None  # type: ignore[assignment]
    link = None  # type: ignore[assignment]
    videoProvider = None  # type: ignore[assignment]
    place = TextInput(max_length=500, help_text=PLACE)
