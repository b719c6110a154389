"""The back office's board of unpaid renewals: company, amount, age, and next step."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from billing.dunning.models import Dunning
from billing.dunning.services import retry_now, write_off_renewal
from billing.ledger.money import sum_text
from billing.payments.admin import CHANGE, COLOURS
from billing.subscriptions.admin import NoteForm, staff_of
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin, command
from core.backoffice.columns import choice_text
from core.backoffice.dialogs import dialog_action
from core.text.translation import gettext_lazy as _


@admin.register(Dunning)
class DunningAdmin(CompanyRecordAdmin):
    """Renewals that are being collected. Filter by the order's status "open" for who owes something."""

    icon = "hourglass_bottom"
    title_needs = ("payment",)
    commands = ("retry",)
    dialogs = ("write_off",)
    hides = ("notices", "method")
    list_display = ("order", "company", "owed", "state", "since", "tries", "next_try_at", "reason")
    list_filter = (("payment__status", ChoicesDropdownFilter), BY_COMPANY)
    list_select_related = ("company", "payment", "payment__invoice")
    search_fields = ("=id", "payment__number", "payment__invoice__number", "company__name")
    ordering = ("since", "-pk")

    @admin.display(description=_("invoice"), ordering="payment__invoice__number")
    def order(self, row: Dunning) -> str:
        return str(row.payment.invoice.number or row.payment.number)

    @admin.display(description=_("owed"))
    def owed(self, row: Dunning) -> str:
        open_order = row.payment.status == row.payment.Status.OPEN
        return sum_text(row.payment.amount_minor, row.payment.currency) if open_order else "–"

    def admits(self, record: Dunning, name: str) -> bool:
        return bool(record.payment.status == record.payment.Status.OPEN)

    @display(description=_("order"), ordering="payment__status", label=COLOURS)
    def state(self, row: Dunning) -> tuple[str, str]:
        return row.payment.status, choice_text(row.payment, "status")

    retry = command(_("Charge now"), lambda row: retry_now(company_id=row.company_id), _("Charge queued"))

    @dialog_action(NoteForm, _("Write off"), permission=CHANGE)
    def write_off(self, request: HttpRequest, record: Dunning, *, note: str) -> None:
        """Give the money up: the invoice is uncollectible."""
        write_off_renewal(row=record, by=staff_of(request), note=note)
        self.log_change(request, record, _("Written off. %(note)s") % {"note": note})
