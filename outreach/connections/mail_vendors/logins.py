"""Log-ins at vendors: started by a member, completed once by the same member with the vendor's redirect.

The state in the vendor's addresses has company, letter and app, to find the return page, and a secret, of which a hash
is stored. The verifier (PKCE) derives from it and from a key of the service.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import get_random_string

from core.access import reserve_quota
from core.crypto import SecretUnreadable, lookup_hash
from core.errors import NamedError, ValidationFailed
from core.ids import new_id
from core.tenancy import company_id
from core.types import JsonObject, Values
from outreach.connections.connected_apps.registry import MODULE
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.mail_vendors import google
from outreach.connections.mail_vendors.access import set_tokens
from outreach.connections.mail_vendors.models import MailApp, VendorLogin
from outreach.connections.mail_vendors.registry import channel_of, letters
from outreach.connections.mail_vendors.vendors.base import MailVendor
from outreach.connections.senders.services import check_values
from outreach.connections.smtp.outcome import SmtpError

MINUTES = 10
SECRET_LENGTH = 43
PACE = {"per_minute": 60, "per_day": 450}
"""Initial limits of a new app, below those that Google sets for an account."""
STALE = f"this log-in was ended, was begun by somebody else or more than {MINUTES} minutes ago; begin it anew"
MAX_BATCH_LOGINS = 20
"""Number of log-ins that are revoked when many apps are deleted together."""


def unavailable(letter: str, spec: MailVendor) -> NamedError:
    """Return the error for a vendor that nobody can log in at here."""
    text = f"{spec.name} is not set up here: whoever runs the service enters a client of Google's (GOOGLE_CLIENT_ID)"
    return NamedError("AppNotFound_400", text, field=f"mailvendor-{letter}")


def return_url(letter: str) -> str:
    """Return where Google leads back to; it is entered at Google too, for the service's client."""
    return f"{settings.BASE_URL.rstrip('/')}/oauth/{channel_of(letter)}/callback"


def begin_login(*, letter: str, member_id: str, app: str | None = None, may_read: bool = False) -> JsonObject:
    """Begin a log-in, for a new app or for an `app` that needs one. It replaces the member's last unfinished one.

    Raises AppNotFound_400 if the vendor is not set up, and MailvendorXNotFound_404 for a missing app.
    """
    spec = letters()[letter]
    if not spec.available:
        raise unavailable(letter, spec)
    existing = MailApp.objects.filter(pk=app, letter=letter).first() if app else None
    if app and existing is None:
        raise NamedError(
            f"Mailvendor{letter.upper()}NotFound_404",
            f"there is no mailvendor-{letter} app in this company",
            field="app",
        )
    state = f"{company_id()}.{letter}.{app or ''}.{get_random_string(SECRET_LENGTH)}"
    ends_at = timezone.now() + timedelta(minutes=MINUTES)
    VendorLogin.objects.update_or_create(
        member_id=member_id,
        letter=letter,
        defaults={"app_id": app, "state_hash": _hash(state), "ends_at": ends_at},
    )
    url = google.consent_url(
        return_url(letter),
        (google.SEND, google.READ) if may_read else (google.SEND,),
        state=state,
        verifier=_verifier(state),
        email=existing.from_email if existing else "",
    )
    return {"url": url, "endsAt": ends_at}


def _hash(state: str) -> str:
    return lookup_hash(f"vendor-login:{state}")


def _verifier(state: str) -> str:
    return lookup_hash(f"vendor-login-verifier:{state}")


