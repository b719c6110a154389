"""The person who reads a page. Accounts identifies the person (`set_source`), since the base has no users."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from django.http import HttpRequest

from core.access import Actor
from core.text.formats import Formats
from core.types import Values

THEMES, DENSITIES = ("light", "dark"), ("compact", "roomy")
"""Themes and densities that a person can choose; by default the device's theme and normal rows."""


@dataclass(frozen=True)
class Visit:
    """A visit of one of the service's staff, who sees the pages as the company's people do, and changes nothing."""

    reason: str
    until: datetime
    end: str
    """The address whose POST ends it."""
    records: str
    """The address of all the company's records, as tables."""


@dataclass(frozen=True)
class Reader:
    """The person of a browser's session: as a member of a company, or as themselves with `member` None."""

    person: Actor
    """The actor of the private API."""
    name: str
    email: str
    layout: Values = field(default_factory=dict)
    """The person's layout of the pages: `theme`, `density`, `start` (a page's name), `timezone`, `firstSteps`."""
    columns: Values = field(default_factory=dict)
    """List -> the columns that the person has chosen for it."""
    member: Actor | None = None
    """The actor of the protected API."""
    company: str = ""
    role: str = ""
    formats: Formats = field(default_factory=Formats)
    visit: Visit | None = None
    """Set for staff on a visit."""
    look: Any = None
    """The look of the company's pages: name, logo, favicon and style, each "" for the service's own."""

    @property
    def company_id(self) -> str:
        return self.member.company_id if self.member else ""

    @property
    def theme(self) -> str:
        return self._one_of("theme", THEMES)

    @property
    def density(self) -> str:
        return self._one_of("density", DENSITIES)

    def _one_of(self, name: str, choices: Collection[str]) -> str:
        choice = self.layout.get(name) if isinstance(self.layout, dict) else None
        return choice if isinstance(choice, str) and choice in choices else ""


class NoSession(Exception):
    """The browser has no session, or one that has been ended. `address` is where to go in place of the log-in."""

    def __init__(self, address: str = "") -> None:
        self.address = address
        super().__init__(address)


class Source(Protocol):
    """Reads and renews the sessions of browsers."""

    def member(self, request: HttpRequest, company_id: str) -> Reader | None:
        """Return the person as a member of the company, or None for a non-member. Raises NoSession."""

    def person(self, request: HttpRequest) -> Reader:
        """Return the person, as a member of the company whose page they opened last if there is one.

        Raises NoSession.
        """

    def renew(self, request: HttpRequest, access_token: str) -> None:
        """Go on with the session of this token, which took the place of the browser's."""


_source: Source | None = None


def set_source(source: Source) -> None:
    """Register where readers come from."""
    global _source
    _source = source


def reader_source() -> Source:
    """Return where readers come from."""
    if _source is None:
        raise RuntimeError("no app says who reads a page (core.web.readers.set_source)")
    return _source
