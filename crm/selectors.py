"""Reads of crm that are more than a filter."""

from __future__ import annotations

from crm.models import Contact


def count_contacts() -> int:
    """The live contacts of the active company, as a plan's limit counts them."""
    return Contact.objects.filter(is_deleted=False).count()
