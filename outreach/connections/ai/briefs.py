"""Briefs for AI providers: the facts about a contact or a company that are needed to write messages or judge
contacts."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from accounts.models import Company
from accounts.settings.formats import formats_of
from core.tenancy import company_id
from core.text.formats import Formats
from crm.models import Contact, ContactTag, CustomField
from crm.organizations.selectors import Employers
from crm.products.selectors import live_products
from outreach.connections.ai.providers import CompanyBrief, ContactBrief, ProductBrief

FIELD_LENGTH = 500
MAX_PRODUCTS = 200
CONTACT_COLUMNS = ("id", "name", "email", "custom", "category__name")
"""The columns that a contact's brief reads."""


@dataclass(frozen=True)
class ContactBriefs:
    """Makes briefs of contacts, with the names of custom fields and the company's date formats."""

    labels: Mapping[str, tuple[str, str]]
    """Key of a custom field -> its name and the type of its values."""
    formats: Formats
    employers: Employers

    @classmethod
    def load(cls) -> ContactBriefs:
        """Load the active company's fields and formats."""
        fields = CustomField.objects.filter(panel=CustomField.Panel.CONTACT, is_system=False)
        rows = list(fields.order_by("pk").values_list("unique_field_id", "name", "field_type", "value_type"))
        labels = {key: (name, kind) for key, name, _, kind in rows}
        return cls(labels, formats_of(company_id()), Employers.of_fields(rows))

    def briefs_for(self, contacts: Sequence[Contact]) -> list[ContactBrief]:
        """Return a brief of each contact, with one query for all tags. The contacts come with their category joined."""
        self.employers.read(contact.organization_id for contact in contacts)
        tags = _tags([contact.pk for contact in contacts])
        return [self._brief(contact, tags[contact.pk]) for contact in contacts]

    def _brief(self, contact: Contact, tags: Sequence[str]) -> ContactBrief:
        fields = {}
        for key, value in self.employers.custom_of(contact.organization_id, contact.custom).items():
            if key in self.labels and isinstance(value, str | int | float):
                label, kind = self.labels[key]
                fields[label] = (self._date(str(value)) if kind == CustomField.ValueType.DATE else str(value))[
                    :FIELD_LENGTH
                ]
        employer = "" if self.employers.key else self.employers.name_of(contact.organization_id, contact.custom)
        if employer:
            fields["Organization"] = employer[:FIELD_LENGTH]
        category = contact.category.name if contact.category else ""
        return ContactBrief(
            name=contact.name, email=contact.email or "", fields=fields, tags=tuple(tags), category=category
        )

    def _date(self, stored: str) -> str:
        """Return a stored date or time in the company's format, and any other text unchanged."""
        try:
            if len(stored) == 10:
                return self.formats.date(dt.date.fromisoformat(stored))
            return self.formats.datetime(dt.datetime.fromisoformat(stored))
        except ValueError:
            return stored


def _tags(contact_ids: Sequence[str]) -> dict[str, list[str]]:
    tags: dict[str, list[str]] = defaultdict(list)
    links = (
        ContactTag.objects.filter(contact_id__in=contact_ids)
        .order_by("tag__name")
        .values_list("contact_id", "tag__name")
    )
    for contact_id, name in links:
        tags[contact_id].append(name)
    return tags


def company_brief(sender_name: str = "") -> CompanyBrief:
    """Return the active company's profile, with the newest products and services that it sells."""
    company = Company.objects.get(pk=company_id())
    catalogue = live_products().filter(is_active=True).order_by("-created_at", "-pk").values_list("name", "description")
    products = tuple(
        ProductBrief(name=name, description=about[:FIELD_LENGTH]) for name, about in catalogue[:MAX_PRODUCTS]
    )
    return CompanyBrief(
        name=company.name,
        description=company.description,
        website=company.website,
        products=products,
        sender_name=sender_name,
    )
