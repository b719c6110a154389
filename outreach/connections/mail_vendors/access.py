"""Access tokens of apps with a log-in: stored, and renewed by one worker while the others wait for it.

The renewal is claimed by a conditional update with an expiry, so that no transaction is open during the call to the
vendor. A worker that dies delays nobody for long.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.crypto import SecretUnreadable
from outreach.connections.mail_vendors import google
from outreach.connections.smtp.outcome import SmtpError

if TYPE_CHECKING:
    from outreach.connections.mail_vendors.models import MailApp

MARGIN = timedelta(seconds=60)
"""A token that ends so soon is renewed before it is used."""
CLAIM = timedelta(seconds=15)
"""Time limit of a renewal; longer than the timeout of the vendor."""
WAIT = 0.1
Login = Any
"""A record with a log-in at Google: a mail app, or another one with its columns and its `place`."""


def access_token(app: Login, *, instead_of: str = "") -> str:
    """Return an access token of the app that is not `instead_of`, renewed if need be.

    Raises SmtpError: `auth` when the vendor takes the log-in no more, and the app then needs a new one.
    """
    if token := _valid_token(app, instead_of):
        return token
    ends = monotonic() + CLAIM.total_seconds()
    while monotonic() < ends:
        current = _rows(app).filter(pk=app.pk).first()
        if current is None or current.needs_login or not current.api_key:
            raise SmtpError("auth", google.LOGIN_AGAIN, temporary=False)
        if token := _valid_token(current, instead_of):
            return _remember(app, token, current.access_ends_at)
        now = timezone.now()
        free, until = Q(renewing_until=None) | Q(renewing_until__lte=now), now + CLAIM
        seen = current.access_ends_at  # what another worker has renewed since is not claimed
        if _rows(app).filter(free, pk=app.pk, access_ends_at=seen).update(renewing_until=until):
            tokens = _renew(current, until)
            return _remember(app, tokens.access, tokens.ends_at)
        sleep(WAIT)
    raise SmtpError("connect", f"{app.place} was asked for a new access token, and did not answer.", temporary=True)


def _rows(app: Login) -> Any:
    return type(app)._default_manager


def _valid_token(app: Login, instead_of: str) -> str:
    """Return the token that the app has and that holds for a while; "" for none."""
    if app.access_ends_at is None or app.access_ends_at <= timezone.now() + MARGIN:
        return ""
    try:
        return app.access_token if app.access_token != instead_of else ""
    except SecretUnreadable:
        return ""


def _remember(app: Login, token: str, ends_at: datetime | None) -> str:
    """Write the token into the caller's record, unsaved, so that its next message needs no look-up. Returns it."""
    app.access_token = token
    app.access_ends_at = ends_at
    return token


def _renew(app: Login, until: datetime) -> google.Tokens:
    """Renew the token under the claim that ends at `until`. A member's new log-in ends the claim."""
    claimed = _rows(app).filter(pk=app.pk, renewing_until=until)
    try:
        tokens = google.renew(app.api_key)
    except BaseException as error:
        refused = isinstance(error, SmtpError) and error.stage == "auth"
        claimed.update(renewing_until=None, **({"needs_login": True} if refused else {}))
        raise
    with transaction.atomic():
        current = claimed.select_for_update(of=("self",)).first()
        if current is not None:
            set_tokens(current, tokens)
            rotated = ["api_key"] if tokens.refresh else []
            current.save(update_fields=["access_token", "access_ends_at", "scopes", "renewing_until", *rotated])
    return tokens


def set_tokens(app: Login, tokens: google.Tokens) -> None:
    """Write tokens into an app, unsaved."""
    app.access_token = tokens.access
    app.access_ends_at = tokens.ends_at
    app.renewing_until = None
    app.scopes = tokens.scopes or app.scopes
    if tokens.refresh:
        app.api_key = tokens.refresh


def may_read(app: MailApp) -> bool:
    """Return whether the log-in allows to look into the mailbox."""
    return google.READ in app.scopes.split()
