"""Leads and their contacts, nested in the records that refer to them."""

from __future__ import annotations

from rest_framework import serializers

from core.api.output import Computed, IdField, Output
from core.types import JsonObject, Values
from crm.leads.serializers import LeadContact


class LeadSnapshot(Output):
    """A lead, nested where a record refers to it."""

    _id = IdField()
    status = serializers.CharField()
    contact = Computed(LeadContact())


CONTACT_READS = ("_id", "__name", "__email", "__contact_number", "__is_deleted")
LEAD_READS = ("lead_id", "lead__status", *(f"lead__contact{part}" for part in CONTACT_READS))
"""The columns that lead_of reads from a row."""
MEMBER_READS = ("_id", "__name", "__email")


def contact_of(row: Values, path: str) -> JsonObject | None:
    """Return the snapshot of the contact that a row refers to."""
    contact_id = row[f"{path}_id"]
    names = {
        "name": row[f"{path}__name"],
        "email": row[f"{path}__email"],
        "contactNumber": row[f"{path}__contact_number"],
        "isDeleted": row[f"{path}__is_deleted"],
    }
    return {"_id": contact_id, **names} if contact_id else None


def lead_of(row: Values) -> JsonObject | None:
    """Return the snapshot of the row's lead."""
    if not row["lead_id"]:
        return None
    return {"_id": row["lead_id"], "status": row["lead__status"], "contact": contact_of(row, "lead__contact")}
