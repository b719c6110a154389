"""Bodies and answers that several kinds of records share."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from core.api.input import Input, TextInput
from core.api.output import Computed, Output
from core.types import JsonObject, Values
from crm.records.automation import AUTOMATIONS, MANY

DROP = "true: leave invalid values out, as long as they are not required"
SKIP_ONE = "as dropInvalidValues, since a single record has no others to go on with"
SKIP = (
    "true, or left out: an item that fails is skipped whole, and told in failed; false: one that fails refuses the"
    " request, and nothing is written"
)


class AutomationField(serializers.ChoiceField):
    """The effect of events on workflows."""

    def __init__(self, **options: Any) -> None:
        options.setdefault(
            "help_text",
            "skip: start no workflows; queue: start them behind what happens now; left out: run, or queue for more than"
            f" {MANY:,} records",
        )
        super().__init__(choices=AUTOMATIONS, default=None, **options)


class AutomationInput(Input):
    automation = AutomationField()


class UnchangedInput(Input):
    unchangedSince = TextInput(
        required=False,
        max_length=40,
        help_text="updatedAt as GET answered it: refused with RecordChanged_409 if the record has changed since",
    )


def member_of(row: Values, path: str) -> JsonObject | None:
    """Return the snapshot of the member that a row refers to."""
    member_id = row[f"{path}_id"]
    return {"_id": member_id, "name": row[f"{path}__name"], "email": row[f"{path}__email"]} if member_id else None


def snapshot_of(row: Values, path: str) -> JsonObject | None:
    """Return the id and the name of the record that a row refers to."""
    record_id = row[f"{path}_id"]
    return {"_id": record_id, "name": row[f"{path}__name"]} if record_id else None


class BulkFailure(Output):
    """An item that became no record."""

    index = serializers.IntegerField(help_text="position in formData, from 0 on")
    formData = serializers.JSONField(help_text="the item as it was sent")
    name = serializers.CharField(help_text="such as ContactAlreadyExists_400")
    message = serializers.CharField()
    warning = serializers.CharField()


class BulkError(Output):
    """A value that caused its item to fail, or was omitted from it."""

    index = serializers.IntegerField()
    key = serializers.CharField()
    name = serializers.CharField()
    message = serializers.CharField()


class BulkUpdated(Output):
    """The numbers of records that a change matched and altered; null while a bulk job processes them."""

    matchedCount = Computed(serializers.IntegerField(allow_null=True))
    updatedCount = Computed(serializers.IntegerField(allow_null=True))


class BulkDeleted(Output):
    """The number of deleted records; null while a bulk job deletes them."""

    deletedCount = Computed(serializers.IntegerField(allow_null=True))


def drops_invalid(data: Values, *, one: bool = False) -> bool:
    """Return whether a body asks to leave invalid values out; of `one` record skipInvalid means the same."""
    return bool(data["drop_invalid_values"] or (one and data["skip_invalid"]))
