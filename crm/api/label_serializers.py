"""Bodies and answers of tags and contact categories."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, IntegerField, Model, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
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


def counted(model: type[Model], reference: str, *conditions: Q, **where: Any) -> Coalesce:
    """How many of the model's rows refer to each row of the list; of a page, only its rows are counted for."""
    rows = model._default_manager.filter(*conditions, **{reference: OuterRef("pk")}, **where).order_by().values(reference)
    return Coalesce(Subquery(rows.annotate(number=Count("pk")).values("number")), 0, output_field=IntegerField())


class TagOut(LabelOut):
    contactCount = Computed(serializers.IntegerField(help_text="contacts that have the tag, without deleted ones"))
    leadCount = Computed(serializers.IntegerField(help_text="leads that have the tag, without deleted ones"))

    @classmethod
    def columns(cls) -> dict[str, Any]:
        counts = {
            "contactCount": counted(ContactTag, "tag", contact__is_deleted=False),
            "leadCount": counted(LeadTag, "tag", lead__is_deleted=False),
        }
        return super().columns() | counts


class CategoryOut(LabelOut):
    contactCount = Computed(serializers.IntegerField(help_text="contacts of the category, without deleted ones"))
    leadCount = Computed(serializers.IntegerField(help_text="leads of such contacts, without deleted ones"))

    @classmethod
    def columns(cls) -> dict[str, Any]:
        counts = {
            "contactCount": counted(Contact, "category", is_deleted=False),
            "leadCount": counted(Lead, "contact__category", is_deleted=False),
        }
        return super().columns() | counts
