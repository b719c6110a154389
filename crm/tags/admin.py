"""Back office pages of tags and contact categories."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import CompanyRecordAdmin
from core.backoffice.references import register_references
from crm.tags.models import ContactCategory, Tag


class NamedModelAdmin(CompanyRecordAdmin):
    """Tags or categories."""

    edits = ("name", "description", "color")
    list_display = ("name", "company", "color", "description", "created_at")
    search_fields = ("=id", "name")


@admin.register(ContactCategory)
class ContactCategoryAdmin(NamedModelAdmin):
    """Categories of contacts."""

    icon = "category"


@admin.register(Tag)
class TagAdmin(NamedModelAdmin):
    """Tags of contacts."""

    icon = "sell"


register_references(Tag, "tag", "tags")
register_references(ContactCategory, "category", "categories")
