"""The values of records, as expressions see them."""

from __future__ import annotations

from collections.abc import Iterable

from core.text.persons import first_name_of
from core.types import JsonObject
from crm.records.types import kind_of
from crm.records.writes.updates import event_value

CONTACT = "contact"
ORGANIZATION = "organization"
FIRST_NAME = "firstName"
"""Name of a contact's value that is no field: the first name in its name."""


def values_of(panel: str, ids: Iterable[str]) -> dict[str, JsonObject]:
    """Return id -> the values of the records by their names in the API, custom ones by their keys."""
    kind = kind_of(panel)
    record_ids = sorted(set(ids))
    if not record_ids:
        return {}
    names = {column.name: column.api_name for column in kind.columns if column.api_name}
    rows = kind.model._default_manager.filter(pk__in=record_ids).order_by().values("id", "created_at", "custom", *names)
    return {
        row["id"]: {
            # Mail templates know contact.firstName, so people write it here too. A field of that name wins.
            **({FIRST_NAME: first_name_of(row["name"])} if panel == CONTACT else {}),
            **row["custom"],
            **{name: event_value(row[column]) for column, name in names.items()},
            "_id": row["id"],
            "createdAt": event_value(row["created_at"]),
        }
        for row in rows
    }
