"""Banners above the pages of a company: announcements of the staff, and news such as the end of its trial.

A higher layer registers its source (`set_banner`), because the base has no access to subscriptions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.announcements.models import Announcement
from core.announcements.services import current_announcements
from core.web.pages import Page


@dataclass(frozen=True)
class Banner:
    """A message with an optional action that resolves it."""

    text: str
    bad: bool = False
    link: str = ""
    label: str = ""
    action: str = ""
    """Name of the action (`do`) of the linked page that the button performs, instead of opening the page."""


_source: Callable[[Page], Banner | None] = lambda page: None  # noqa: E731


def set_banner(source: Callable[[Page], Banner | None]) -> None:
    """Register the function that returns the banner of a page."""
    global _source
    _source = source


def banners_of(page: Page) -> list[Banner]:
    """Return the banners of a company's page, announcements first; pages of a person have none."""
    if page.reader.member is None:
        return []
    announcements = [
        Banner(announcement.text, announcement.level == Announcement.Level.WARNING)
        for announcement in current_announcements()
    ]
    banner = _source(page)
    return [*announcements, banner] if banner else announcements
