"""An organization, nested where a contact or lead refers to it."""

from __future__ import annotations

from rest_framework import serializers

from core.types import JsonObject, Values
from crm.tags.serializers import NamedModelSnapshot

ORGANIZATION_READS = ("organization_id", "organization__name", "organization__is_deleted")
"""Columns of a row that refers to an organization."""


class OrganizationSnapshot(NamedModelSnapshot):
    """An organization that a record refers to."""

    isDeleted = serializers.BooleanField(source="is_deleted")


def organization_snapshot(row: Values) -> JsonObject | None:
    """Return the organization that a row refers to, from ORGANIZATION_READS."""
    id = row["organization_id"]
    if not id:
        return None
    return {"_id": id, "name": row["organization__name"], "isDeleted": row["organization__is_deleted"]}
