"""Back office pages of reconciliation: each comparison with its results, and the differences to resolve."""

from __future__ import annotations

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextInputWidget

from billing.gateways.admin import GatewayAccountAdmin
from billing.gateways.models import GatewayAccount
from billing.ledger.money import sum_text
from billing.payments.models import Attempt, Refund
from billing.reconciliation.models import Difference, Reconciliation
from billing.reconciliation.services import begin, clear
from billing.subscriptions.admin import staff_of
from core.backoffice.admin import BackOfficeAdmin, command_of
from core.backoffice.dialogs import asks
from core.backoffice.panels import ROWS, link, list_address, panel, table
from core.tenancy import unscoped
from core.text.translation import gettext_lazy as _

COLOURS = {"done": "success", "failed": "danger", "due": "info", "working": "info"}


class ClearForm(forms.Form):
    """A note about how a difference was resolved."""

    note = forms.CharField(
        max_length=300, help_text=_("It is kept on record with your name."), widget=UnfoldAdminTextInputWidget()
    )


@admin.register(Reconciliation)
class ReconciliationAdmin(BackOfficeAdmin):
    """Comparisons of the gateways' money with the books: each account's daily, and by *Compare now* of the account."""

    icon = "compare_arrows"
    title_needs = ("account",)
    list_display = ("since", "until", "account", "state", "payments", "refunds", "differences", "error")
    list_filter = (("status", ChoicesDropdownFilter),)
    list_select_related = ("account",)
    search_fields = ("=id", "account__adapter")

    @display(description=_("status"), ordering="status", label=COLOURS)
    def state(self, row: Reconciliation) -> tuple[str, str]:
        return row.status, row.get_status_display()


@command_of(GatewayAccountAdmin)
@admin.display(description=_("Compare now"))
def compare_now(admin_page: GatewayAccountAdmin, request: HttpRequest, rows: QuerySet[GatewayAccount]) -> None:
    """Begin to compare accounts that were compared before, or never."""

    def one(row: GatewayAccount) -> None:
        begin(row, by=staff_of(request))

    admin_page.each(request, rows, one, "begun")


@admin.register(Difference)
class DifferenceAdmin(BackOfficeAdmin):
    """Differences between a gateway and the books. Compare both, correct it there, and press *Seen to*."""

    icon = "difference"
    dialogs = ("see_to",)
    extra = ("ours",)
    list_display = ("__str__", "created_at", "account", "kind", "what", "there", "here", "payer", "cleared_at")
    list_filter = (("kind", ChoicesDropdownFilter), ("cleared_at", admin.EmptyFieldListFilter))
    list_select_related = ("account", "payer")
    search_fields = ("=id", "=gateway_ref", "=reference")

    @admin.display(description=_("there"))
    def there(self, row: Difference) -> str:
        return _money(row.amount_there, row.currency)

    @admin.display(description=_("here"))
    def here(self, row: Difference) -> str:
        return _money(row.amount_here, row.currency)

    @admin.display(description=_("our record"))
    def ours(self, row: Difference) -> SafeString | str:
        return _ours(row)

    @asks(ClearForm, _("Seen to"), permission="billing.change_difference")
    def see_to(self, request: HttpRequest, record: Difference, *, note: str) -> None:
        """Record the resolution of the difference."""
        clear(record, note=note, by=staff_of(request))
        self.log_change(request, record, f"Seen to: {note}")


def _money(amount: int | None, currency: str) -> str:
    return "–" if amount is None else sum_text(amount, currency)


def _ours(row: Difference) -> SafeString | str:
    """Return a link to our attempt or refund."""
    model = Refund if row.what == "refund" else Attempt
    with unscoped(reason="back office: the record that a gateway names"):
        return link(model.objects.filter(pk=row.reference).first())


@panel(Reconciliation, _("Differences"), permission="billing.view_difference")
def _differences(row: Reconciliation) -> SafeString:
    differences = row.found.order_by("-pk")[:ROWS]
    cells = [
        (
            link(difference, difference.get_kind_display()),
            difference.what,
            _money(difference.amount_there, difference.currency),
            _ours(difference),
        )
        for difference in differences
    ]
    more = list_address(Difference, reconciliation__id__exact=row.pk) if row.differences > ROWS else ""
    return table(
        (_("What"), _("Of"), _("There"), _("Ours")),
        cells,
        more=more,
        empty=_("The gateway and the books say the same."),
    )


@panel(GatewayAccount, _("Reconciliation"), permission="billing.view_reconciliation")
def _last(account: GatewayAccount) -> SafeString:
    rows = account.reconciliations.order_by("-created_at")[:ROWS]
    cells = [
        (
            link(reconciliation),
            reconciliation.get_status_display(),
            reconciliation.payments,
            reconciliation.refunds,
            reconciliation.differences,
        )
        for reconciliation in rows
    ]
    return table(
        (_("Time"), _("State"), _("Payments"), _("Refunds"), _("Differences")),
        cells,
        empty=_("Nothing was compared yet."),
    )


@panel(GatewayAccount, _("Parked payments"), permission="billing.view_attempt")
def _parked(account: GatewayAccount) -> SafeString:
    with unscoped(reason="back office: parked payments of all companies"):
        parked = Attempt.objects.filter(letter=account.letter, status__in=("wrong", "unknown"))
        rows = list(parked.select_related("company", "payment").order_by("updated_at")[:ROWS])
        cells = [
            (link(attempt, attempt.payment.number), link(attempt.company), attempt.get_status_display(), attempt.reason)
            for attempt in rows
        ]
    return table(
        (_("Order"), _("Company"), _("State"), _("What the gateway says")), cells, empty=_("Nothing is parked.")
    )
