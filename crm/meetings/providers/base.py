"""Providers of the links of video calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from crm.meetings.models import Meeting, VideoSettings


class VideoProvider(ABC):
    """A way to get the link of a video call. It reaches no network: a link that takes a call comes later."""

    key: ClassVar[str]
    """Stored with each meeting: never change it."""
    name: ClassVar[str]
    """Name for people."""

    def lacks(self) -> str:
        """Return why nobody of the service gets links from it, for people; empty if they may."""
        return ""

    @abstractmethod
    def refusal(self, organizer: str, settings: VideoSettings) -> str:
        """Return why the member's (id) meetings get no link from it, for people; empty if they do."""

    @abstractmethod
    def link(self, meeting: Meeting) -> str:
        """Return the meeting's link; empty if a worker writes it into the meeting later (services.set_link)."""
