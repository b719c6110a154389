"""Personal data in searches for leads."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from core.types import JsonObject
from crm.privacy.registry import DataSubject, mentioning_rows, register_personal_data
from outreach.prospecting.lead_generation.models import LeadGeneration


def _searches(subject: DataSubject) -> Q:
    where = Q(pk__in=[])
    for id in subject.contact_ids:
        where |= Q(found__contains=[{"contact": id}])
    return where | mentioning_rows(subject, "candidates")


def _own_finds(subject: DataSubject, row: JsonObject) -> JsonObject:
    """Remove the other people from the search's results."""
    results = [each for each in row["found"] if each["contact"] in subject.contact_ids]
    return {**row, "found": results, "candidates": [each for each in row["candidates"] if is_of(subject, each)]}


def is_of(subject: DataSubject, candidate: JsonObject) -> bool:
    """Return whether a lead source means the subject."""
    return subject.is_in(candidate.get("email"), candidate.get("phone"))


def remove_from_searches(subject: DataSubject, rows: QuerySet[LeadGeneration]) -> int:
    """Remove the contact, and the reasons why it fits, from the results of the searches."""
    for search in rows.only("pk", "found", "candidates", "company"):
        others = [entry for entry in search.found if entry["contact"] not in subject.contact_ids]
        people = [each for each in search.candidates if not is_of(subject, each)]
        LeadGeneration.objects.filter(pk=search.pk).update(found=others, candidates=people)
    return len(rows)


def register_tables() -> None:
    """Register the personal data of searches for leads."""
    register_personal_data(
        "leadGenerations", LeadGeneration, _searches, remove_from_searches, module="genie", shape=_own_finds
    )
