"""Back office pages of reconciliation: each comparison with its results, and the differences to resolve."""

from __future__ import annotations

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.widgets import UnfoldAdminTextInputWidget

from billing.gateways.admin import GatewayAccountAdmin
from billing.gateways.models import GatewayAccount
from billing.ledger.money import sum_text
from billing.payments.models import Attempt, Refund
from billing.reconciliation.models import Difference, Reconciliation
from billing.reconciliation.services import begin, clear
from billing.subscriptions.admin import staff_of
from core.backoffice.admin import BackOfficeAdmin, command_of
from core.backoffice.columns import Tones, badge, choice_text
from core.backoffice.dialogs import dialog_action
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.tenancy import unscoped
from core.text.translation import gettext_lazy as _

COLOURS = Tones({"done": "success", "failed": "danger", "due": "info", "working": "info"})


class ClearForm(forms.Form):
    """A note about how a difference was resolved."""

    note = forms.CharField(
        max_length=300, help_text=_("Kept on record with your name."), widget=UnfoldAdminTextInputWidget()
    )


@admin.register(Reconciliation)
class ReconciliationAdmin(BackOfficeAdmin):
    """Comparisons of the gateways' money with the books: each account's daily, and by *Compare now* of the account."""

    icon = "compare_arrows"
    title_needs = ("account",)
    list_display = ("since", "until", "account", "state", "payments", "refunds", "differences", "error")
    list_filter = (("status", ChoicesDropdownFilter),)
    search_fields = ("=id", "account__adapter")

    state = badge("status", COLOURS)


@command_of(GatewayAccountAdmin)
@admin.display(description=_("Compare now"))
def compare_now(admin_page: GatewayAccountAdmin, request: HttpRequest, rows: QuerySet[GatewayAccount]) -> None:
    """Begin to compare accounts that were compared before, or never."""

    def begin_row(row: GatewayAccount) -> None:
        begin(row, by=staff_of(request))

    admin_page.each(request, rows, begin_row, _("Comparison started"))


@admin.register(Difference)
class DifferenceAdmin(BackOfficeAdmin):
    """Differences between a gateway and the books. Compare both, correct it there, and press *Mark as resolved*."""

    icon = "difference"
    dialogs = ("see_to",)
    extra = ("our_record",)
    list_display = (
        "__str__",
        "created_at",
        "account",
        "kind",
        "what",
        "gateway_amount",
        "ledger_amount",
        "payer",
        "cleared_at",
    )
    list_filter = (("kind", ChoicesDropdownFilter), ("cleared_at", admin.EmptyFieldListFilter))
    search_fields = ("=id", "=gateway_ref", "=reference")

    @admin.display(description=_("At the gateway"))
    def gateway_amount(self, row: Difference) -> str:
        return _money(row.amount_there, row.currency)

    @admin.display(description=_("In the books"))
    def ledger_amount(self, row: Difference) -> str:
        return _money(row.amount_here, row.currency)

    @admin.display(description=_("Our record"))
    def our_record(self, row: Difference) -> SafeString | str:
        return _record_link(row)

    @dialog_action(ClearForm, _("Mark as resolved"), permission="billing.change_difference")
    def see_to(self, request: HttpRequest, record: Difference, *, note: str) -> None:
        """Record the resolution of the difference."""
        clear(record, note=note, by=staff_of(request))
        self.log_change(request, record, _("Resolved: %(note)s") % {"note": note})


def _money(amount: int | None, currency: str) -> str:
    return "–" if amount is None else sum_text(amount, currency)


def _record_link(row: Difference) -> SafeString | str:
    """Return a link to our attempt or refund."""
    model = Refund if row.what == "refund" else Attempt
    with unscoped(reason="back office: the record that a gateway names"):
        return render_link(model.objects.filter(pk=row.reference).first())


@register_panel(Reconciliation, _("Differences"), permission="billing.view_difference")
def _differences(row: Reconciliation) -> SafeString:
    differences = row.found.order_by("-pk")[:ROWS]
    cells = [
        (
            render_link(difference, choice_text(difference, "kind")),
            difference.what,
            _money(difference.amount_there, difference.currency),
            _record_link(difference),
        )
        for difference in differences
    ]
    more = list_address(Difference, reconciliation__id__exact=row.pk) if row.differences > ROWS else ""
    return render_table(
        (_("Difference"), _("Kind"), _("At the gateway"), _("Our record")),
        cells,
        more=more,
        empty=_("No differences."),
    )


@register_panel(GatewayAccount, _("Reconciliation"), permission="billing.view_reconciliation")
def _last_reconciliations(account: GatewayAccount) -> SafeString:
    rows = account.reconciliations.order_by("-created_at")[:ROWS]
    cells = [
        (
            render_link(reconciliation),
            choice_text(reconciliation, "status"),
            reconciliation.payments,
            reconciliation.refunds,
            reconciliation.differences,
        )
        for reconciliation in rows
    ]
    return render_table(
        (_("Time"), _("State"), _("Payments"), _("Refunds"), _("Differences")),
        cells,
        empty=_("No comparisons yet."),
    )


@register_panel(GatewayAccount, _("Parked payments"), permission="billing.view_attempt")
def _parked_payments(account: GatewayAccount) -> SafeString:
    with unscoped(reason="back office: parked payments of all companies"):
        parked = Attempt.objects.filter(letter=account.letter, status__in=("wrong", "unknown"))
        rows = list(parked.select_related("company", "payment").order_by("updated_at")[:ROWS])
        cells = [
            (
                render_link(attempt, attempt.payment.number),
                render_link(attempt.company),
                choice_text(attempt, "status"),
                attempt.reason,
            )
            for attempt in rows
        ]
    return render_table(
        (_("Order"), _("Company"), _("State"), _("Answer of the gateway")), cells, empty=_("No parked payments.")
    )
