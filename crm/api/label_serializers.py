"""Bodies and answers of tags and contact categories."""

from __future__ import annotations

from rest_framework import serializers

from accounts.api.serializers import MemberSnapshot
from core.api.input import Input, TextInput
from core.api.output import IdField, Output

NAME = {"max_length": 200, "help_text": "unique in the company, whatever the case of its letters"}
COLOR = {"max_length": 20, "allow_blank": True, "required": False, "help_text": "such as #3b82f6; the service only keeps it"}


class LabelCreate(Input):
    name = TextInput(**NAME)
    description = TextInput(max_length=5000, allow_blank=True, required=False)
    color = TextInput(**COLOR)


class LabelUpdate(LabelCreate):
    name = TextInput(**NAME, required=False)


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
