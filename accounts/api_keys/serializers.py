"""Bodies and answers of API keys."""

from __future__ import annotations

from rest_framework import serializers

from accounts.api_keys.models import ApiKey
from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import IdList, Input, IntegerInput
from core.api.output import IdField, Output


class ApiKeyCreate(Input):
    type = serializers.ChoiceField(choices=ApiKey.Type.values, default=ApiKey.Type.PERMANENT)
    durationMinutes = IntegerInput(required=False, min_value=1)
    ipRestriction = serializers.ChoiceField(choices=ApiKey.IpRestriction.values, default=ApiKey.IpRestriction.OPEN)


class ApiKeyDelete(Input):
    ids = IdList(allow_empty=False, help_text="_id of each key to delete")


class ApiKeyOut(Output):
    """A key as lists show it."""

    _id = IdField()
    maskedKey = serializers.CharField(help_text="11 asterisks and the last 4 characters of the key")
    type = serializers.ChoiceField(choices=ApiKey.Type.values)
    durationMinutes = serializers.IntegerField(allow_null=True)
    ipRestriction = serializers.ChoiceField(choices=ApiKey.IpRestriction.values)
    lastUsedAt = serializers.DateTimeField(allow_null=True, help_text="to the minute; null before the first use")
    createdBy = MemberSnapshot(source="created_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class ApiKeyFull(ApiKeyOut):
    """A key with its secret."""

    conceals = ("key",)
    key = serializers.CharField()
