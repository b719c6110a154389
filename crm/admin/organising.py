"""Back office pages of what contacts and leads are organised by: teams, segments, products and services, custom sections."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.paginator import EXACT, capped_count
from core.backoffice.panels import facts, panel, table
from crm.admin.records import custom_values
from crm.models import CustomSection, ProductService, Segment, SegmentRecord, Team, TeamMember


@admin.register(Team)
class TeamAdmin(CompanyRecordAdmin):
    """Teams; who belongs to them is changed by the company."""

    icon = "groups"
    edits = ("name", "description", "color")
    list_display = ("name", "company", "is_default", "description", "created_at")
    list_filter = (BY_COMPANY, "is_default")
    search_fields = ("=id", "name")


@panel(Team, "Members")
def _members(team: Team) -> SafeString:
    links = TeamMember.objects.filter(team=team).select_related("member").order_by("member__name", "pk")[:100]
    rows = [
        (link.member.name, link.member.email, link.member.status, "yes" if link.is_available else "no", link.last_assigned_at)
        for link in links
    ]
    return table(("Name", "E-mail", "Membership", "Gets leads", "Last lead dealt"), rows, empty="Nobody belongs to it.")


@admin.register(Segment)
class SegmentAdmin(CompanyRecordAdmin):
    """Segments, shown only: their filters are checked against the company's fields by the API."""

    icon = "filter_alt"
    list_display = ("name", "company", "panel", "kind", "description", "created_at")
    list_filter = (BY_COMPANY, ("panel", ChoicesDropdownFilter), ("kind", ChoicesDropdownFilter))
    search_fields = ("=id", "name")


@panel(Segment, "Records")
def _records(segment: Segment) -> SafeString:
    if segment.kind == Segment.Kind.DYNAMIC:
        return facts([("Chosen by", "its filters, whenever it is asked for")])
    number = capped_count(SegmentRecord.objects.filter(segment=segment))
    return facts([("Chosen one by one", f"{number:,}" if number <= EXACT else f"more than {EXACT:,}")])


@admin.register(ProductService)
class ProductServiceAdmin(CompanyRecordAdmin):
    """Products and services, shown only: they are changed through the API, where values and events belong together."""

    icon = "inventory_2"
    list_display = ("name", "company", "kind", "category", "sku", "price", "currency", "is_active", "deleted_at", "created_at")
    list_filter = (BY_COMPANY, ("kind", ChoicesDropdownFilter), "is_active", "is_deleted")
    search_fields = ("=id", "name", "sku")
    hides = ("custom",)


@panel(ProductService, "Values")
def _values(product: ProductService) -> SafeString:
    return table(("Field", "Value"), custom_values(product), empty="It has no custom values.")


@admin.register(CustomSection)
class CustomSectionAdmin(CompanyRecordAdmin):
    """Sections of a panel's fields."""

    icon = "view_agenda"
    edits = ("name", "description", "order", "hide")
    list_display = ("name", "company", "panel", "order", "hide", "created_at")
    list_filter = (BY_COMPANY, ("panel", ChoicesDropdownFilter), "hide")
    search_fields = ("=id", "name")
