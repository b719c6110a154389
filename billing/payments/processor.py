"""The payment machine: it polls due attempts and moves money exactly once (docs/decisions/0022).

Each step commits before the next call to the gateway. The attempt's own id is our reference there. A charge is opened,
its id is committed, and only then money moves against that id.

A worker that takes over after a crash asks the gateway first. Neither a lost response nor an expired idempotency key
causes a second payment.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from time import monotonic
from typing import Any

from django.conf import settings
from django.core import signing
from django.utils import timezone

from billing.coupons.holds import extend_hold
from billing.gateways.accounts import account_of, gateway_client, record_account_health
from billing.gateways.base import (
    AmbiguousOutcome,
    Gateway,
    GatewayRefused,
    Misconfigured,
    Order,
    PaymentState,
    PaymentUpdate,
)
from billing.gateways.models import GatewayAccount
from billing.payments.models import Attempt
from billing.payments.settlement import accepts_gateways, settle
from core.errors import NamedError
from core.jobs import claim, release_after_error, update_owned
from core.jobs.leases import LeaseLost, backoff_delay
from core.tenancy import company_scope

log = logging.getLogger(__name__)
Status, Kind = Attempt.Status, Attempt.Kind

POLL_DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 1440))
"""Delays between polls of an attempt that no webhook has settled."""
MISCONFIGURED_WAIT = timedelta(minutes=15)
MAX_AMBIGUOUS_ATTEMPTS = 24
"""Looks in a row that end unsure, an hour apart in the end, before staff are asked."""
RETURN = "billing.return"
"""The salt of the tokens in the address that gateways lead back to."""


def work(deadline: float) -> None:
    """Look at due attempts, one by one, until none is left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        # One at a time: a batch would hold leases on attempts for as long as a
        # slow gateway takes for the first.
        rows = claim(Attempt, limit=1)
        if not rows:
            return
        with company_scope(rows[0].company_id):
            try:
                run(rows[0])
            except LeaseLost:
                log.warning("attempt %s was taken over by another worker", rows[0].pk)
            except Exception as error:  # noqa: BLE001  the edge of one attempt: the others continue
                log.exception("attempt %s cannot go on", rows[0].pk)
                release_after_error(rows[0], error, status=Status.DUE)


def run(attempt: Attempt) -> None:
    """Take a claimed attempt one step further, and release it."""
    try:
        update = advance(attempt)
    except GatewayRefused as error:
        # A listed code is the only proof that nothing happened. Everything else is treated as uncertain.
        settle(attempt.pk, PaymentUpdate(state=PaymentState.FAILED, reason=error.code))
        _release(attempt)
    except Misconfigured as error:
        _wait(attempt, MISCONFIGURED_WAIT, f"the gateway refuses the account: {error}")
    except AmbiguousOutcome as error:
        _record_ambiguous(attempt, error)
    else:
        settled = settle(attempt.pk, update)
        # The gateway has not decided: poll again, as a lost webhook would leave it open.
        if settled.status in (Status.DUE, Status.WORKING):
            _poll_later(attempt, update)
        else:
            _release(attempt)


def advance(attempt: Attempt) -> PaymentUpdate:
    """Open an attempt that is not open, poll it, and move the money of an open one. Call it outside of transactions.

    The gateway's id is committed before any money moves. Raises the gateway's exceptions.
    """
    account = account_of(attempt.letter)
    # Asking another gateway about this id would say that it knows none, which would look like a failure.
    if account is None or account.adapter != attempt.adapter:
        raise Misconfigured(f"gateway-{attempt.letter} is another one by now")
    with record_account_health(account):
        gateway = gateway_client(account)
        if attempt.kind == Kind.CHARGE and not attempt.gateway_id:
            # The gateway's id is committed before money moves. After a crash the next worker moves money
            # against this id only, and the gateway refuses to do that twice.
            update_owned(attempt, gateway_id=gateway.open(order_of(attempt, account)))
            if attempt.attempts <= 1:
                return gateway.move(order_of(attempt, account))
        update = gateway.find(order_of(attempt, account))
        if attempt.kind == Kind.CHARGE and update.state in (PaymentState.NONE, PaymentState.OPEN):
            if attempt.left_at is None:
                return gateway.move(order_of(attempt, account))
            if attempt.reason:  # refused before, and named by a hook again: some gateways leave a refused charge open
                return PaymentUpdate(state=PaymentState.FAILED, reason=attempt.reason)
        return capture_authorized(gateway, attempt, account, update)


