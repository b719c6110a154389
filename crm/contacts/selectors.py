"""Reads of contacts that are more than a filter."""

from __future__ import annotations

from django.db.models import QuerySet

from crm.contacts.models import Contact


def live_contacts() -> QuerySet[Contact]:
    """Return the contacts of the active company that are not deleted."""
    return Contact.objects.filter(is_deleted=False)
