"""Bodies and answers of custom sections."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, IdList, Input, IntegerInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from crm.records.models import CustomField

UNIQUE = "unique in the panel, whatever the case of its letters"


class SectionUpdate(Input):
    name = TextInput(max_length=200, required=False, help_text=UNIQUE)
    description = TextInput(max_length=5000, allow_blank=True, required=False)
    panel = TextInput(max_length=100, required=False, help_text="contact, lead or productService; set once")
    order = IntegerInput(allow_null=True, required=False, help_text="place among the panel's sections")
    hide = BooleanInput(required=False)


class SectionCreate(SectionUpdate):
    name = TextInput(max_length=200, help_text=UNIQUE)
    panel = TextInput(max_length=100, default="contact", help_text="contact, lead or productService")
    order = IntegerInput(
        allow_null=True, required=False, help_text="place among the panel's sections; by default behind the others"
    )


class SectionDelete(SelectionInput):
    """Sections to delete."""


class SectionOrder(Input):
    ids = IdList(
        default=list, max_length=1000, help_text="sections of one panel in their new order; others of the panel follow"
    )


class SectionOut(Output):
    """A titled group of a panel's fields; CustomField.section holds its id."""

    _id = IdField()
    name = serializers.CharField()
    description = serializers.CharField()
    panel = serializers.ChoiceField(choices=CustomField.Panel.values)
    order = serializers.IntegerField(allow_null=True)
    hide = serializers.BooleanField()
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class SectionsOut(Output):
    """All sections of a panel in their order."""

    sections = Computed(serializers.ListField(child=SectionOut()))
