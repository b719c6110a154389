"""The operator's accounts at gateways: by the environment, or by the back office."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from billing.gateways.base import (
    AmbiguousOutcome,
    Credentials,
    Gateway,
    GatewayRefused,
    Misconfigured,
    WebhookHint,
    WrongSignature,
)
from billing.gateways.models import LETTERS, GatewayAccount
from billing.gateways.registry import ADAPTERS, adapter_class
from core.errors import NamedError, ValidationFailed
from core.outbound import OutboundRefused, checked_address
from core.types import JsonObject

log = logging.getLogger(__name__)
State, Mode = GatewayAccount.State, GatewayAccount.Mode
HEALTH_STEP = timedelta(minutes=1)
"""Precision of the stored time of a gateway's last response: it avoids a write for every call."""
FORMER = timedelta(days=1)
"""Validity of a webhook secret after its replacement."""
LIVE = ("sk_live_", "rk_live_", "rzp_live_", "live_")
"""Prefixes of live API keys, which move real money."""


def account_of(letter: str) -> GatewayAccount | None:
    """Return the account of a letter, overridden by the environment, or None."""
    return with_environment(letter, GatewayAccount.objects.filter(letter=letter).first())


def with_environment(letter: str, account: GatewayAccount | None) -> GatewayAccount | None:
    """Override the account's values with those of the environment."""
    configured_values: JsonObject = settings.GATEWAYS.get(letter, {})
    if not configured_values:
        return account
    if account is None:
        values = {"adapter": configured_values["adapter"], "state": State.ON}
        # A row even for a gateway that the environment sets up: webhooks and
        # the state of its health refer to it.
        account, _ = GatewayAccount.objects.get_or_create(letter=letter, defaults=values)
    for name, value in configured_values.items():
        setattr(account, name, value)
    account.former_until = None  # its former secret is good for as long as it is set
    return account


def accounts_for(currency: str) -> list[GatewayAccount]:
    """Return the accounts that are on and take the currency, by letter."""
    return [account for account in active_accounts() if is_ready(account, currency)]


def active_accounts() -> list[GatewayAccount]:
    """Return the accounts that are on and have their credentials, by letter."""
    rows = {row.letter: row for row in GatewayAccount.objects.all()}
    accounts = [with_environment(letter, rows.get(letter)) for letter in LETTERS]
    return [account for account in accounts if account is not None and _is_on(account)]


def _is_on(account: GatewayAccount) -> bool:
    return account.state == State.ON and account.adapter in ADAPTERS and not missing_credentials(account)


def is_ready(account: GatewayAccount, currency: str) -> bool:
    """Return whether an account can be paid to in a currency."""
    if not _is_on(account):
        return False
    offered = account.currencies or adapter_class(account.adapter).currencies.split()
    return currency in offered and currency in adapter_class(account.adapter).currencies.split()


def missing_credentials(account: GatewayAccount) -> list[str]:
    """Return the credentials that are missing."""
    return [name for name in adapter_class(account.adapter).needs if not getattr(account, name)]


def ready_account(letter: str, currency: str) -> GatewayAccount:
    """Return the gateway account of a letter. Raises GatewayXDetailsNotFound_400 if it is off or lacks the currency."""
    account = account_of(letter)
    if account is None or not is_ready(account, currency):
        detail = f"gateway-{letter} is not on offer" + (f" for {currency}" if account else "")
        raise NamedError(f"Gateway{letter.upper()}DetailsNotFound_400", detail)
    return account


def gateway_client(account: GatewayAccount) -> Gateway:
    """Return the adapter with the account's credentials. Raises Misconfigured for keys or servers that must not be
    used."""
    if settings.DEBUG and account.secret_key.startswith(LIVE):
        raise Misconfigured("keys to real money are not used while DEBUG is on")
    # A live key at another server would be handed to those who run that server.
    if account.base_url and account.mode != Mode.TEST:
        raise Misconfigured("only a test account may be at another server")
    credentials = Credentials(
        key_id=account.key_id,
        secret_key=account.secret_key,
        webhook_secret=account.webhook_secret,
        base_url=account.base_url,
    )
    return adapter_class(account.adapter)(credentials)


