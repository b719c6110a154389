"""Back office pages of contacts."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import F
from django.utils.safestring import SafeString

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin, command
from core.backoffice.panels import register_panel, render_table
from core.backoffice.references import register_event_kind, register_references
from core.text.translation import gettext_lazy as _
from crm.bulk_jobs.restore_jobs import restore_one
from crm.contacts.kind import CONTACT
from crm.contacts.models import Contact, ContactTag
from crm.custom_fields.admin import custom_values


@admin.register(Contact)
class ContactAdmin(CompanyRecordAdmin):
    """Contacts, read-only: the API changes them, since it keeps values, unique keys and events together."""

    icon = "contacts"
    finds = True
    list_display = (
        "shown_name",
        "email",
        "contact_number",
        "company",
        "category",
        "unsubscribed_at",
        "deleted_at",
        "created_at",
    )
    list_filter = (BY_COMPANY, "is_deleted")
    search_fields = ("=id", "email", "name", "contact_number")
    search_help_text = _("Name, email, phone number or id")
    hides = ("custom", "email_key", "number_key", "email_identity", "sort_name")
    folds = ("name", "country_code", "number")
    commands = ("restore",)
    when: ClassVar[Any] = {"restore": lambda contact: contact.is_deleted}

    @admin.display(description=_("Name"), ordering=F("sort_name").asc(nulls_last=True))
    def shown_name(self, contact: Contact) -> str:
        return contact.name

    restore = command(_("Restore"), lambda contact: restore_one(CONTACT, contact.pk, actor_id=None), _("Restored"))


@register_panel(Contact, _("Values and tags"))
def _values(contact: Contact) -> SafeString:
    tags = ContactTag.objects.filter(contact=contact).order_by("tag__name").values_list("tag__name", flat=True)[:100]
    return render_table((_("Field"), _("Value")), [(_("Tags"), ", ".join(tags) or "–"), *custom_values(contact)])


register_references(Contact, "contact", "contacts", "contactId", "contactIds")
register_event_kind(Contact, "contact")
