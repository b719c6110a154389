"""Methods saved without a payment, on the gateway's own page: started, polled, stored."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Any

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from billing.gateways.accounts import account_of, gateway_client, ready_account, record_account_health
from billing.gateways.base import (
    AmbiguousOutcome,
    GatewayRefused,
    Misconfigured,
    Order,
    PaymentState,
    PaymentUpdate,
    WebhookHint,
)
from billing.gateways.models import GatewayAccount
from billing.gateways.registry import adapter_class
from billing.methods.models import MethodSetup
from billing.payments.processor import MISCONFIGURED_WAIT, POLL_DELAYS
from billing.payments.settlement import save_method
from billing.subscriptions.changes import lock_primary
from billing.taxes.services import billing_details
from core.errors import NamedError
from core.ids import is_id
from core.jobs import claim, notify_workers, update_owned
from core.jobs.leases import LeaseLost, backoff_delay
from core.tenancy import company_id, company_scope, unscoped

log = logging.getLogger(__name__)
Status = MethodSetup.Status
OPEN = (Status.DUE, Status.WORKING)
WORK = "method-setups"
SAVED = "billing.saved"
"""The salt of the tokens in the address that gateways lead back to."""


def set_up_method(*, letter: str) -> MethodSetup:
    """Begin to save a method on the gateway's page, or return the set-up that is open: one for each gateway.

    Raises GatewayXDetailsNotFound_400, and BadRequest_400 for a gateway that saves methods by payments alone.
    """
    with lock_primary(company_id()) as subscription:
        account = _account(letter, subscription.currency if subscription else "")
        setup: MethodSetup | None = MethodSetup.objects.filter(letter=letter, status__in=OPEN).first()
        if setup is None or setup.adapter != account.adapter:
            # The letter has another gateway by now, which knows nothing of the page that was begun.
            MethodSetup.objects.filter(letter=letter, status__in=OPEN).update(status=Status.FAILED)
            setup = MethodSetup.objects.create(
                letter=letter,
                adapter=account.adapter,
                currency=_currency(account, subscription.currency if subscription else ""),
                email=billing_details().email,
                due_at=timezone.now() + POLL_DELAYS[0],
            )
    return setup if setup.url else _begin_setup(setup, account)


def _account(letter: str, preferred: str) -> GatewayAccount:
    existing = account_of(letter)
    account = ready_account(letter, _currency(existing, preferred) if existing else preferred)
    if not adapter_class(account.adapter).sets_up:
        title = adapter_class(account.adapter).title
        raise NamedError("BadRequest_400", f"{title} saves a way to pay only with a payment", field="gateway")
    return account


def _currency(account: GatewayAccount, preferred: str) -> str:
    offered = account.currencies or adapter_class(account.adapter).currencies.split()
    return preferred if preferred in offered else str(offered[0])


def _begin_setup(setup: MethodSetup, account: GatewayAccount) -> MethodSetup:
    """Ask the gateway for its page, and commit where it is."""
    off = f"Gateway{setup.letter.upper()}DetailsNotFound_400"
    try:
        with record_account_health(account):
            page = gateway_client(account).set_up(order_of(setup, account))
    except Misconfigured as error:
        _fail(setup, str(error))
        raise NamedError(off, f"gateway-{setup.letter} cannot be used at the moment") from error
    except GatewayRefused as error:
        _fail(setup, error.code)
        raise NamedError("BadRequest_400", f"it refuses this: {error.code}", field="gateway") from error
    except AmbiguousOutcome as error:
        log.warning("set-up %s could not be begun: %s", setup.pk, error)
        raise NamedError("BadRequest_400", "it does not answer. Try again", field="gateway") from error
    values = {"gateway_id": page.gateway_id, "url": page.url[:2048], "updated_at": timezone.now()}
    MethodSetup.objects.filter(pk=setup.pk, url="").update(**values)
    setup.refresh_from_db()
    return setup


def _fail(setup: MethodSetup, reason: str) -> None:
    MethodSetup.objects.filter(pk=setup.pk, url="").update(status=Status.FAILED, reason=reason[:300])


def order_of(setup: MethodSetup, account: GatewayAccount) -> Order:
    """Return the set-up as gateways take it."""
    token = signing.dumps([setup.company_id, setup.pk], salt=SAVED)
    public = f"{settings.BASE_URL}/api/public"
    return Order(
        reference=setup.pk,
        amount=0,
        currency=setup.currency,
        title="A way to pay",
        email=setup.email,
        back_url=f"{public}/payments/saved/{token}",
        hook_url=f"{public}/webhooks/gateway-{setup.letter}/{account.pk}",
        gateway_id=setup.gateway_id,
        save_method=True,
    )


def refresh_setup(setup: MethodSetup) -> MethodSetup:
    """Look what became of a set-up, and keep the method. Raises what gateways raise."""
    if not setup.gateway_id:
        return setup
    account = account_of(setup.letter)
    if account is None or account.adapter != setup.adapter:
        raise Misconfigured(f"gateway-{setup.letter} is another one by now")
    with record_account_health(account):
        update = gateway_client(account).find_set_up(order_of(setup, account))
    return settle(setup.pk, update)


@transaction.atomic
def settle(setup_id: str, update: PaymentUpdate) -> MethodSetup:
    """Apply a gateway's state to a set-up of the active company. A saved method stays saved."""
    with lock_primary(company_id()):
        setup: MethodSetup = MethodSetup.objects.select_for_update(no_key=True).get(pk=setup_id)
        if setup.status == Status.SAVED:
            return setup
        # The reference is compared: otherwise another customer's card could be saved through a mixed-up answer.
        if update.state is PaymentState.PAID and update.reference == setup.pk and update.method is not None:
            setup.method = save_method(setup.letter, setup.adapter, update.method)
            setup.status = Status.SAVED
            setup.reason = ""
            setup.save()
        elif update.state in (PaymentState.PAID, PaymentState.FAILED):
            reason = update.reason or (
                "not saved" if update.state is PaymentState.FAILED else "it names another set-up"
            )
            setup.status = Status.FAILED
            setup.reason = reason[:300]
            setup.save()
    return setup


