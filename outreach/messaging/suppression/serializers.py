"""Bodies and answers of the suppression list."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.models import Job
from crm.files.serializers import FileSnapshot
from crm.records.serializers import BulkFailure
from outreach.messaging.suppression.models import Suppression


class SuppressionCreate(Input):
    """An address that is not to be written to."""

    email = TextInput(max_length=254)
    reason = serializers.ChoiceField(choices=Suppression.Reason.values, default=Suppression.Reason.MANUAL)
    source = TextInput(default="", allow_blank=True, max_length=200, help_text="Where the wish came from.")  # type: ignore[assignment]


class SuppressionOut(Output):
    """An address that is never written to."""

    _id = IdField()
    email = serializers.CharField()
    reason = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    details = serializers.DictField()
    createdBy = MemberSnapshot(source="created_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class SuppressionBulk(Input):
    """Addresses that are not to be written to."""

    formData = serializers.ListField(
        child=serializers.JSONField(), default=list, help_text="up to 1,000 objects, each as the body of one address"
    )


class SuppressionBulkOut(Output):
    """The results of the addresses."""

    created = Computed(serializers.ListField(child=SuppressionOut()))
    updated = Computed(
        serializers.ListField(child=SuppressionOut(), help_text="listed before; they keep their first reason")
    )
    failed = Computed(serializers.ListField(child=BulkFailure()))


class SuppressionImportCreate(Input):
    """A file of addresses: CSV, TSV, XLSX, XLS or ODS, with headers or addresses alone."""

    fileId = ObjectIdInput(help_text="Of POST /upload.")
    reason = serializers.ChoiceField(
        choices=Suppression.Reason.values, default=Suppression.Reason.MANUAL, help_text="Of rows that say none."
    )
    emailColumn = TextInput(
        default="", allow_blank=True, max_length=300, help_text="Header of the column; empty: found by its header."
    )
    reasonColumn = TextInput(
        default="",
        allow_blank=True,
        max_length=300,
        help_text="Header of a column whose words begin like unsubscribed, bounced, complained, spam or manual; empty:"
        " the one called reason, if there is one.",
    )


class RowProblem(Output):
    """A problem of a row of the file."""

    row = Computed(serializers.IntegerField(help_text="as a person counts: the header is 1"))
    message = Computed(serializers.CharField())


class SuppressionImportChecked(Output):
    """The expected result of an import for its first rows."""

    emailColumn = Computed(serializers.CharField(help_text="the header; empty for a file without headers"))
    reasonColumn = Computed(serializers.CharField(help_text="the header; empty: there is none"))
    rows = Computed(serializers.IntegerField(help_text="that were read, at most 2,000"))
    added = Computed(serializers.IntegerField())
    listed = Computed(serializers.IntegerField(help_text="on the list already, or repeated in the file"))
    failed = Computed(serializers.IntegerField())
    rowErrors = Computed(RowProblem(many=True))


class SuppressionImportOut(Output):
    """An import of addresses."""

    _id = IdField()
    file = FileSnapshot()
    reason = serializers.CharField()
    status = serializers.ChoiceField(choices=Job.Status.values)
    total = serializers.IntegerField(allow_null=True, help_text="Rows; null until they are counted.")
    processed = serializers.IntegerField()
    added = serializers.IntegerField()
    listed = serializers.IntegerField()
    failed = serializers.IntegerField()
    rowErrors = serializers.ListField(
        child=serializers.DictField(), source="row_errors", help_text="The first 100: row and message."
    )
    error = serializers.CharField()
    createdBy = MemberSnapshot(source="created_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()
    startedAt = serializers.DateTimeField(allow_null=True)
    finishedAt = serializers.DateTimeField(allow_null=True)
