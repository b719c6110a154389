"""Bodies and answers of proposals."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input
from core.api.output import Computed, IdField, Output
from core.types import JsonObject
from crm.contacts.kind import CONTACT
from crm.models import Contact, CustomField
from outreach.messaging.delivery.serializers import ContactSnapshot, RunSnapshot
from outreach.prospecting.enrichment.models import EnrichmentProposal


class Decision(Input):
    automation = serializers.ChoiceField(
        choices=("run", "skip"), default="run", help_text="Whether workflows start on the events."
    )


class ProposalOut(Output):
    """A value that an enrichment app proposes for a field of a contact."""

    _id = IdField()
    contact = ContactSnapshot()
    field = serializers.CharField(help_text="The field's key in formData.")
    fieldName = Computed(serializers.CharField(help_text="What people call the field; empty: it is gone."))
    value = serializers.JSONField(help_text="As formData takes it.")
    text = serializers.CharField(help_text="The value for people.")
    current = Computed(serializers.JSONField(help_text="What the contact has there now; null: nothing."))
    source = serializers.CharField(help_text="The name of the app that says so.")  # type: ignore[assignment]
    run = RunSnapshot(help_text="The run that it was asked for.")
    status = serializers.ChoiceField(choices=EnrichmentProposal.Status.values)
    decidedBy = MemberSnapshot(source="decided_by")
    decidedAt = serializers.DateTimeField(allow_null=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        keys = {row["field"] for row in rows}
        named = CustomField.objects.filter(panel=CustomField.Panel.CONTACT, unique_field_id__in=keys)
        names = dict(named.values_list("unique_field_id", "name"))
        contacts = Contact.objects.in_bulk([row["contact"]["_id"] for row in rows if row["contact"]])
        return [
            {
                **row,
                "fieldName": names.get(row["field"], ""),
                "current": _current(contacts.get((row["contact"] or {}).get("_id", "")), row["field"]),
            }
            for row in rows
        ]


def _current(contact: Contact | None, key: str) -> Any:
    if contact is None:
        return None
    column = "contact_number" if key == "number" else CONTACT.system_columns.get(key)
    return (getattr(contact, column) if column else contact.custom.get(key)) or None
