"""Reads of crm that are more than a filter."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from crm.models import Contact, CustomField, File, Lead, ProductService


def live_contacts() -> QuerySet[Contact]:
    """The contacts of the active company that are not deleted."""
    return Contact.objects.filter(is_deleted=False)


def live_leads() -> QuerySet[Lead]:
    """The leads of the active company that are not deleted."""
    return Lead.objects.filter(is_deleted=False)


def live_products() -> QuerySet[ProductService]:
    """The products and services of the active company that are not deleted."""
    return ProductService.objects.filter(is_deleted=False)


def own_fields() -> QuerySet[CustomField]:
    """The fields that the active company has made itself."""
    return CustomField.objects.filter(is_system=False)


def stored_files() -> QuerySet[File]:
    """The files that take room in the storage: those in the recycle bin and those that are being uploaded too."""
    return File.objects.filter(Q(is_deleted=False) | Q(trashed_at=None) & ~Q(path=""))
