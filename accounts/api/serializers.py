"""Bodies and answers of accounts."""

from __future__ import annotations

from rest_framework import serializers

from accounts.models import ApiKey
from core.api.input import IdList, Input, IntegerInput, TextInput
from core.api.output import Computed, IdField, Output


class MemberSnapshot(Output):
    """A member, nested where a reference is populated."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.EmailField()


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
    createdBy = MemberSnapshot(source="created_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class ApiKeyFull(ApiKeyOut):
    """A key with its secret."""

    key = serializers.CharField()


class Deleted(Output):
    """How many records a deletion took."""

    deletedCount = Computed(serializers.IntegerField())


class Login(Input):
    email = TextInput(max_length=254)
    password = TextInput(max_length=1000, trim_whitespace=False)


class Refresh(Input):
    refreshToken = TextInput(max_length=1000)


class Session(Output):
    """A session: the access token goes into Authorization, a membership's _id into authmember."""

    token = Computed(serializers.CharField(help_text="JWT, valid for expiresIn seconds"))
    refreshToken = Computed(serializers.CharField(help_text="for POST /api/public/refresh; each one works once"))
    expiresIn = Computed(serializers.IntegerField())
    user = Computed(serializers.DictField())
    memberships = Computed(serializers.ListField(child=serializers.DictField()))
