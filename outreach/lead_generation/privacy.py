"""Personal data in searches for leads."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from crm.privacy.registry import DataSubject, register_personal_data
from outreach.lead_generation.models import LeadGeneration


def _searches(subject: DataSubject) -> Q:
    where = Q(pk__in=[])
    for id in subject.contact_ids:
        where |= Q(found__contains=[{"contact": id}])
    return where


def _own_finds(subject: DataSubject, row: dict[str, Any]) -> dict[str, Any]:
    """Leave out the other contacts that the search found."""
    return {**row, "found": [found for found in row["found"] if found["contact"] in subject.contact_ids]}


def remove_from_searches(subject: DataSubject, rows: QuerySet[LeadGeneration]) -> int:
    """Remove the contact, and why it fits, from what the searches found."""
    for search in rows.only("pk", "found", "company"):
        others = [found for found in search.found if found["contact"] not in subject.contact_ids]
        LeadGeneration.objects.filter(pk=search.pk).update(found=others)
    return len(rows)


def register_tables() -> None:
    """Register the personal data of searches for leads."""
    register_personal_data(
        "leadGenerations", LeadGeneration, _searches, remove_from_searches, module="genie", shape=_own_finds
    )
