"""Disputes: a webhook or the reconciliation causes a check, and the gateway's state is booked and acted upon.

The money is on an account of its own during a dispute. It comes back when the dispute is won; when it is lost the
company owes it again.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from time import monotonic

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.mails.staff import mail_staff
from accounts.programs.rewards import return_rewards
from billing.charges.models import Charge
from billing.disputes.models import Dispute, DisputeWatch
from billing.gateways.accounts import account_of, gateway_client, record_account_health
from billing.gateways.base import AmbiguousOutcome, GatewayDispute, GatewayRefused, Misconfigured, WebhookHint
from billing.gateways.models import GatewayAccount
from billing.invoices.models import Invoice
from billing.invoices.services import credit_invoice
from billing.ledger.money import sum_text
from billing.ledger.services import BALANCE, DISPUTED, RECEIVABLE, cash_account, post_transaction
from billing.payments.models import Attempt, Payment, Transaction
from billing.payments.processor import MAX_AMBIGUOUS_ATTEMPTS, MISCONFIGURED_WAIT
from billing.payments.refunds import take_reward_back
from billing.subscriptions.changes import lock_primary
from billing.subscriptions.services import mark_past_due, restore_period
from core.events import emit
from core.ids import is_id
from core.jobs import claim, notify_workers, release_after_error, update_owned
from core.jobs.leases import LeaseLost, backoff_delay
from core.tenancy import company_id, company_scope, unscoped
from core.text.formats import moment_text

log = logging.getLogger(__name__)
Status = Dispute.Status
Watch = DisputeWatch.Status
Kind = Transaction.Kind
WORK = "disputes"
RETRY_DELAY = timedelta(days=1)
"""Interval between checks of an open dispute, in case webhooks do not arrive."""


# Looking


def listen(account: GatewayAccount, hint: WebhookHint) -> int:
    """Queue a dispute check of the paid attempts that a webhook names. Return their number."""
    if not hint.disputed:
        return 0
    names = [name[:255] for name in hint.names]
    ids = Q(pk__in=[name for name in names if is_id(name)])
    return watch(account, ids | Q(payment_ref__in=names) | Q(gateway_id__in=names))


def watch(account: GatewayAccount, which: Q) -> int:
    """Queue a dispute check of paid attempts at an account, now. Return their number."""
    with unscoped(reason="disputes: the attempts that a gateway names, of whatever company"), transaction.atomic():
        rows = Attempt.objects.filter(which, letter=account.letter, adapter=account.adapter, status="paid")
        attempts = rows.exclude(payment_ref="")  # the index has no others
        ids = list(attempts.values_list("company_id", "pk"))
        # An upsert: a hook may come again, and an idle watch has to be looked at again.
        DisputeWatch.objects.bulk_create(
            [DisputeWatch(company_id=company, attempt_id=id) for company, id in ids],
            update_conflicts=True,
            unique_fields=["company", "attempt"],
            update_fields=["status", "due_at", "attempts"],
        )
    if ids:
        notify_workers(WORK)
    return len(ids)


def work(deadline: float) -> None:
    """Look at due watches, one by one, until none is left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        rows = claim(DisputeWatch, limit=1)
        if not rows:
            return
        with company_scope(rows[0].company_id):
            try:
                run(rows[0])
            except LeaseLost:
                log.warning("watch %s was taken over by another worker", rows[0].pk)
            except Exception as error:  # noqa: BLE001  the edge of one watch: the others continue
                log.exception("watch %s cannot go on", rows[0].pk)
                parked = rows[0].attempts > MAX_AMBIGUOUS_ATTEMPTS
                status = Watch.UNKNOWN if parked else Watch.DUE
                release_after_error(rows[0], error, status=status)


def run(row: DisputeWatch) -> None:
    """Look at a claimed watch's payment, and release it: until tomorrow while a dispute is open."""
    attempt = row.attempt
    try:
        answer = ask(attempt)
    except Misconfigured as error:
        update_owned(row, status=Watch.DUE, due_at=timezone.now() + MISCONFIGURED_WAIT, worker=None, error=str(error))
    except (AmbiguousOutcome, GatewayRefused) as error:
        wait = backoff_delay(min(row.attempts, 12), base=settings.PAYMENT_BACKOFF)
        status = Watch.UNKNOWN if row.attempts > MAX_AMBIGUOUS_ATTEMPTS else Watch.DUE
        update_owned(row, status=status, due_at=timezone.now() + wait, worker=None, deaths=0, error=str(error)[:500])
    else:
        # Looking is done. From here on each state is booked in a transaction of its own.
        for gateway_dispute in answer:
            settle(attempt.pk, gateway_dispute)
        is_open = Dispute.objects.filter(attempt=attempt, status=Status.OPEN).exists()
        status = Watch.DUE if is_open else Watch.IDLE
        retry_at = timezone.now() + RETRY_DELAY
        update_owned(row, status=status, due_at=retry_at, worker=None, deaths=0, attempts=0, error="")