@contextmanager
def record_account_health(account: GatewayAccount) -> Iterator[None]:
    """Note on the account that the gateway refuses it: it takes no orders until its test has succeeded.

    How it answers otherwise is noted too, for the back office.
    """
    try:
        yield
    except AmbiguousOutcome as error:
        changes: JsonObject = {"failures": F("failures") + 1, "failed_at": timezone.now()}
        GatewayAccount.objects.filter(pk=account.pk).update(**changes, failure=str(error)[:300])
        raise
    except GatewayRefused:
        _note_good(account)
        raise
    except Misconfigured as error:
        log.error("gateway-%s (%s) is misconfigured: %s", account.letter, account.adapter, error)
        changed = {"state": State.MISCONFIGURED, "error": str(error)[:500], "updated_at": timezone.now()}
        GatewayAccount.objects.filter(pk=account.pk, state=State.ON).update(**changed)
        raise
    else:
        _note_good(account)


def _note_good(account: GatewayAccount) -> None:
    if account.failures or _is_past(account.good_at):
        GatewayAccount.objects.filter(pk=account.pk).update(good_at=timezone.now(), failures=0)


def note_hook(account: GatewayAccount) -> None:
    """Note that a genuine webhook has come."""
    if _is_past(account.hook_at):
        GatewayAccount.objects.filter(pk=account.pk).update(hook_at=timezone.now())


def _is_past(moment: datetime | None) -> bool:
    return moment is None or moment < timezone.now() - HEALTH_STEP


def verify_webhook(account: GatewayAccount, headers: Mapping[str, str], body: bytes) -> WebhookHint:
    """Return the ids in a webhook, signed by the secret or, for a day, by the former one.

    Raises WrongSignature and Misconfigured.
    """
    gateway = gateway_client(account)
    try:
        return _read(gateway, headers, body)
    except WrongSignature:
        # The operator may replace the secret here before or after the gateway does. For a day both
        # are good, so that no hook is lost during the change.
        until = account.former_until
        signed_by = gateway.signed_by
        if not signed_by or not account.former_secret or (until is not None and until <= timezone.now()):
            raise
        gateway.credentials = replace(gateway.credentials, **{signed_by: account.former_secret})
        return _read(gateway, headers, body)


def _read(gateway: Gateway, headers: Mapping[str, str], body: bytes) -> WebhookHint:
    try:
        return gateway.verify(headers, body)
    except RecursionError:
        # json.loads recurses for each level of nesting, and the body is
        # anybody's until its signature is checked.
        raise WrongSignature("its body is nested too deep") from None


def set_secret(account: GatewayAccount, name: str, value: str) -> None:
    """Set a secret of an account. One that signed webhooks stays good for them for a day. The caller saves."""
    if name == adapter_class(account.adapter).signed_by and getattr(account, name):
        account.former_secret = getattr(account, name)
        account.former_until = timezone.now() + FORMER
    setattr(account, name, value)


def examine_account(account: GatewayAccount) -> None:
    """Check the account with the gateway, and record the result. A misconfigured one is turned on again after a
    success.

    Raises Misconfigured and AmbiguousOutcome.
    """
    if missing := missing_credentials(account):
        raise Misconfigured(f"it needs {' and '.join(missing)}")
    with record_account_health(account):
        gateway_client(account).check()
    rows = GatewayAccount.objects.filter(pk=account.pk)
    rows.update(checked_at=timezone.now(), error="")
    # Conditional, so that a successful test does not turn on an account that staff have switched off.
    rows.filter(state=State.MISCONFIGURED).update(state=State.ON)


def check_base_url(url: str) -> str:
    """Return the address of a server in place of the gateway's own. Raises ValidationFailed."""
    if not url:
        return ""
    try:
        # The address is typed by staff. It must not lead into the operator's own network.
        checked_address("/".join(url.split("/")[:3]))
    except OutboundRefused as error:
        raise ValidationFailed("base_url cannot be used", error.detail) from error
    return url.rstrip("/")
