"""Bodies and answers of one's own profile."""

from __future__ import annotations

from typing import Any

import orjson
from rest_framework import serializers

from accounts.members.models import Member
from accounts.settings.notices import NOTICES
from accounts.snapshots.serializers import CompanySnapshot, RoleSnapshot
from core.api.input import BooleanInput, Input, NameInput, TextInput
from core.api.output import Computed, IdField, Output
from core.errors import shorten
from core.types import JsonObject

MAX_LAYOUT = 16 * 1024


class LayoutInput(serializers.JSONField):
    """Any JSON of at most MAX_LAYOUT bytes; null empties it."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return super().run_validation({} if data is None else data)

    def to_internal_value(self, data: Any) -> Any:
        layout = super().to_internal_value(data)
        if len(orjson.dumps(layout)) > MAX_LAYOUT:
            raise serializers.ValidationError(f"must take at most {MAX_LAYOUT} bytes as JSON", code="max_length")
        return layout


class ColumnsInput(serializers.DictField):
    """List -> the keys of the fields that it shows; null forgets the list."""

    child = serializers.ListField(child=TextInput(max_length=100), max_length=200, allow_null=True)

    def to_internal_value(self, data: Any) -> JsonObject:
        if isinstance(data, dict) and any(len(name) > 100 for name in data):
            raise serializers.ValidationError("names of lists have at most 100 characters", code="max_length")
        return super().to_internal_value(data)


class MutedInput(serializers.ListField):
    """Names of notices."""

    child = TextInput(max_length=64)

    def to_internal_value(self, data: Any) -> list[str]:
        names = super().to_internal_value(data)
        unknown = next((name for name in names if name not in NOTICES), None)
        if unknown is not None:
            kinds = ", ".join(sorted(NOTICES))
            raise serializers.ValidationError(f"{shorten(unknown)} is no notice; there are {kinds}", code="unknown")
        return sorted(set(names))


class ProfileUpdate(Input):
    """Changes of a profile."""

    name = NameInput(max_length=200, required=False)
    aiOnboarded = BooleanInput(required=False)
    onboarded = BooleanInput(required=False)
    layout = LayoutInput(required=False, allow_null=True, help_text="How the web app is arranged; replaced whole.")
    darkMode = BooleanInput(required=False)
    columns = ColumnsInput(
        required=False, help_text="List -> keys of the fields that it shows; changed list by list, null forgets one."
    )
    signature = TextInput(
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        max_length=10_000,
        help_text="Plain text or HTML below the emails that one writes to one person; pages add it.",
    )
    mutedNotices = MutedInput(required=False, help_text="The notices that one does not want in the product.")


class MembershipBrief(Output):
    """A membership, as the profile lists it."""

    _id = IdField()
    status = serializers.ChoiceField(choices=Member.Status.values)
    company = CompanySnapshot()
    role = RoleSnapshot()


class ProfileOut(Output):
    """One's own account."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.CharField()
    emailVerifiedAt = serializers.DateTimeField(allow_null=True)
    aiOnboarded = serializers.BooleanField()
    onboarded = serializers.BooleanField()
    layout = serializers.JSONField(allow_null=True, help_text="as it was sent; {} at first")
    darkMode = serializers.BooleanField()
    columns = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))  # type: ignore[assignment]  # a field here, the method there
    signature = serializers.CharField()
    mutedNotices = serializers.ListField(child=serializers.CharField())
    memberships = Computed(MembershipBrief(many=True))
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()
