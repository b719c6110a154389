"""Reads of leads that are more than a filter."""

from __future__ import annotations

from django.db.models import QuerySet

from crm.leads.models import Lead


def live_leads() -> QuerySet[Lead]:
    """Return the leads of the active company that are not deleted."""
    return Lead.objects.filter(is_deleted=False)
