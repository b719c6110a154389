"""The CRM's kinds of records that the global search finds; a further one is a line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import QuerySet

from core.access import Actor
from core.global_search import Kind, register_kind
from core.lists import FieldSet, ListField
from crm.contacts.filters import CONTACT_FIELDS
from crm.contacts.selectors import live_contacts
from crm.files.filters import FILE_FIELDS
from crm.files.models import File
from crm.files.selectors import readable_files
from crm.leads.filters import LEAD_FIELDS
from crm.leads.selectors import live_leads
from crm.organizations.filters import ORGANIZATION_FIELDS
from crm.organizations.selectors import live_organizations
from crm.products.filters import PRODUCT_FIELDS
from crm.products.selectors import live_products
from crm.records.models import NamedModel
from crm.segments.models import Segment
from crm.tags.filters import NAMED_MODEL_FIELDS
from crm.tags.models import ContactCategory, Tag
from crm.teams.models import Team

NAMED: dict[str, type[NamedModel]] = {"segment": Segment, "tag": Tag, "contact-category": ContactCategory, "team": Team}
"""Module -> model with a name and a description."""


def register_kinds() -> None:
    """Register the kinds; called when the app is ready."""
    contact = of(CONTACT_FIELDS, "name", "email", "contactNumber")
    lead = of(LEAD_FIELDS, "contact.name", "contact.email", "contact.contactNumber")
    organization = of(ORGANIZATION_FIELDS, "name", "domain")
    product = of(PRODUCT_FIELDS, "name", "sku")
    files = of(FILE_FIELDS, "name")
    register_kind(Kind("contact", "contact", lambda actor: live_contacts(), contact, "name", "email", 10))
    register_kind(Kind("lead", "lead", lambda actor: live_leads(), lead, "contact__name", "status", 20))
    register_kind(
        Kind("organization", "contact", lambda actor: live_organizations(), organization, "name", "domain", 15)
    )
    register_kind(
        Kind("product-service", "product-service", lambda actor: live_products(), product, "name", "kind", 40)
    )
    register_kind(Kind("file", "file", kept_files, files, "name", "created_by__name", 50))
    for place, (module, model) in enumerate(NAMED.items()):
        name = of(NAMED_MODEL_FIELDS, "name")
        register_kind(Kind(module, module, rows_of(model), name, "name", "description", 60 + place))


def kept_files(actor: Actor) -> QuerySet[File]:
    """Return the files that the actor may read, without those in the recycle bin."""
    return readable_files(actor).filter(trashed_at=None)


def rows_of(model: type[NamedModel]) -> Callable[[Actor], QuerySet[Any]]:
    return lambda actor: model.objects.all()


def of(fields: FieldSet, *names: str) -> Sequence[ListField]:
    """Return the list's fields of these names."""
    return [fields.fields[name] for name in names]