def _end_login(letter: str, member_id: str, app: str | None, params: Values) -> google.Tokens:
    """End the member's log-in and return its tokens.

    Raises MailvendorCCodeRequired_400, and InvalidCredentials_400 for an invalid log-in or one that lacks a permission.
    """
    code, state = params.get("code") or "", params.get("state") or ""
    if not code:
        raise NamedError(
            "MailvendorCCodeRequired_400", "is required; POST …/authorize says where to get it", field="code"
        )
    if not state:
        raise ValidationFailed("state is required", "send what came back with the code", field="state")
    with transaction.atomic():
        # The state works once: it is checked and deleted under the lock.
        begun = VendorLogin.objects.select_for_update(of=("self",)).filter(
            state_hash=_hash(state), member_id=member_id, letter=letter, app_id=app
        )
        login = begun.first()
        if login is not None:
            login.delete()
    if login is None or login.ends_at <= timezone.now():
        raise NamedError("InvalidCredentials_400", STALE, field="state")
    try:
        tokens = google.exchange_code(return_url(letter), code=code, verifier=_verifier(state))
    except SmtpError as error:
        what = "Google does not take the code; start the log-in again" if error.stage == "auth" else error.detail
        raise NamedError("InvalidCredentials_400", what, field="code") from None
    missing = ""
    if google.SEND not in tokens.scopes.split():
        missing = "Google was not allowed to send mails; leave that box ticked"
    elif not tokens.refresh or not tokens.email:
        missing = "Google's answer has no refresh token; start the log-in again"
    if missing:
        google.revoke(tokens.refresh or tokens.access)
        raise NamedError("InvalidCredentials_400", missing, field="code")
    return tokens


def create_by_login(*, letter: str, member_id: str, **values: Any) -> MailApp:
    """Connect the account that a member has logged in with.

    Raises AppNotFound_400 if the vendor is not set up, and ValidationFailed for an account that is connected already.
    Raises PlanLimitExceeded_403, ConnectionTestRunning_429, and the errors of the log-in.
    """
    spec = letters()[letter]
    params = {name: values.pop(name, "") for name in ("code", "state")}
    if params["code"] and not spec.available:
        raise unavailable(letter, spec)
    check_values(values)
    if params["code"] and not values.get("from_name"):
        raise ValidationFailed("fromName is required", "enter the name of the sender", field="fromName")
    with connection_test_slot():
        tokens = _end_login(letter, member_id, None, params)
        app = MailApp(
            id=new_id(),
            company_id=company_id(),
            letter=letter,
            vendor=spec.key,
            from_email=tokens.email,
            verified=True,
            created_by_id=member_id,
            updated_by_id=member_id,
            **{**PACE, **values},
        )
        app.api_key = tokens.refresh
        set_tokens(app, tokens)
        with transaction.atomic():
            reserve_quota(MODULE)
            twins = MailApp.objects.filter(vendor=spec.key, from_email__iexact=tokens.email, is_active=True)
            if twins.exists():
                text = f"{tokens.email} is connected already; log in anew from its page"
                raise ValidationFailed("the account is connected already", text, field="code")
            app.save(force_insert=True)
    return app


def renew_login(*, letter: str, id: str, member_id: str, code: str, state: str) -> None:
    """Give an app the log-in that a member has just made, of the same account.

    Raises MailvendorXNotFound_404, ValidationFailed for another account, and the errors of the log-in.
    """
    if not MailApp.objects.filter(pk=id, letter=letter).exists():
        raise NamedError(f"Mailvendor{letter.upper()}NotFound_404", "there is no such app in this company", field="id")
    with connection_test_slot():
        tokens = _end_login(letter, member_id, id, {"code": code, "state": state})
        with transaction.atomic():
            app = MailApp.objects.select_for_update(of=("self",)).get(pk=id)
            if tokens.email.lower() != app.from_email.lower():
                text = f"log in as {app.from_email}, from which its messages come; {tokens.email} is another"
                raise ValidationFailed("the log-in is of another account", text, field="code")
            app.api_key = tokens.refresh
            set_tokens(app, tokens)
            app.needs_login = False
            app.verified = True
            app.failures = 0
            app.last_error = ""
            app.last_error_at = None
            app.paused_until = None
            app.paused_reason = ""
            app.updated_by_id = member_id
            app.save()


def take_back(apps: list[MailApp]) -> None:
    """Revoke the log-ins of deleted or permanently disabled apps at their vendor.

    It runs outside of any transaction, and tries each once.
    """
    for app in apps[:MAX_BATCH_LOGINS]:
        with suppress(SecretUnreadable):
            google.revoke(app.api_key)
