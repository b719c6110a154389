"""The banner above the pages of a company: important news for its people, such as the end of its trial.

A higher layer registers its source (`set_banner`), because the base has no access to subscriptions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


def banner_of(page: Page) -> Banner | None:
    """Return the banner of a company's page; pages of a person have none."""
    return _source(page) if page.reader.member is not None else None
