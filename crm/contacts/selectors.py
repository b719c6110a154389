"""Reads of contacts that are more than a filter."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from accounts.models import Company
from core.tenancy import company_id
from crm.contacts.kind import CONTACT
from crm.contacts.models import Contact


def live_contacts() -> QuerySet[Contact]:
    """Return the contacts of the active company that are not deleted."""
    return CONTACT.live()


def person_condition(email: str) -> Q:
    """Return the condition of contacts with a person's number who may be the person with the address.

    A contact with another address is another person, unless a number alone identifies contacts in the company.
    """
    key = Company.objects.values_list("contact_unique_key", flat=True).get(pk=company_id())
    if not email or key == Company.UniqueKey.NUMBER:
        return Q()
    return Q(email=None) | Q(email="") | Q(email__iexact=email)
