"""Back office pages of contacts and their labels."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.safestring import SafeString

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.panels import panel, table
from crm.models import Contact, ContactCategory, ContactTag, CustomField, Lead, ProductService, Tag
from crm.records import KINDS


@admin.register(Contact)
class ContactAdmin(CompanyRecordAdmin):
    """Contacts, shown only: they are changed through the API, where values, unique keys and events belong together."""

    icon = "contacts"
    list_display = ("name", "email", "contact_number", "company", "category", "unsubscribed_at", "deleted_at", "created_at")
    list_filter = (BY_COMPANY, "is_deleted")
    list_select_related = ("company", "category")
    search_fields = ("=id", "email", "name", "contact_number")
    search_help_text = "Name, e-mail, number or id"
    hides = ("custom", "email_key", "number_key", "email_identity")


@panel(Contact, "Values and tags")
def _values(contact: Contact) -> SafeString:
    tags = ContactTag.objects.filter(contact=contact).order_by("tag__name").values_list("tag__name", flat=True)[:100]
    return table(("Field", "Value"), [("Tags", ", ".join(tags) or "–"), *custom_values(contact)])


def custom_values(record: Contact | Lead | ProductService) -> list[tuple[str, Any]]:
    """The record's custom values with the names of their fields."""
    panel = next(kind.panel for kind in KINDS.values() if isinstance(record, kind.model))
    fields = CustomField.objects.filter(company=record.company_id, panel=panel, is_system=False)
    names = dict(fields.values_list("unique_field_id", "name"))
    return [(names.get(key, key), value if isinstance(value, str | int | float) else repr(value)) for key, value in record.custom.items()]


class LabelAdmin(CompanyRecordAdmin):
    """Labels of contacts."""

    edits = ("name", "description", "color")
    list_display = ("name", "company", "color", "description", "created_at")
    search_fields = ("=id", "name")


@admin.register(ContactCategory)
class ContactCategoryAdmin(LabelAdmin):
    """Categories of contacts."""

    icon = "category"


@admin.register(Tag)
class TagAdmin(LabelAdmin):
    """Tags of contacts."""

    icon = "sell"