def capture_authorized(
    gateway: Gateway, attempt: Attempt, account: GatewayAccount, update: PaymentUpdate
) -> PaymentUpdate:
    """Capture the money that a customer has authorized on the gateway's page, unless the order was abandoned or the
    quote expired."""
    is_due = attempt.left_at is None and accepts_gateways(attempt.payment)
    if attempt.kind == Kind.HOSTED and update.state is PaymentState.AUTHORIZED and is_due:
        try:
            extend_hold(attempt.payment_id, is_authorized=True)
        except NamedError as error:
            return PaymentUpdate(state=PaymentState.FAILED, reason=error.detail)
        return gateway.move(order_of(attempt, account))
    return update


def refresh_attempt(attempt: Attempt) -> Attempt:
    """Look now at an attempt on a gateway's page, whoever holds it, and settle it. Raises what gateways raise."""
    account = account_of(attempt.letter)
    if account is None or account.adapter != attempt.adapter:
        raise Misconfigured(f"gateway-{attempt.letter} is another one by now")
    with record_account_health(account):
        gateway = gateway_client(account)
        update = gateway.find(order_of(attempt, account))
        if update.state is PaymentState.AUTHORIZED:
            attempt.refresh_from_db(fields=["left_at"])
        update = capture_authorized(gateway, attempt, account, update)
    return settle(attempt.pk, update)


def order_of(attempt: Attempt, account: GatewayAccount) -> Order:
    """Return the attempt as gateways take it."""
    payment = attempt.payment
    method = attempt.method
    token = signing.dumps([attempt.company_id, attempt.pk], salt=RETURN)
    public = f"{settings.BASE_URL}/api/public"
    return Order(
        reference=attempt.pk,
        amount=payment.amount_minor,
        currency=payment.currency,
        title=f"{payment.plan.name if payment.plan else 'Subscription'}, order {payment.number}",
        email=payment.invoice.buyer.get("email", ""),
        back_url=f"{public}/payments/return/{token}",
        hook_url=f"{public}/webhooks/gateway-{attempt.letter}/{account.pk}",
        gateway_id=attempt.gateway_id,
        save_method=attempt.save_method,
        token=method.token if method else "",
        customer=method.customer if method else "",
    )


def _poll_later(attempt: Attempt, update: PaymentUpdate) -> None:
    """Look again later. After the last look the attempt has failed, though a webhook can still bring it back."""
    if attempt.looks >= len(POLL_DELAYS):
        settle(attempt.pk, PaymentUpdate(state=PaymentState.FAILED, reason="nobody paid"))
        _release(attempt)
        return
    reason = "the customer has to confirm it" if update.state is PaymentState.ACTION else ""
    next_poll_at = timezone.now() + POLL_DELAYS[attempt.looks]
    _requeue(
        attempt, status=Status.DUE, due_at=next_poll_at, looks=attempt.looks + 1, reason=reason, attempts=1, error=""
    )


def _record_ambiguous(attempt: Attempt, error: AmbiguousOutcome) -> None:
    if attempt.attempts > MAX_AMBIGUOUS_ATTEMPTS:
        log.error("attempt %s is parked: the gateway does not say what became of it", attempt.pk)
        _requeue(attempt, status=Status.UNKNOWN, reason=str(error)[:300])
        return
    _wait(attempt, backoff_delay(attempt.attempts, base=settings.PAYMENT_BACKOFF), str(error))


def _wait(attempt: Attempt, wait: timedelta, reason: str) -> None:
    _requeue(attempt, status=Status.DUE, due_at=timezone.now() + wait, error=reason[:500])


def _requeue(attempt: Attempt, **values: Any) -> None:
    """Release an attempt that is still open. A settled attempt keeps its status."""
    mine = Attempt.objects.filter(pk=attempt.pk, lease=attempt.lease, status=Status.WORKING)
    if not mine.update(updated_at=timezone.now(), worker=None, deaths=0, **values):
        _release(attempt)


def _release(attempt: Attempt) -> None:
    """Release an attempt that has been settled."""
    update_owned(attempt, worker=None, deaths=0)
