"""The generic enrichment provider: any service that answers an address with an object in JSON."""

from __future__ import annotations

from collections.abc import Mapping

from crm.models import CustomField
from outreach.connections.data_apps.paths import text_at
from outreach.connections.data_apps.transport import DataAppError, fetch_value
from outreach.prospecting.enrichment.base import EnrichmentProvider, Person

VALUE_LENGTH = 500
SYSTEM = ("name", "email", "number")
"""System fields that may be proposed. A number brings its own dial prefix."""
NOT_FOUND = (404, 410)


class HttpEnrichment(EnrichmentProvider):
    """Sends email, name and phone, and reads the answer by the app's paths."""

    def enrich(self, person: Person, *, most_seconds: float | None = None) -> Mapping[str, str]:
        query = {"email": person.email, "name": person.name, "phone": person.phone}
        try:
            answer = fetch_value(self.app, query, most_seconds=most_seconds)
        except DataAppError as error:
            if error.status in NOT_FOUND:
                return {}
            raise
        values = {key: text_at(answer, path, VALUE_LENGTH) for key, path in self.app.field_paths.items()}
        return {key: value for key, value in values.items() if value}


def enriched_fields() -> set[str]:
    """Return the keys of the contacts' fields that may be proposed."""
    custom = CustomField.objects.filter(panel=CustomField.Panel.CONTACT, is_system=False)
    return {*SYSTEM, *custom.values_list("unique_field_id", flat=True)}
