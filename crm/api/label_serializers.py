"""Bodies and answers of tags and contact categories."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Count, Model, Q
from rest_framework import serializers

from accounts.api.snapshots import MemberSnapshot
from core.api.input import Input, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from crm.api.automation import AutomationInput
from crm.models import Contact, ContactTag, Lead, LeadTag

UNIQUE = "unique in the company, whatever the case of its letters"


class LabelCreate(Input):
    name = TextInput(max_length=200, help_text=UNIQUE)
    description = TextInput(max_length=5000, allow_blank=True, required=False)
    color = TextInput(max_length=20, allow_blank=True, required=False, help_text="such as #3b82f6; the service only keeps it")


class LabelUpdate(LabelCreate):
    name = TextInput(max_length=200, required=False, help_text=UNIQUE)


class LabelDelete(SelectionInput, AutomationInput):
    """Which labels to delete."""


class LabelSnapshot(Output):
    """A tag or category, nested where a contact refers to it."""

    _id = IdField()
    name = serializers.CharField()


class LabelOut(LabelSnapshot):
    description = serializers.CharField()
    color = serializers.CharField()
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


def numbers(model: type[Model], reference: str, rows: list[dict[str, Any]], *conditions: Q, **where: Any) -> dict[str, int]:
    """How many of the model's records refer to each of the rows that go out, in one grouped query; those without any are absent."""
    found = model._default_manager.filter(*conditions, **{f"{reference}__in": [row["_id"] for row in rows]}, **where).order_by()
    return dict(found.values_list(reference).annotate(number=Count("pk")))


class CountedLabelOut(LabelOut):
    """A label with the number of live records that have it."""

    contact_paths: ClassVar[tuple[type[Model], str, str]]
    lead_paths: ClassVar[tuple[type[Model], str, str]]
    """A model, its path to the label, and the path that says whether the record is deleted."""

    @classmethod
    def complete(cls, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        (contacts, has_label, is_deleted), (leads, lead_has_label, lead_is_deleted) = cls.contact_paths, cls.lead_paths
        of_contacts = numbers(contacts, has_label, rows, **{is_deleted: False})
        of_leads = numbers(leads, lead_has_label, rows, **{lead_is_deleted: False})
        return [{**row, "contactCount": of_contacts.get(row["_id"], 0), "leadCount": of_leads.get(row["_id"], 0)} for row in rows]


class TagOut(CountedLabelOut):
    contact_paths = (ContactTag, "tag", "contact__is_deleted")
    lead_paths = (LeadTag, "tag", "lead__is_deleted")

    contactCount = Computed(serializers.IntegerField(help_text="contacts that have the tag, without deleted ones"))
    leadCount = Computed(serializers.IntegerField(help_text="leads that have the tag, without deleted ones"))


class CategoryOut(CountedLabelOut):
    contact_paths = (Contact, "category", "is_deleted")
    lead_paths = (Lead, "contact__category", "is_deleted")

    contactCount = Computed(serializers.IntegerField(help_text="contacts of the category, without deleted ones"))
    leadCount = Computed(serializers.IntegerField(help_text="leads of such contacts, without deleted ones"))
