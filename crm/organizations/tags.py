"""Removal of deleted tags from organizations."""

from __future__ import annotations

from crm.organizations.models import OrganizationTag


def untag_organizations(tag_ids: list[str]) -> None:
    """Remove deleted tags from the organizations that have them."""
    OrganizationTag.objects.filter(tag_id__in=tag_ids).delete()
