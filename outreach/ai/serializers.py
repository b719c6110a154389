"""Bodies and answers of AI apps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from outreach.ai.services import providers


class AiAppChange(Input):
    """Any of an AI app's values."""

    name = TextInput(required=False, max_length=200)
    apiKey = TextInput(required=False, allow_blank=True, max_length=1000, write_only=True)
    selectedModel = TextInput(required=False, allow_blank=True, max_length=200)
    modelSettings = ObjectInput(required=False)
    isActive = BooleanInput(required=False)
    isDefault = BooleanInput(required=False)


class AiAppCreate(AiAppChange):
    """An AI app to connect; the offline composer needs no key."""

    name = TextInput(max_length=200)


class AiAppOut(Output):
    """An AI app; its key never goes out."""

    reads = ("provider",)

    _id = IdField()
    name = serializers.CharField()
    provider = serializers.CharField()
    providerName = Computed(serializers.CharField(help_text="Says whether a model is called."))
    selectedModel = serializers.CharField()
    modelSettings = serializers.DictField()
    isActive = serializers.BooleanField()
    isDefault = serializers.BooleanField()
    companyID = IdField(source="company_id")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: dict[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
        provider = providers().get(row["provider"])
        return {**data, "providerName": provider.name if provider else row["provider"]}
