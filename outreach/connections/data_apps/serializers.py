"""Bodies and answers of data apps."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, IntegerInput, ObjectInput, TextInput
from core.api.output import HEALTH, Computed, IdField, Output
from outreach.connections.data_apps.models import TIMEOUT_SECONDS, DataApp

PATHS = "Field -> where its value stands in a result, such as emails.0.address."


class DataAppChange(Input):
    """Any of the values of a data app."""

    name = TextInput(required=False, max_length=100, help_text="Shown as the source of what it answers.")
    url = TextInput(required=False, max_length=1000)
    method = serializers.ChoiceField(
        required=False,
        choices=DataApp.Method.values,
        help_text="GET sends what is asked as query parameters, POST as JSON.",
    )
    headerName = TextInput(
        required=False, allow_blank=True, max_length=100, help_text="The header with the key; empty: Authorization."
    )
    apiKey = TextInput(
        required=False,
        allow_blank=True,
        max_length=2000,
        trim_whitespace=False,
        write_only=True,
        help_text="The header's whole value. Left out or empty: unchanged. Required where url or headerName change.",
    )
    resultPath = TextInput(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="Where the result stands in an answer, such as data.people; empty: the answer itself.",
    )
    fieldPaths = ObjectInput(required=False, help_text=PATHS)
    timeoutSeconds = IntegerInput(required=False, min_value=1, max_value=30, help_text=f"Default {TIMEOUT_SECONDS}.")
    isActive = BooleanInput(required=False)


class DataAppCreate(DataAppChange):
    """A data app to connect."""

    name = TextInput(max_length=100, help_text="Shown as the source of what it answers.")
    url = TextInput(max_length=1000)
    fieldPaths = ObjectInput(help_text=PATHS)


class DataAppOut(Output):
    """A data app; its key never goes out."""

    moving = HEALTH

    _id = IdField()
    name = serializers.CharField()
    url = serializers.CharField()
    method = serializers.ChoiceField(choices=DataApp.Method.values)
    headerName = serializers.CharField()
    resultPath = serializers.CharField()
    fieldPaths = serializers.DictField(child=serializers.CharField())
    timeoutSeconds = serializers.IntegerField()
    isActive = serializers.BooleanField()
    lastError = serializers.CharField(help_text="Why it was last of no use; empty when it was.")
    lastErrorAt = serializers.DateTimeField(allow_null=True)
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class DataAppTestOut(Output):
    """The result of a connection test."""

    ok = Computed(serializers.BooleanField())
    milliseconds = Computed(serializers.IntegerField(help_text="How long the answer took."))
    found = Computed(serializers.IntegerField(help_text="Results of use."))
    first = Computed(
        serializers.DictField(child=serializers.CharField(), help_text="What the first one says: field -> value.")
    )
    detail = Computed(serializers.CharField(help_text="What went wrong, for people."))
