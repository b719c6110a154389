"""Removal of deleted tags from leads."""

from __future__ import annotations

from crm.leads.models import LeadTag


def untag_leads(tag_ids: list[str]) -> None:
    """Remove deleted tags from the leads that have them."""
    LeadTag.objects.filter(tag_id__in=tag_ids).delete()
