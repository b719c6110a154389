"""An import of the predecessor's documents into the active company, with their ids and times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Model

from config.predecessor.report import Report
from core.ids import is_id
from core.tenancy import company_id, unscoped
from core.types import JsonObject, Values

META = frozenset(
    {"_id", "__v", "company", "companyID", "companyId", "createdBy", "updatedBy", "createdAt", "updatedAt"}
    | {"isDeleted", "importId", "formData", "unsubscribed", "unsubscribedAt", "contactNumber"}
)
"""Keys of documents that are no values of records."""
FIRST_YEAR = 1970
LAST_YEAR = 2200
"""Years of the times that are taken over: others cannot be written in each time zone."""
Document = Values


@dataclass
class Import:
    """An import into the active company."""

    actor_id: str
    report: Report = field(default_factory=Report)
    same: dict[str, str] = field(default_factory=dict)
    """_id there -> _id of the record here that has its name or unique key."""
    keys: dict[str, str] = field(default_factory=dict)
    """Key of a custom field there -> its key here."""

    def new(self, kind: str, model: type[Model], documents: Sequence[Document]) -> list[Document]:
        """Return the documents whose ids no record has yet, and count the others."""
        ids = [document["_id"] for document in documents]
        with unscoped(reason="import: an id belongs to one company of all"):
            owners = dict(model._default_manager.filter(pk__in=ids).values_list("pk", "company_id"))
        new = []
        for document in documents:
            owner = owners.get(document["_id"])
            if owner is None:
                new.append(document)
            elif owner == company_id():
                self.report.count(kind, "known")
            else:
                self.report.refuse(kind, document["_id"], "another company has a record with this _id")
        return new

    def reference(self, value: Any) -> str | None:
        """Return the id that a reference has here. It may be the nested record."""
        id = value.get("_id") if isinstance(value, Mapping) else value
        return self.same.get(id, id) if isinstance(id, str) and is_id(id) else None

    def references(self, values: Any) -> list[str]:
        """Return the ids of a list of references, each once."""
        ids = [self.reference(value) for value in (values if isinstance(values, list) else [values])]
        return list(dict.fromkeys(id for id in ids if id))

    def form(self, document: Document, related: Iterable[str] = ()) -> JsonObject:
        """Return the values of a record by their keys, from formData and from the top. Empty ones are left out."""
        inner = document.get("formData")
        values = {**document, **(inner if isinstance(inner, Mapping) else {})}
        passed = {*META, *related}
        return {
            self.keys.get(key, key): value
            for key, value in values.items()
            if key not in passed and value not in (None, "", [])
        }


def keep_times(model: type[Model], documents: Sequence[Document]) -> None:
    """Give the records of the documents the times that the documents have."""
    rows = []
    for document in documents:
        created = time_of(document, "createdAt")
        if created is not None:
            rows.append((document["_id"], created, time_of(document, "updatedAt") or created))
    if not rows:
        return
    table = connection.ops.quote_name(model._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} SET created_at = given.created, updated_at = given.changed"  # noqa: S608  a model's table
            " FROM unnest(%s::text[], %s::timestamptz[], %s::timestamptz[]) AS given (id, created, changed)"
            f" WHERE {table}.id = given.id AND {table}.company_id = %s",
            [*(list(column) for column in zip(*rows, strict=True)), company_id()],
        )


def time_of(document: Document, name: str) -> datetime | None:
    """Return a time of the document, or None where it has none that a record can have."""
    value = document.get(name)
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if moment is None or moment.tzinfo is None or not FIRST_YEAR <= moment.year <= LAST_YEAR:
        return None
    return moment
