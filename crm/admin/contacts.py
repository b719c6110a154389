"""Back office pages of contacts and their labels."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.panels import panel, table
from crm.models import Contact, ContactCategory, ContactTag, CustomField, Tag


@admin.register(Contact)
class ContactAdmin(CompanyRecordAdmin):
    """Contacts, shown only: they are changed through the API, where values, unique keys and events belong together."""

    icon = "contacts"
    list_display = ("name", "email", "contact_number", "company", "category", "unsubscribed_at", "deleted_at", "created_at")
    list_filter = (BY_COMPANY, "is_deleted")
    list_select_related = ("company", "category")
    search_fields = ("=id", "email", "name", "contact_number")
    search_help_text = "Name, e-mail, number or id"
    hides = ("custom", "email_key", "number_key")


@panel(Contact, "Values and tags")
def _values(contact: Contact) -> SafeString:
    fields = CustomField.objects.filter(company=contact.company_id, panel=CustomField.Panel.CONTACT, is_system=False)
    names = dict(fields.values_list("unique_field_id", "name"))
    tags = ContactTag.objects.filter(contact=contact).order_by("tag__name").values_list("tag__name", flat=True)[:100]
    rows = [(names.get(key, key), value if isinstance(value, str | int | float) else repr(value)) for key, value in contact.custom.items()]
    return table(("Field", "Value"), [("Tags", ", ".join(tags) or "–"), *rows])


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
