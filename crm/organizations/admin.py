"""Back office pages of organizations."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin, command
from core.backoffice.panels import register_panel, render_table
from core.backoffice.references import register_event_kind, register_references
from core.text.translation import gettext_lazy as _
from crm.bulk_jobs.restore_jobs import restore_one
from crm.custom_fields.admin import custom_values
from crm.organizations.kind import ORGANIZATION
from crm.organizations.models import Organization, OrganizationTag


@admin.register(Organization)
class OrganizationAdmin(CompanyRecordAdmin):
    """Organizations, read-only: the API changes them, since it keeps values and events together."""

    icon = "domain"
    finds = True
    list_display = ("name", "domain", "company", "owner", "deleted_at", "created_at")
    list_filter = (BY_COMPANY, "is_deleted")
    search_fields = ("=id", "name", "domain")
    search_help_text = _("Name, domain or id")
    hides = ("custom", "name_key", "sort_name")
    commands = ("restore",)
    when: ClassVar[Any] = {"restore": lambda organization: organization.is_deleted}

    restore = command(
        _("Restore"), lambda organization: restore_one(ORGANIZATION, organization.pk, actor_id=None), _("Restored")
    )


@register_panel(Organization, _("Values and tags"))
def _values(organization: Organization) -> SafeString:
    links = OrganizationTag.objects.filter(organization=organization).order_by("tag__name")
    tags = ", ".join(links.values_list("tag__name", flat=True)[:100])
    return render_table((_("Field"), _("Value")), [(_("Tags"), tags or "–"), *custom_values(organization)])


register_references(Organization, "organization", "organizations")
register_event_kind(Organization, "organization")
