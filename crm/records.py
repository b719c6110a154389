"""The kinds of records that have custom fields: one entry for each panel, and every part of crm that deals with all of them reads it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import models

from crm.models import (
    Contact,
    ContactTag,
    CustomField,
    CustomFieldValue,
    FieldValue,
    Lead,
    LeadProduct,
    LeadTag,
    LeadValue,
    ProductService,
    ProductServiceValue,
)


@dataclass(frozen=True)
class RecordKind:
    """A panel with its tables. `link` is the foreign key of its values and tags to its records."""

    panel: str
    model: type[models.Model]
    values: type[FieldValue]
    link: str
    noun: str
    """What people call many of them."""
    tags: type[models.Model] | None = None
    links: tuple[tuple[str, type[models.Model], str], ...] = ()
    """What its records are linked to: the name in the API, the table of the links, and its column of what is linked."""

    @property
    def table(self) -> str:
        return self.model._meta.db_table

    @property
    def value_table(self) -> str:
        return self.values._meta.db_table

    @property
    def tag_table(self) -> str:
        if self.tags is None:
            raise TypeError(f"{self.noun} have no tags")
        return self.tags._meta.db_table

    @property
    def column(self) -> str:
        """The column of `link`."""
        return f"{self.link}_id"


CONTACT = RecordKind(
    CustomField.Panel.CONTACT, Contact, CustomFieldValue, "contact", "contacts", ContactTag, links=(("tags", ContactTag, "tag_id"),)
)
LEAD = RecordKind(
    CustomField.Panel.LEAD,
    Lead,
    LeadValue,
    "lead",
    "leads",
    LeadTag,
    links=(("tags", LeadTag, "tag_id"), ("productServices", LeadProduct, "product_service_id")),
)
PRODUCT_SERVICE = RecordKind(
    CustomField.Panel.PRODUCT_SERVICE, ProductService, ProductServiceValue, "product_service", "products and services"
)

KINDS: dict[str, RecordKind] = {kind.panel: kind for kind in (CONTACT, LEAD, PRODUCT_SERVICE)}
"""Panel -> kind."""
