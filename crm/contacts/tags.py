"""Removal of deleted tags and categories from contacts."""

from __future__ import annotations

from crm.contacts.models import Contact, ContactTag


def untag_contacts(tag_ids: list[str]) -> None:
    """Remove deleted tags from the contacts that have them."""
    ContactTag.objects.filter(tag_id__in=tag_ids).delete()


def clear_categories(category_ids: list[str]) -> None:
    """Remove deleted categories from their contacts."""
    Contact.objects.filter(category_id__in=category_ids).update(category=None)
