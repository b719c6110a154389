"""Bodies and answers of the suppression list."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, TextInput
from core.api.output import IdField, Output
from outreach.suppression.models import Suppression


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
