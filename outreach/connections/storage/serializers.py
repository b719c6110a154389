"""Bodies and answers of connected buckets."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, TextInput
from core.api.output import HEALTH, Computed, IdField, Output
from core.types import JsonObject, Values

PLACE = "Leads to the files: while there are any in the bucket, it stays."


class BucketChange(Input):
    """Any of a bucket's values."""

    name = TextInput(required=False, max_length=255, help_text=f"As the storage calls it. {PLACE}")
    region = TextInput(required=False, max_length=40, help_text="Such as eu-central-1. A change takes the keys along.")
    endpoint = TextInput(
        required=False,
        allow_blank=True,
        max_length=300,
        help_text=f"The storage's address such as https://s3.example.org; empty: Amazon S3. {PLACE}"
        " A change takes the keys along.",
    )
    subpath = TextInput(
        required=False, allow_blank=True, max_length=200, help_text="Folder for new files; those from before stay."
    )
    accesskey = TextInput(
        required=False, allow_blank=True, max_length=500, write_only=True, help_text="Left out or empty: unchanged."
    )
    secretkey = TextInput(
        required=False, allow_blank=True, max_length=500, write_only=True, help_text="Left out or empty: unchanged."
    )
    isActive = BooleanInput(required=False, help_text="false: the contents in it cannot be had, and none come in.")
    isDefault = BooleanInput(required=False, help_text="New files go to the default bucket.")


class BucketCreate(BucketChange):
    """A bucket to connect."""

    name = TextInput(max_length=255)
    region = TextInput(max_length=40)
    accesskey = TextInput(max_length=500, write_only=True)
    secretkey = TextInput(max_length=500, write_only=True)


class BucketOut(Output):
    """A bucket; its keys never go out."""

    moving = HEALTH

    _id = IdField()
    name = serializers.CharField()
    region = serializers.CharField()
    endpoint = serializers.CharField(help_text="Empty: Amazon S3.")
    subpath = serializers.CharField()
    maskedAccesskey = serializers.CharField(source="key_hint", help_text="Its last characters, such as …WXYZ.")
    isActive = serializers.BooleanField()
    isDefault = serializers.BooleanField()
    verified = serializers.BooleanField(help_text="What the last test found.")
    lastError = serializers.CharField(help_text="Why the last test or transfer failed; empty when it did not.")
    lastErrorAt = serializers.DateTimeField(allow_null=True)
    companyID = IdField(source="company_id")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "maskedAccesskey": f"…{data['maskedAccesskey']}"}


class BucketTest(Output):
    """The result of a test."""

    ok = Computed(serializers.BooleanField())
    milliseconds = Computed(serializers.IntegerField(help_text="How long it took."))
    code = Computed(serializers.CharField(help_text="The storage's word for what went wrong, such as AccessDenied."))
    detail = Computed(serializers.CharField(help_text="What went wrong, for people."))


class BucketsDeleted(Output):
    """The results of the selected buckets."""

    deletedCount = Computed(serializers.IntegerField())
    deactivatedCount = Computed(serializers.IntegerField(help_text="Buckets that files are in; they are switched off."))
