"""The generic lead source: any service that answers a search with a list in JSON."""

from __future__ import annotations

from core.types import Values
from crm.models import CustomField
from outreach.connections.data_apps.paths import text_at
from outreach.connections.data_apps.transport import DataAppError, fetch_value
from outreach.prospecting.lead_sources.base import LENGTHS, MAX_CANDIDATES, Candidate, LeadSource, SourceQuery

FIELDS = tuple(name for name in LENGTHS if name != "source")
VALUE_LENGTH = 500


class HttpLeadSource(LeadSource):
    """Sends query, industry, count, domains and filters, and reads each result by the app's paths."""

    def search(self, query: SourceQuery, *, most_seconds: float | None = None) -> list[Candidate]:
        body = {
            "query": query.prompt,
            "industry": query.industry,
            "count": min(query.count, MAX_CANDIDATES),
            "domains": list(query.domains),
            "filters": dict(query.filters),
        }
        rows = fetch_value(self.app, body, most_seconds=most_seconds)
        if not isinstance(rows, list):
            where = self.app.result_path or "the whole answer"
            raise DataAppError(f"{self.app.name} did not answer with a list of people ({where}).", temporary=False)
        candidates = [self._candidate(row) for row in rows[:MAX_CANDIDATES] if isinstance(row, dict)]
        return [candidate for candidate in candidates if candidate.email or candidate.phone]

    def _candidate(self, row: Values) -> Candidate:
        paths = self.app.field_paths
        own = {name: text_at(row, paths[name], LENGTHS[name]) for name in FIELDS if name in paths}
        values = {key: text_at(row, path, VALUE_LENGTH) for key, path in paths.items() if key not in FIELDS}
        filled = {key: value for key, value in values.items() if value}
        return Candidate(**own, source=self.app.name, values=filled)


def source_fields() -> set[str]:
    """Return the names that the paths of a source may have: its own, and the custom fields of contacts."""
    custom = CustomField.objects.filter(panel=CustomField.Panel.CONTACT, is_system=False)
    return {*FIELDS, *custom.values_list("unique_field_id", flat=True)}
