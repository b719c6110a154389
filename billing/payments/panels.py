"""Panels of an order's back office page: payment attempts, the webhooks that named them, and refunds."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q
from django.utils.html import format_html
from django.utils.safestring import SafeString

from billing.gateways.registry import title_of
from billing.ledger.money import sum_text
from billing.payments.models import Attempt, GatewayEvent, Payment, Refund
from core.backoffice.columns import choice_text
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.text.formats import moment_text
from core.text.translation import gettext_lazy as _

AFTER = timedelta(days=1)
"""Time after an attempt's last change within which its webhooks are listed."""


def proof_of(payment: Payment) -> SafeString | str:
    """Return the proof of a bank transfer: a link to the file or address, or the payer's text."""
    if payment.proof_file is not None:
        return render_link(payment.proof_file)
    if payment.proof.startswith(("https://", "http://")):
        return format_html(
            '<a class="backoffice-link" href="{}" rel="noopener noreferrer" target="_blank">{}</a>',
            payment.proof,
            payment.proof,
        )
    return payment.proof or "–"


@register_panel(Payment, _("Attempts"), permission="billing.view_attempt")
def _attempts(payment: Payment) -> SafeString:
    rows = Attempt.objects.filter(payment=payment).order_by("-pk")[:ROWS]
    cells = [
        (render_link(row, moment_text(row.created_at)), title_of(row.adapter), choice_text(row, "status"), row.reason)
        for row in rows
    ]
    more = list_address(Attempt, q=payment.number) if len(cells) == ROWS else ""
    return render_table(
        (_("Started"), _("Gateway"), _("State"), _("Reason")), cells, more=more, empty=_("No payment attempts.")
    )


@register_panel(Payment, _("Webhooks"), permission="billing.view_gatewayevent")
def _hooks(payment: Payment) -> SafeString:
    rows = list(Attempt.objects.filter(payment=payment).order_by("-pk")[:ROWS])
    named = Q(pk__in=[])
    for row in rows:  # their time finds them, by the index of their age
        names = [name for name in (row.pk, row.gateway_id, row.payment_ref) if name]
        when = Q(created_at__range=(row.created_at, row.updated_at + AFTER), account__letter=row.letter)
        for name in names:
            named |= when & Q(hints__contains=[name])
    events = GatewayEvent.objects.filter(named).select_related("account").order_by("-created_at")[:ROWS]
    cells = [(render_link(event, moment_text(event.created_at)), event.account, event.event_id) for event in events]
    return render_table((_("Received"), _("Account"), _("Event")), cells, empty=_("No webhook received."))


@register_panel(Payment, _("Refunds"), permission="billing.view_refund")
def _refunds(payment: Payment) -> SafeString:
    rows = Refund.objects.filter(attempt__payment=payment).select_related("credit_note").order_by("-pk")[:ROWS]
    cells = [
        (
            render_link(row, sum_text(row.amount_minor, row.currency)),
            choice_text(row, "status"),
            choice_text(row, "to"),
            render_link(row.credit_note),
        )
        for row in rows
    ]
    more = list_address(Refund, q=payment.number) if len(cells) == ROWS else ""
    return render_table(
        (_("Amount"), _("State"), _("Refund to"), _("Credit note")), cells, more=more, empty=_("No refunds.")
    )
