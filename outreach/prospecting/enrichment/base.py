"""The interface of enrichment providers: a known person, and further data of that person from a provider."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import dataclass

from outreach.connections.data_apps.models import DataApp


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A contact's data for a provider."""

    name: str = ""
    email: str = ""
    phone: str = ""


class EnrichmentProvider(abc.ABC):
    """Completes contacts by one connected app of a company. It raises nothing but DataAppError."""

    def __init__(self, app: DataApp) -> None:
        self.app = app

    @abc.abstractmethod
    def enrich(self, person: Person, *, most_seconds: float | None = None) -> Mapping[str, str]:
        """Return the values that the provider knows, by the key of the contact's field; none for a stranger."""
