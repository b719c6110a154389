"""Back office pages of meters, and of their use by a subscription."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from billing.meters.models import MeterPeriod, UsageEvent
from billing.subscriptions.models import Subscription
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.panels import ROWS, register_panel, render_link, render_table
from core.text.translation import gettext_lazy as _


@admin.register(MeterPeriod)
class MeterPeriodAdmin(CompanyRecordAdmin):
    """Companies' use of each meter, by months of their subscriptions."""

    icon = "speed"
    list_display = ("meter", "company", "starts_at", "included", "used", "reserved", "billed", "unit_amount")
    list_filter = ("meter", BY_COMPANY)
    search_fields = ("=id", "=meter", "company__name")


@admin.register(UsageEvent)
class UsageEventAdmin(CompanyRecordAdmin):
    """Each use of a meter, counted once."""

    icon = "receipt"
    operators_only = True
    list_display = ("meter", "company", "source", "quantity", "status", "created_at")
    list_filter = ("meter", BY_COMPANY)
    search_fields = ("=id", "=source")


@register_panel(Subscription, _("Meters"), permission="billing.view_meterperiod")
def _meters(subscription: Subscription) -> SafeString:
    rows = MeterPeriod.objects.filter(subscription=subscription).order_by("-starts_at", "meter")[:ROWS]
    cells = [
        (render_link(row, row.meter), row.starts_at.date(), row.ends_at.date(), row.included, row.used, row.billed)
        for row in rows
    ]
    return render_table((_("Meter"), _("From"), _("To"), _("Included"), _("Used"), _("Charged")), cells)
