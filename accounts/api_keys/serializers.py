"""Bodies and answers of API keys."""

from __future__ import annotations

import ipaddress
from typing import Any, cast

from rest_framework import serializers

from accounts.api_keys.models import ApiKey
from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import IdList, Input, NumberInput, TextInput
from core.api.output import IdField, Output
from core.fields import EncryptedTextField
from core.types import JsonObject, Values

KEY = cast(EncryptedTextField, ApiKey._meta.get_field("key"))


class NetworkInput(TextInput):
    """An IP address, or a network such as 203.0.113.0/24."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        try:
            network = ipaddress.ip_network(text, strict=False)
        except ValueError:
            raise serializers.ValidationError(
                "enter an IP address, or a network such as 203.0.113.0/24", code="invalid"
            ) from None
        mapped = getattr(network.network_address, "ipv4_mapped", None)
        if mapped is not None and network.prefixlen >= 96:
            network = ipaddress.ip_network((mapped, network.prefixlen - 96))
        return str(network if network.num_addresses > 1 else network.network_address)


class ApiKeyCreate(Input):
    type = serializers.ChoiceField(choices=ApiKey.Type.values, default=ApiKey.Type.PERMANENT)
    durationMinutes = NumberInput(required=False, min_value=1, max_value=2**31 - 1)
    ipRestriction = serializers.ChoiceField(choices=ApiKey.IpRestriction.values, default=ApiKey.IpRestriction.OPEN)
    allowedIps = serializers.ListField(
        child=NetworkInput(max_length=100),
        required=False,
        allow_empty=False,
        max_length=100,
        help_text="the addresses and networks that a restricted key works from; the caller's address when left out",
    )


class ApiKeyDelete(Input):
    ids = IdList(allow_empty=False, help_text="_id of each key to delete")


class ApiKeyOut(Output):
    """A key as lists show it."""

    _id = IdField()
    maskedKey = serializers.CharField(help_text="11 asterisks and the last 4 characters of the key")
    type = serializers.ChoiceField(choices=ApiKey.Type.values)
    durationMinutes = serializers.FloatField(allow_null=True)
    ipRestriction = serializers.ChoiceField(choices=ApiKey.IpRestriction.values)
    allowedIps = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="the addresses and networks that a restricted key works from; null for an open one",
    )
    lastUsedAt = serializers.DateTimeField(allow_null=True, help_text="to the minute; null before the first use")
    createdBy = MemberSnapshot(source="created_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        minutes = data["durationMinutes"]
        if minutes is not None and minutes.is_integer():
            data["durationMinutes"] = int(minutes)
        return data


class ApiKeyFull(ApiKeyOut):
    """A key with its secret."""

    conceals = ("key",)
    reads = ("company_id",)
    key = serializers.CharField(allow_null=True, help_text="null for somebody else's key, unless an owner reads it")

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**super().finish(data, row), "key": KEY.open(row["key"], row)}
