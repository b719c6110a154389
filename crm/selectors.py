"""Reads of crm that are more than a filter."""

from __future__ import annotations

from django.db.models import QuerySet

from crm.models import Contact, Lead, ProductService


def live_contacts() -> QuerySet[Contact]:
    """The contacts of the active company that are not deleted."""
    return Contact.objects.filter(is_deleted=False)


def count_contacts() -> int:
    """How many live contacts the active company has, as a plan's limit counts them."""
    return live_contacts().count()


def live_leads() -> QuerySet[Lead]:
    """The leads of the active company that are not deleted."""
    return Lead.objects.filter(is_deleted=False)


def count_leads() -> int:
    """How many live leads the active company has, as a plan's limit counts them."""
    return live_leads().count()


def live_products() -> QuerySet[ProductService]:
    """The products and services of the active company that are not deleted."""
    return ProductService.objects.filter(is_deleted=False)


def count_products() -> int:
    """How many live products and services the active company has, as a plan's limit counts them."""
    return live_products().count()
