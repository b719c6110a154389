"""Bodies and answers of tags and contact categories."""

from __future__ import annotations

from rest_framework import serializers

from accounts.api.snapshots import MemberSnapshot
from core.api.input import Input, TextInput
from core.api.output import IdField, Output

UNIQUE = "unique in the company, whatever the case of its letters"


class LabelCreate(Input):
    name = TextInput(max_length=200, help_text=UNIQUE)
    description = TextInput(max_length=5000, allow_blank=True, required=False)
    color = TextInput(max_length=20, allow_blank=True, required=False, help_text="such as #3b82f6; the service only keeps it")


class LabelUpdate(LabelCreate):
    name = TextInput(max_length=200, required=False, help_text=UNIQUE)


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
