"""The fields and records that the list tests share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db.models import F, OuterRef, QuerySet
from django.http import QueryDict

from core.api.pagination import ListPagination
from core.lists import FieldSet, ListField, ListQuery, ManyField, Page, RelationField, Stream, ValueTableField
from tests.core.lists.app.models import Label, Person, PersonValue

NOW = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)
NUMBER_FIELD = "a" * 24
TEXT_FIELD = "b" * 24
TIME_FIELD = "c" * 24
FLAG_FIELD = "d" * 24
COLUMNS = {
    NUMBER_FIELD: ("number", "number"),
    TEXT_FIELD: ("text", "text"),
    TIME_FIELD: ("time", "date"),
    FLAG_FIELD: ("number", "boolean"),
}


def custom_field(name: str) -> ListField | None:
    if name not in COLUMNS:
        return None
    column, kind = COLUMNS[name]
    stored = "number" if kind == "boolean" else kind
    return ValueTableField(
        PersonValue, name, column, "person", kind, searchable=kind == "text", stored=stored, key={"position": 0}
    )


FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", nullable=False, searchable=True),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("email", "text", "email", searchable=True, ignore_case=True),
        ListField("age", "number", "age"),
        ListField("score", "number", "score"),
        ListField("weight", "number", "weight"),
        ListField("doubled", "number", F("age") * 2),
        ListField("active", "boolean", "active"),
        ListField("born", "date", "born"),
        ListField("team", "id", "team_id"),
        RelationField("team.name", "text", "team", "name", searchable=True),
        ManyField("labels", "id", lambda: Label.objects.filter(people=OuterRef("pk")), "id"),
        ManyField("labels.name", "text", lambda: Label.objects.filter(people=OuterRef("pk")), "name", searchable=True),
        ListField("hidden", "text", "name", filterable=False, sortable=False),
    ],
    default_search=("name", "email"),
    dynamic=custom_field,
)


class PersonOutput:
    @staticmethod
    def project(queryset: QuerySet) -> QuerySet:
        return queryset.values("id", "name", "age", "created_at")

    @staticmethod
    def render(row: Mapping[str, Any]) -> dict[str, Any]:
        return {"_id": row["id"], "name": row["name"], "age": row["age"], "createdAt": row["created_at"]}

    @staticmethod
    def complete(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return rows


def parse(**params: Any) -> ListQuery:
    query = QueryDict(mutable=True)
    query.update({name: str(value) for name, value in params.items()})
    return ListQuery.parse(query, FIELDS, now=NOW)


def page(queryset: QuerySet | None = None, **params: Any) -> Page:
    listed = Person.objects.all() if queryset is None else queryset
    query = parse(**params)
    return ListPagination().read_page(listed, listed.filter(query.where), query, PersonOutput)


def stream(**params: Any) -> Stream:
    query = parse(**params)
    return Stream(Person.objects.filter(query.where), query, PersonOutput)


def names(queryset: QuerySet | None = None, **params: Any) -> list[str]:
    """Return the names of the first page of up to 1,000, sorted by name unless told otherwise."""
    params = {"p": 1, "n": 1000, "sortBy": "name", "sortOrder": "asc", **params}
    return [row["name"] for row in page(queryset, **params).rows]


def person(name: str = "Ann", **values: Any) -> Person:
    custom = {field: values.pop(field) for field in COLUMNS if field in values}
    labels = values.pop("labels", ())
    created = Person.objects.create(name=name, **{"created_at": NOW, **values})
    created.labels.set(labels)
    PersonValue.objects.bulk_create(
        PersonValue(person=created, field_id=field, **{COLUMNS[field][0]: value}) for field, value in custom.items()
    )
    return created
