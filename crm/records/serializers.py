"""Bodies and answers that several kinds of records share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from core.api.input import Input
from core.api.output import Computed, Output


class AutomationInput(Input):
    automation = serializers.ChoiceField(choices=("run", "skip"), default="run", help_text="skip: start no workflows")


def member_of(row: Mapping[str, Any], path: str) -> dict[str, Any] | None:
    """The snapshot of the member that a row refers to."""
    found = row[f"{path}_id"]
    return {"_id": found, "name": row[f"{path}__name"], "email": row[f"{path}__email"]} if found else None


class BulkFailure(Output):
    """An item that became no contact."""

    index = serializers.IntegerField(help_text="position in formData, from 0 on")
    formData = serializers.JSONField(help_text="the item as it was sent")
    name = serializers.CharField(help_text="such as ContactAlreadyExists_400")
    message = serializers.CharField()
    warning = serializers.CharField()


class BulkError(Output):
    """One value that stood in the way of its item, or was left out of it."""

    index = serializers.IntegerField()
    key = serializers.CharField()
    name = serializers.CharField()
    message = serializers.CharField()


class BulkUpdated(Output):
    """How many records a change matched, and how many it made different."""

    matchedCount = Computed(serializers.IntegerField())
    updatedCount = Computed(serializers.IntegerField())
