"""Reads of activities that are more than a filter."""

from __future__ import annotations

from django.db.models import QuerySet

from crm.activities.models import LeadActivity


def lead_activities() -> QuerySet[LeadActivity]:
    """Return the activities of leads; those of contacts without a lead are in the contacts' timelines."""
    return LeadActivity.objects.filter(lead__isnull=False)
