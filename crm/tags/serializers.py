"""Bodies and answers of tags and contact categories."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Count, Model, Q
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject
from crm.records.serializers import AutomationInput
from crm.tags.models import ContactCategory, Tag

UNIQUE = "unique in the company, whatever the case of its letters"


class NamedModelCreate(Input):
    name = TextInput(max_length=200, help_text=UNIQUE)
    description = TextInput(max_length=5000, allow_blank=True, required=False)
    color = TextInput(
        max_length=20, allow_blank=True, required=False, help_text="such as #3b82f6; the service only keeps it"
    )


class NamedModelUpdate(NamedModelCreate):
    name = TextInput(max_length=200, required=False, help_text=UNIQUE)


class NamedModelDelete(SelectionInput, AutomationInput):
    """Tags or categories to delete."""


class NamedModelSnapshot(Output):
    """A record with a name, nested where another one refers to it."""

    _id = IdField()
    name = serializers.CharField()


class NamedModelOut(NamedModelSnapshot):
    description = serializers.CharField()
    color = serializers.CharField()
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


def related_model(model: type[Model], name: str) -> type[Model]:
    """Return the model at the other end of a model's reverse relation."""
    related: Any = model._meta.get_field(name).related_model
    return related  # type: ignore[no-any-return]


def count_references(
    model: type[Model], reference: str, rows: list[JsonObject], *conditions: Q, **where: Any
) -> dict[str, int]:
    """Count the model's records that refer to each row of the answer, in one grouped query.

    Rows without any are absent.
    """
    referring = model._default_manager.filter(
        *conditions, **{f"{reference}__in": [row["_id"] for row in rows]}, **where
    ).order_by()
    return dict(referring.values_list(reference).annotate(number=Count("pk")))


class CountedTagOut(NamedModelOut):
    """A tag or category with the number of live records that have it."""

    moving = frozenset({"contactCount", "leadCount"})
    paths: ClassVar[dict[str, tuple[type[Model], str, str]]]
    """Name of a count -> the counted model, its path to the tag, and the path to the flag of deleted records."""

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        counts_by_name = {
            name: count_references(model, path, rows, **{deleted: False})
            for name, (model, path, deleted) in cls.paths.items()
        }
        return [{**row, **{name: counts.get(row["_id"], 0) for name, counts in counts_by_name.items()}} for row in rows]


class TagOut(CountedTagOut):
    paths = {
        "contactCount": (related_model(Tag, "contact_links"), "tag", "contact__is_deleted"),
        "leadCount": (related_model(Tag, "lead_links"), "tag", "lead__is_deleted"),
    }

    contactCount = Computed(serializers.IntegerField(help_text="contacts that have the tag, without deleted ones"))
    leadCount = Computed(serializers.IntegerField(help_text="leads that have the tag, without deleted ones"))


class CategoryOut(CountedTagOut):
    paths = {
        "contactCount": (related_model(ContactCategory, "contacts"), "category", "is_deleted"),
        "leadCount": (
            related_model(related_model(ContactCategory, "contacts"), "leads"),
            "contact__category",
            "is_deleted",
        ),
    }

    contactCount = Computed(serializers.IntegerField(help_text="contacts of the category, without deleted ones"))
    leadCount = Computed(serializers.IntegerField(help_text="leads of such contacts, without deleted ones"))
