"""Back office page of leads."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.settings.formats import currencies_of
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin, command
from core.backoffice.panels import register_panel, render_table
from core.backoffice.references import register_event_kind, register_references
from core.text.formats import CURRENCY, money_text
from core.text.translation import gettext_lazy as _
from crm.bulk_jobs.restore_jobs import restore_one
from crm.custom_fields.admin import custom_values
from crm.leads.kind import LEAD
from crm.leads.models import Lead, LeadProduct, LeadTag


@admin.register(Lead)
class LeadAdmin(CompanyRecordAdmin):
    """Leads, read-only: the API changes them, since it keeps values, duplicates, assignment and events together."""

    icon = "handshake"
    finds = True
    title_needs = ("contact",)
    list_display = (
        "contact",
        "status",
        "worth",
        "team",
        "team_member",
        "first_product",
        "company",
        "deleted_at",
        "created_at",
    )
    list_filter = (BY_COMPANY, "is_deleted")
    search_fields = ("=id", "contact__email", "contact__name", "contact__contact_number")
    search_help_text = _("Name, email or number of the contact, or id of the lead")
    hides = ("custom",)
    folds = ("value", "first_product")
    commands = ("restore",)
    when: ClassVar[Any] = {"restore": lambda lead: lead.is_deleted}

    def prepare(self, request: HttpRequest, rows: list[Lead]) -> None:
        currencies = currencies_of({row.company_id for row in rows})
        for row in rows:
            row.__dict__["currency"] = currencies.get(row.company_id)

    @admin.display(description=_("value"), ordering="value")
    def worth(self, lead: Lead) -> str:
        """Write the value in the company's currency."""
        if lead.value is None:
            return ""
        currency = lead.__dict__.get("currency") or currencies_of([lead.company_id]).get(lead.company_id)
        return money_text(lead.value, currency or CURRENCY)

    restore = command(_("Restore"), lambda lead: restore_one(LEAD, lead.pk, actor_id=None), _("Restored"))


@register_panel(Lead, _("Values, products and tags"))
def _values(lead: Lead) -> SafeString:
    tags = LeadTag.objects.filter(lead=lead).order_by("tag__name").values_list("tag__name", flat=True)[:100]
    products = (
        LeadProduct.objects.filter(lead=lead)
        .order_by("product_service__name")
        .values_list("product_service__name", flat=True)[:100]
    )
    linked = [(_("Products and services"), ", ".join(products) or "–"), (_("Tags"), ", ".join(tags) or "–")]
    return render_table((_("Field"), _("Value")), [*linked, *custom_values(lead)])


register_references(Lead, "lead", "leads", "leadId", "leadIds")
register_event_kind(Lead, "lead")