def listen(account: GatewayAccount, hint: WebhookHint) -> int:
    """Make the set-ups due that a webhook names. Returns their number."""
    names = [name[:255] for name in hint.names]
    condition = Q(gateway_id__in=names, adapter=account.adapter) | Q(pk__in=[name for name in names if is_id(name)])
    with unscoped(reason="webhook: the set-ups that it names, of whatever company"):
        rows = MethodSetup.objects.filter(condition, letter=account.letter, status=Status.DUE)
        number = int(rows.update(due_at=timezone.now(), looks=0))
    if number:
        notify_workers(WORK)
    return number


def work(deadline: float) -> None:
    """Look at due set-ups, one by one, until none is left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        rows = claim(MethodSetup, limit=1)
        if not rows:
            return
        with company_scope(rows[0].company_id):
            try:
                run(rows[0])
            except LeaseLost:
                log.warning("set-up %s was taken over by another worker", rows[0].pk)


def run(setup: MethodSetup) -> None:
    """Look at a claimed set-up, and release it. After the last look it has failed."""
    try:
        refreshed = refresh_setup(setup)
    except Misconfigured as error:
        _wait(setup, due_at=timezone.now() + MISCONFIGURED_WAIT, error=str(error)[:500])
    except (AmbiguousOutcome, GatewayRefused) as error:
        # No money is at stake, so it never asks staff: the looks run out, and the set-up has failed.
        wait = backoff_delay(min(setup.attempts, 12), base=settings.PAYMENT_BACKOFF)
        _wait(setup, due_at=timezone.now() + wait, looks=setup.looks, error=str(error)[:500])
    else:
        if refreshed.status not in OPEN:
            update_owned(setup, worker=None, deaths=0)
        elif setup.looks >= len(POLL_DELAYS):
            _wait(setup, status=Status.FAILED, reason="nobody saved one")
        else:
            next_poll_at = timezone.now() + POLL_DELAYS[setup.looks]
            _wait(setup, due_at=next_poll_at, looks=setup.looks + 1, attempts=1, error="")


def _wait(setup: MethodSetup, **values: Any) -> None:
    """Release a set-up that is still open. One that was settled since keeps its status."""
    mine = MethodSetup.objects.filter(pk=setup.pk, lease=setup.lease, status=Status.WORKING)
    values = {"status": Status.DUE, **values}
    if not mine.update(updated_at=timezone.now(), worker=None, deaths=0, **values):
        update_owned(setup, worker=None, deaths=0)
