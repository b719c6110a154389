"""Bodies and answers of files."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from crm.files.mime import ALLOWED
from crm.files.models import File
from crm.files.services import open_link


class UploadInput(Input):
    """One part named `file` for each file."""

    file = serializers.ListField(
        child=serializers.FileField(), allow_empty=False, help_text="repeat the part to send several files"
    )


class FileUpdate(Input):
    """A file's new name."""

    name = TextInput(max_length=255, help_text="cleaned as at the upload; without an ending it keeps the one it has")


class FileHashes(Output):
    md5 = serializers.CharField()
    sha1 = serializers.CharField()
    sha256 = serializers.CharField()
    sha512 = serializers.CharField()


class FileSnapshot(Output):
    """A file, nested where it is referred to."""

    _id = IdField()
    name = serializers.CharField()
    size = serializers.IntegerField(help_text="bytes")
    mime = serializers.ChoiceField(choices=ALLOWED, help_text="decided from the content")


class RestoredFiles(Output):
    """The number of files restored from the recycle bin."""

    restoredCount = Computed(serializers.IntegerField())


class FileOut(FileSnapshot):
    """A stored file."""

    hashes = Computed(FileHashes())
    url = Computed(
        serializers.URLField(
            help_text="opens the content without login; valid for seven days, made anew in each answer"
        )
    )
    storage = serializers.ChoiceField(
        choices=File.Storage.values,
        help_text="local: on this service's disk; service: in its bucket; bucket: in the company's",
    )
    bucket = IdField(source="bucket_id", allow_null=True)
    bucketName = serializers.CharField(source="bucket.name", allow_null=True)
    company = IdField(source="company_id")
    chatappHandle = serializers.CharField(allow_null=True)
    trashedAt = serializers.DateTimeField(allow_null=True)
    trashedBy = IdField(source="trashed_by_id", allow_null=True)
    isDeleted = serializers.BooleanField()
    createdBy = MemberSnapshot(source="created_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    reads = ("hashes",)
    conceals = ("url",)
    signs = conceals

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["hashes"] = row["hashes"]
        data["url"] = open_link(data["_id"], data["name"])
        return data


class BinSelection(SelectionInput):
    """Trashed files to delete permanently; without ids all of them."""