def ask(attempt: Attempt) -> list[GatewayDispute]:
    """Return the gateway's disputes of a payment. Raises the gateway's exceptions."""
    account = account_of(attempt.letter)
    if account is None or account.adapter != attempt.adapter:
        raise Misconfigured(f"gateway-{attempt.letter} is another one by now")
    with record_account_health(account):
        return gateway_client(account).disputes(attempt.payment_ref, attempt.payment.currency)


# Outcomes of a dispute


@transaction.atomic
def settle(attempt_id: str, gateway_dispute: GatewayDispute) -> Dispute | None:
    """Apply a gateway's state of a dispute of the active company. A known state changes nothing."""
    with lock_primary(company_id()):
        attempt: Attempt = Attempt.objects.select_for_update(no_key=True).get(pk=attempt_id)
        payment = Payment.objects.select_related("invoice").get(pk=attempt.payment_id)
        existing: Dispute | None = Dispute.objects.filter(attempt=attempt, gateway_id=gateway_dispute.id[:255]).first()
        dispute = existing or _open(attempt, payment, gateway_dispute)
        if dispute is None:
            return None
        if dispute.evidence_due_at != gateway_dispute.due_at:
            dispute.evidence_due_at = gateway_dispute.due_at
            dispute.save(update_fields=["evidence_due_at", "updated_at"])
        if dispute.status == Status.OPEN and gateway_dispute.status == Status.LOST:
            _lose(dispute, attempt, payment)
        elif dispute.status != Status.WON and gateway_dispute.status == Status.WON:
            _win(dispute, attempt, payment)
    return dispute


def _open(attempt: Attempt, payment: Payment, gateway_dispute: GatewayDispute) -> Dispute | None:
    """Hold the money of a new dispute, take the reward back and make the subscription past due."""
    reported_amount = gateway_dispute.amount if gateway_dispute.currency == payment.currency else payment.amount_minor
    # Several disputes may name one payment. Together they can hold no more than its money.
    held_amount = min(reported_amount, payment.amount_minor - attempt.disputed_minor)
    if held_amount <= 0:
        log.error(
            "dispute %s of attempt %s is of no money that is here: %s", gateway_dispute.id, attempt.pk, gateway_dispute
        )
        return None
    dispute: Dispute = Dispute.objects.create(
        attempt=attempt,
        gateway_id=gateway_dispute.id[:255],
        amount_minor=held_amount,
        currency=payment.currency,
        reason=gateway_dispute.reason[:300],
        evidence_due_at=gateway_dispute.due_at,
    )
    _hold(attempt, held_amount)
    # The gateway has taken the money already, so the books move it out of the cash at that gateway.
    _book(dispute, payment, "", gets=DISPUTED, gives=cash_account(attempt.letter))
    _record_transaction(dispute, attempt, payment, Kind.CHARGEBACK)
    emit(
        "payment.disputed", [payment.pk], payloads={payment.pk: {"amountMinor": held_amount, "reason": dispute.reason}}
    )
    take_reward_back(payment, held_amount, key=dispute.pk, note=_note(dispute))
    # A dispute of a former period takes no access away that was paid for since.
    if not _is_over(payment):
        mark_past_due(company_id=attempt.company_id, note=f"order {payment.number} is disputed")
    amount = sum_text(held_amount, dispute.currency)
    until = (
        f" Evidence is taken until {moment_text(gateway_dispute.due_at.astimezone(UTC))}."
        if gateway_dispute.due_at
        else ""
    )
    mail_staff(
        subject=f"A payment of {amount} is disputed",
        text=f"Order {payment.number}, gateway-{attempt.letter}: {dispute.reason or 'no reason given'}.{until}",
        path=reverse("admin:billing_dispute_change", args=(dispute.pk,)),
        permission="billing.view_dispute",
    )
    return dispute


