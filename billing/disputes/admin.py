"""Back office pages of disputes."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from billing.disputes.models import Dispute, DisputeWatch
from billing.disputes.services import ask, settle
from billing.gateways.base import AmbiguousOutcome, GatewayRefused, Misconfigured
from billing.ledger.columns import money_column
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.columns import Tones, badge
from core.errors import ApiError
from core.text.translation import gettext_lazy as _

COLOURS = Tones({"open": "warning", "won": "success", "lost": "danger"})


@admin.register(Dispute)
class DisputeAdmin(CompanyRecordAdmin):
    """Payments that the payers' banks take back, or want to. Answer at the gateway, before evidence is due."""

    icon = "gavel"
    commands = ("look_now",)
    list_display = ("gateway_id", "company", "attempt", "shown_amount", "state", "reason", "evidence_due_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "=gateway_id", "company__name")

    state = badge("status", COLOURS)

    shown_amount = money_column("amount_minor", _("amount"))

    @admin.display(description=_("Check now"))
    def look_now(self, request: HttpRequest, rows: QuerySet[Dispute]) -> None:
        def refresh_row(row: Dispute) -> None:
            try:
                for gateway_dispute in ask(row.attempt):
                    settle(row.attempt_id, gateway_dispute)
            except (Misconfigured, AmbiguousOutcome, GatewayRefused) as error:
                raise ApiError(_("The gateway gave no answer: %(error)s") % {"error": error}) from error

        self.each(request, rows[:20], refresh_row, _("Checked"), atomic=False)


@admin.register(DisputeWatch)
class DisputeWatchAdmin(CompanyRecordAdmin):
    """Payments that are checked for disputes."""

    icon = "visibility"
    operators_only = True
    list_display = ("__str__", "company", "attempt", "status", "error", "due_at")
    list_filter = (("status", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id",)
