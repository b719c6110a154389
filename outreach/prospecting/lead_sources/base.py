"""The interface of lead sources: the query for a source, and the people in its response."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Self

from core.types import JsonObject, Values
from outreach.connections.data_apps.models import DataApp

MAX_CANDIDATES = 100
"""The most people that are taken from an answer of a source."""
LENGTHS = {"name": 300, "email": 254, "phone": 40, "company": 200, "title": 200, "url": 1000, "source": 100}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceQuery:
    """The description of the people to find."""

    prompt: str
    industry: str = ""
    count: int = 25
    domains: tuple[str, ...] = ()
    filters: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A person that a source has found. Every value is foreign text and may be hostile.

    `values` are those of custom fields of contacts, by uniqueFieldID.
    """

    name: str = ""
    email: str = ""
    phone: str = ""
    company: str = ""
    title: str = ""
    url: str = ""
    source: str = ""
    values: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> JsonObject:
        """Return the candidate as a search stores it."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_row(cls, row: Values) -> Self:
        """Return the candidate that a search stores."""
        return cls(**row)


class LeadSource(abc.ABC):
    """Finds people by one connected app of a company. It raises nothing but DataAppError."""

    def __init__(self, app: DataApp) -> None:
        self.app = app

    @abc.abstractmethod
    def search(self, query: SourceQuery, *, most_seconds: float | None = None) -> list[Candidate]:
        """Return the people who fit best, at most MAX_CANDIDATES."""
