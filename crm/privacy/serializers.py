"""Bodies and answers of access requests and erasure."""

from __future__ import annotations

from rest_framework import serializers

from core.api.input import Input, TextInput
from core.api.output import Computed, IdField, Output


class AccessOut(Output):
    """Everything that is known of a contact: a section for each kind of records, each an array of them."""

    generatedAt = serializers.DateTimeField()
    contactId = IdField()
    sections = Computed(
        serializers.DictField(
            child=serializers.ListField(child=serializers.DictField()),
            help_text="contacts (it and those merged into it), leads, activities, messages and so on; the columns of"
            " each record",
        )
    )


class EraseInput(Input):
    confirm = TextInput(max_length=300, help_text="the contact's email address, its number or its _id")


class SourceFile(Output):
    _id = IdField()
    name = serializers.CharField()


class ErasedOut(Output):
    """The erased data."""

    contactIds = serializers.ListField(
        child=serializers.CharField(), help_text="the contact and those that had been merged into it"
    )
    leadIds = serializers.ListField(child=serializers.CharField())
    counts = serializers.DictField(
        child=serializers.IntegerField(), help_text="section -> records that were deleted or blanked"
    )
    fileCount = serializers.IntegerField(help_text="files in its file fields that were deleted")
    exportCount = serializers.IntegerField(
        help_text="exported files of the company that were deleted, since it may be in them"
    )
    sourceFiles = serializers.ListField(
        child=SourceFile(),
        help_text="files that it was imported from, which hold others too: delete them when they are not needed",
    )
