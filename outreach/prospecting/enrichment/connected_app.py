"""The spec of generic enrichment as a connected app."""

from __future__ import annotations

from outreach.connections.connected_apps.registry import Capability
from outreach.connections.data_apps.connected_app import data_app
from outreach.connections.data_apps.models import DataApp
from outreach.connections.data_apps.services import Paths
from outreach.prospecting.enrichment.base import Person
from outreach.prospecting.enrichment.http import HttpEnrichment, enriched_fields

TEST_PERSON = Person(name="Ada Example", email="ada@example.org", phone="+442079460000")


def ask_for_test(app: DataApp, seconds: float) -> list[dict[str, str]]:
    """Query the app for an invented person, for a connection test."""
    values = dict(HttpEnrichment(app).enrich(TEST_PERSON, most_seconds=seconds))
    return [values] if values else []


ENRICH = data_app(
    "enrich",
    "enrichment app",
    HttpEnrichment,
    Capability.ENRICH,
    paths=Paths(enriched_fields),
    search=ask_for_test,
    sends="Runs with enrichmentEnabled send it email, name and phone of each recipient. What it answers is proposed"
    " (GET /enrichment-proposal), never written by itself. The fields are name, email, number, and the uniqueFieldID of"
    " custom fields of contacts.",
)
