"""Back office pages of contacts."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.panels import panel, table
from crm.contacts.models import Contact, ContactTag
from crm.custom_fields.admin import custom_values


@admin.register(Contact)
class ContactAdmin(CompanyRecordAdmin):
    """Contacts, read-only: the API changes them, since it keeps values, unique keys and events together."""

    icon = "contacts"
    list_display = (
        "name",
        "email",
        "contact_number",
        "company",
        "category",
        "unsubscribed_at",
        "deleted_at",
        "created_at",
    )
    list_filter = (BY_COMPANY, "is_deleted")
    list_select_related = ("company", "category")
    search_fields = ("=id", "email", "name", "contact_number")
    search_help_text = "Name, e-mail, number or id"
    hides = ("custom", "email_key", "number_key", "email_identity")


@panel(Contact, "Values and tags")
def _values(contact: Contact) -> SafeString:
    tags = ContactTag.objects.filter(contact=contact).order_by("tag__name").values_list("tag__name", flat=True)[:100]
    return table(("Field", "Value"), [("Tags", ", ".join(tags) or "–"), *custom_values(contact)])
