"""Bodies and answers of tracking hosts."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, LineInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from outreach.messaging.deliverability.serializers import RecordOut
from outreach.messaging.domain_tracking.checks import records_of
from outreach.messaging.domain_tracking.models import DomainTracking


class DomainCreate(Input):
    """A host of the company's own for the links of its mails."""

    name = LineInput(max_length=253, help_text="Such as click.example.com; unique in the company.")


class DomainDelete(SelectionInput):
    """Tracking domains to delete."""


class DomainOut(Output):
    """A host of the company's own for the links of its mails."""

    reads = ("proof",)

    _id = IdField()
    name = serializers.CharField()
    status = serializers.ChoiceField(
        DomainTracking.State.values,
        source="state",
        help_text="verified: links lead to it; pending: something is missing; lost: it was so once.",
    )
    detail = serializers.CharField(help_text="What is missing, for people; empty: nothing.")
    records = Computed(RecordOut(many=True))
    checkedAt = serializers.DateTimeField(allow_null=True)
    verifiedAt = serializers.DateTimeField(allow_null=True)
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "records": records_of(data["name"], row["proof"])}
