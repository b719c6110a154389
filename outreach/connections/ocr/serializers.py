"""Bodies and answers of OCR apps, and of the scans of cards."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, NumberInput, ObjectIdInput, TextInput
from core.api.output import HEALTH, Computed, IdField, Output
from core.types import JsonObject, Values
from crm.files.serializers import FileSnapshot
from outreach.connections.ocr.cards import FIELDS
from outreach.connections.ocr.models import CONFIDENCE, CardScan

READERS = "local: on this service, where it is installed; ocr-space: the service OCR.space"


class OcrChange(Input):
    """Any of an OCR app's values."""

    name = TextInput(required=False, max_length=32, help_text=f"What reads: {READERS}. A change takes the key along.")
    key = TextInput(
        required=False, allow_blank=True, max_length=500, write_only=True, help_text="Left out or empty: unchanged."
    )
    confidence = NumberInput(
        required=False, min_value=0, max_value=1, help_text=f"What is read less surely stays empty; {CONFIDENCE}."
    )
    isActive = BooleanInput(required=False)
    isDefault = BooleanInput(required=False, help_text="What reads cards unless a scan names another.")


class OcrCreate(OcrChange):
    """An OCR app to connect; `local` needs no key."""

    name = TextInput(max_length=32, help_text=f"What reads: {READERS}.")


class OcrOut(Output):
    """An OCR app; its key never goes out."""

    moving = HEALTH

    _id = IdField()
    name = serializers.CharField(help_text=f"What reads: {READERS}.")
    maskedKey = serializers.CharField(source="key_hint", help_text="Its last characters, such as …WXYZ.")
    confidence = serializers.FloatField()
    isActive = serializers.BooleanField()
    isDefault = serializers.BooleanField()
    lastError = serializers.CharField(help_text="Why the last test or scan failed; empty when it did not.")
    lastErrorAt = serializers.DateTimeField(allow_null=True)
    companyID = IdField(source="company_id")
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "maskedKey": f"…{data['maskedKey']}"}


class OcrTestOut(Output):
    """The result of a test."""

    ok = Computed(serializers.BooleanField())
    milliseconds = Computed(serializers.IntegerField(help_text="How long it took."))
    text = Computed(serializers.CharField(help_text="What was read from a picture that says HELLO."))
    detail = Computed(serializers.CharField(help_text="What went wrong, for people."))


class ReaderOut(Output):
    """The reader of cards."""

    name = Computed(serializers.CharField(help_text="Of the OCR app that reads cards; empty: none is connected."))


class ScanInput(Input):
    """A picture of a card."""

    fileId = ObjectIdInput(help_text="_id of a file of POST /upload: JPEG, PNG or WebP, at most 20 MB")
    ocr = ObjectIdInput(required=False, allow_null=True, help_text="_id of the OCR app; left out: the default")


class ScanField(Output):
    """A field of a card."""

    field = Computed(serializers.ChoiceField(choices=FIELDS))
    value = Computed(serializers.CharField(help_text="A phone as E.164; empty where it is not sure enough."))
    confidence = Computed(serializers.FloatField(help_text="From 0 to 1."))
    read = Computed(serializers.CharField(help_text="What was read, however sure."))
    note = Computed(serializers.CharField(help_text="Why the value is empty, for people."))


class ScanOut(Output):
    """A scan of a card."""

    _id = IdField()
    status = serializers.ChoiceField(choices=CardScan.Status.values)
    error = serializers.CharField(help_text="What went wrong, for people.")
    file = FileSnapshot()
    ocr = IdField(source="ocr_id", allow_null=True)
    fields = Computed(serializers.ListField(child=ScanField()))  # type: ignore[assignment]  # DRF takes it all the same
    formData = serializers.DictField(help_text="The values that are sure enough, as POST /contact takes them.")
    createdBy = MemberSnapshot(source="created_by")
    createdAt = serializers.DateTimeField()
    finishedAt = serializers.DateTimeField(allow_null=True)

    reads = ("fields",)

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["fields"] = row["fields"]
        return data
