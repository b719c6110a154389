"""Tokens of accounts of the second social platform, which are valid for about 60 days: renewed before they expire."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from core.crypto import SecretUnreadable
from core.events import emit
from core.tenancy import company_scope, unscoped
from outreach.connections.chat_apps.client import ChatFailed
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.chat_apps.social_b import SocialBClient, Token
from outreach.connections.smtp.outcome import SmtpError

BEFORE = timedelta(days=14)
"""Time before the expiry of a token from which its renewal is tried, several times a day until it succeeds."""
EVERY = timedelta(hours=6)
MAX_BATCH = 100
FAILED = "apps.failed"
FAILURE = ("last_error", "last_error_at", "renewal_failed_at")
"""Columns of a failed renewal."""
NOT_RENEWED = "The token could not be made anew before it ends"
ENDED = "The token has ended"


def refresh_tokens() -> bool:
    """Renew the tokens of all companies that expire soon (a periodic task). Return whether more may wait."""
    soon = timezone.now() + BEFORE
    with unscoped(reason="tick: tokens of accounts of all companies that end soon"):
        due = ChatApp.objects.filter(vendor=ChatApp.Vendor.SOCIAL_B, is_active=True, token_expires_at__lt=soon)
        pairs = list(due.order_by("token_expires_at", "pk").values_list("pk", "company_id"))
    tried = 0
    for id, company in pairs:
        if tried == MAX_BATCH:
            return True
        # Two workers at once would do no harm; what failed is tried again when the next round comes.
        if cache.add(f"social-b-token:{id}", 1, EVERY.total_seconds() / 2):
            tried += 1
            with company_scope(company):
                refresh_one(id)
    return False


def refresh_one(id: str) -> None:
    """Renew the token of an account, or show the reason of the failure on the app.

    A failure is also an event, once before the expiry and once after it. A message sent with an expired token marks the
    app as unverified, and members are notified.
    """
    app = ChatApp.objects.filter(pk=id).first()
    if app is None:
        return
    try:
        token = SocialBClient.for_app(app).refresh_token()
    except (ChatFailed, SmtpError) as error:
        _note_failure(app, error.detail)
    else:
        _store_token(app, token)


@transaction.atomic
def _store_token(app: ChatApp, token: Token) -> None:
    stored = _lock_if_unchanged(app)
    if stored is None:
        return
    stored.access_token = token.text
    stored.token_expires_at = token.ends_at
    fields = ["access_token", "token_expires_at", "updated_at"]
    if _failure(stored) is not None:
        stored.last_error = ""
        stored.last_error_at = None
        stored.renewal_failed_at = None
        fields += FAILURE
    stored.save(update_fields=fields)


@transaction.atomic
def _note_failure(app: ChatApp, detail: str) -> None:
    stored = _lock_if_unchanged(app)
    if stored is None or stored.token_expires_at is None:
        return
    now = timezone.now()
    has_ended = stored.token_expires_at <= now
    failed_at = _failure(stored)
    is_known = failed_at is not None and (stored.token_expires_at <= failed_at) is has_ended
    stored.last_error = f"{ENDED if has_ended else NOT_RENEWED}: {detail}. Enter a new one."[:500]
    stored.last_error_at = now
    stored.renewal_failed_at = now
    stored.save(update_fields=[*FAILURE, "updated_at"])
    if not is_known:
        payload = {"app": stored.app_key, "name": str(stored), "endsAt": stored.token_expires_at.isoformat()}
        emit(FAILED, [stored.pk], payloads={stored.pk: {**payload, "error": stored.last_error}})


def _failure(app: ChatApp) -> datetime | None:
    """Return the time of the app's last error, if that is of a renewal."""
    return app.renewal_failed_at if app.renewal_failed_at == app.last_error_at else None


def _lock_if_unchanged(app: ChatApp) -> ChatApp | None:
    """Return the app, locked, if nobody has given it another token or end since it was read."""
    rows = ChatApp.objects.select_for_update(of=("self",)).filter(pk=app.pk)
    stored: ChatApp | None = rows.filter(token_expires_at=app.token_expires_at).first()
    return stored if stored is not None and _token_of(stored) == _token_of(app) else None


def _token_of(app: ChatApp) -> str:
    try:
        return str(app.access_token)
    except SecretUnreadable:
        return ""