def _lose(dispute: Dispute, attempt: Attempt, payment: Payment) -> None:
    """The money is gone: the company owes it again, or its balance does not have it.

    What it owes is a charge, which its next renewal or order bills and collects as anything else; a credit note takes
    it off the invoice that it had paid.
    """
    owing = _ledger_account(attempt, payment)
    _book(dispute, payment, ":lost", gets=owing, gives=DISPUTED)
    # The invoice was paid and is unpaid again. Money that had become balance is simply missing from it.
    if owing == RECEIVABLE:
        invoice = Invoice.objects.select_for_update(no_key=True).get(pk=payment.invoice_id)
        note = credit_invoice(invoice, dispute.amount_minor, f"taken back by the bank: order {payment.number}")
        Charge.objects.create(
            subscription_id=payment.subscription_id,
            kind=Charge.Kind.MANUAL,
            description=f"Order {payment.number}, taken back by the bank",
            # Net, since the invoice that bills the charge adds the tax of its own day.
            amount_minor=note.amount_minor - note.tax_minor,
            currency=dispute.currency,
            source=_debt(dispute),
        )
    _close(dispute, Status.LOST)


def _win(dispute: Dispute, attempt: Attempt, payment: Payment) -> None:
    """Book the money that comes back; its former use is open again."""
    account = DISPUTED
    if dispute.status == Status.LOST:  # what became a charge stays one: the balance pays it
        is_charged = Charge.objects.filter(source=_debt(dispute)).exists()
        account = BALANCE if is_charged else _ledger_account(attempt, payment)
    _book(dispute, payment, ":won", gets=cash_account(attempt.letter), gives=account)
    _hold(attempt, -dispute.amount_minor)
    _close(dispute, Status.WON)
    _record_transaction(dispute, attempt, payment, Kind.REVERSAL)
    emit("payment.undisputed", [payment.pk], payloads={payment.pk: {"amountMinor": dispute.amount_minor}})
    return_rewards(source=f"invoice:{payment.invoice_id}", note=_note(dispute))
    # With another dispute open, a part of the period's money is still missing.
    others = Dispute.objects.filter(attempt__payment=payment).exclude(status=Status.WON)
    if payment.basis.get("periodEnd") and not others.exists():
        end = datetime.fromisoformat(payment.basis["periodEnd"])
        restore_period(company_id=attempt.company_id, period_end=end, note=f"order {payment.number}: dispute won")


def _debt(dispute: Dispute) -> str:
    """Return the source of the charge that a lost dispute makes."""
    return f"dispute:{dispute.pk}"


def _note(dispute: Dispute) -> str:
    """Return the note of the reward's transition, by which a won dispute finds it."""
    return f"disputed: {dispute.pk}"


def _book(dispute: Dispute, payment: Payment, step: str, *, gets: str, gives: str) -> None:
    amount = dispute.amount_minor
    post_transaction(
        f"dis:{dispute.pk}{step}", dispute.currency, [(gets, amount), (gives, -amount)], about=payment.invoice_id
    )


def _ledger_account(attempt: Attempt, payment: Payment) -> str:
    """Return where the payment's money went: it paid the invoice, or became the company's balance."""
    by = f"gateway-{attempt.letter}"
    credited = Transaction.objects.filter(payment=payment, kind=Kind.CREDIT, by=by).exists()
    return BALANCE if credited else RECEIVABLE


def _hold(attempt: Attempt, amount: int) -> None:
    attempt.disputed_minor += amount
    attempt.save(update_fields=["disputed_minor", "updated_at"])


def _close(dispute: Dispute, status: str) -> None:
    dispute.status = status
    dispute.closed_at = timezone.now()
    dispute.save(update_fields=["status", "closed_at", "updated_at"])


def _record_transaction(dispute: Dispute, attempt: Attempt, payment: Payment, kind: str) -> None:
    Transaction.objects.create(
        kind=kind,
        amount_minor=dispute.amount_minor,
        currency=dispute.currency,
        by=f"gateway-{attempt.letter}",
        payment=payment,
        invoice_id=payment.invoice_id,
    )


def _is_over(payment: Payment) -> bool:
    """Return whether the period that the order paid for is over, or it never took effect."""
    end = payment.basis.get("periodEnd")
    if payment.status != Payment.Status.PAID:
        return True
    return bool(end) and datetime.fromisoformat(end) <= timezone.now()
