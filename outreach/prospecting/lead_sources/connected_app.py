"""The spec of generic lead sources as a connected app."""

from __future__ import annotations

from outreach.connections.connected_apps.registry import Capability
from outreach.connections.data_apps.connected_app import data_app
from outreach.connections.data_apps.models import DataApp
from outreach.connections.data_apps.services import Paths
from outreach.prospecting.lead_sources.base import SourceQuery
from outreach.prospecting.lead_sources.http import HttpLeadSource, source_fields

TEST_QUERY = SourceQuery(prompt="marketing managers in Berlin", count=3)


def search_for_test(app: DataApp, seconds: float) -> list[dict[str, str]]:
    """Search for anybody, as a connection test shows it."""
    rows = [candidate.as_json() for candidate in HttpLeadSource(app).search(TEST_QUERY, most_seconds=seconds)]
    return [{**row, **row.pop("values", {})} for row in rows]


LEAD_SOURCE = data_app(
    "lead-source",
    "lead source",
    HttpLeadSource,
    Capability.FIND_LEADS,
    paths=Paths(source_fields, one_of=("email", "phone")),
    search=search_for_test,
    sends="Each search for leads sends it query, industry, count, domains and filters, and takes at most 100 people of"
    " its answer. The fields are name, email, phone, company, title, url, and the uniqueFieldID of custom fields of"
    " contacts; a path of email or phone is needed.",
)
