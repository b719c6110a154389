"""Google's log-in, and the addresses of Gmail: members' consent, and the resulting tokens.

Of Google's texts only the short codes are repeated, because the texts may contain tokens.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode, urljoin

from django.conf import settings
from django.utils import timezone

from core.outbound_http import HttpAnswer, HttpFailed, exchange
from core.types import JsonObject
from outreach.connections.smtp.outcome import SmtpError

LOGIN, TOKENS = "https://accounts.google.com/", "https://oauth2.googleapis.com/"
SEND = "https://www.googleapis.com/auth/gmail.send"
READ = "https://www.googleapis.com/auth/gmail.readonly"
SECONDS = 10.0
REFUSED = frozenset({"invalid_grant", "unauthorized_client", "access_denied"})
"""Codes for a log-in, or a code of one, that Google takes no more."""
LOGIN_AGAIN = "Google takes the log-in no more. Log in again."


@dataclass(frozen=True)
class Tokens:
    """Google's tokens for a log-in. A renewal has no address, and usually no refresh token."""

    access: str
    ends_at: datetime
    scopes: str
    refresh: str = ""
    email: str = ""


def address(own: str, path: str) -> str:
    """Return an address of Google's, or of its replacement (VENDOR_BASE_URLS)."""
    return urljoin(settings.VENDOR_BASE_URLS.get("gmail") or own, path)


def consent_url(back: str, scopes: Sequence[str], *, state: str, verifier: str, email: str = "") -> str:
    """Return where a member allows the scopes; Google leads `back` from there. `email` names the account to choose."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    params = {
        "client_id": settings.GOOGLE_CLIENT_ID,
        "redirect_uri": back,
        "response_type": "code",
        "scope": " ".join(("openid", "email", *scopes)),
        "access_type": "offline",
        "prompt": "consent",  # without it a second log-in brings no refresh token
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        **({"login_hint": email} if email else {}),
    }
    return f"{address(LOGIN, '/o/oauth2/v2/auth')}?{urlencode(params)}"


def trade_code(back: str, *, code: str, verifier: str) -> Tokens:
    """Trade the code of a log-in that led `back`. Raises SmtpError: `auth` for an invalid code."""
    fields = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier}
    return _tokens({**fields, "redirect_uri": back})


def renew(refresh: str) -> Tokens:
    """Get a new access token. Raises SmtpError: `auth` when the log-in was taken back."""
    return _tokens({"grant_type": "refresh_token", "refresh_token": refresh})


def revoke(token: str) -> bool:
    """Take a log-in back at Google. Returns whether it is gone; it is tried once."""
    try:
        return _post("/revoke", {"token": token}, seconds=5.0).status in (200, 400)  # 400: it was gone
    except SmtpError:
        return False


def _tokens(fields: dict[str, str]) -> Tokens:
    client = {"client_id": settings.GOOGLE_CLIENT_ID, "client_secret": settings.GOOGLE_CLIENT_SECRET}
    answer = _post("/token", {**fields, **client})
    body = _json(answer.body)
    if answer.status != 200:
        code = str(body.get("error", ""))[:40]
        if code in REFUSED:
            raise SmtpError("auth", LOGIN_AGAIN, temporary=False, code=answer.status)
        if code == "invalid_client":
            raise SmtpError("connect", "Google does not know this service's client. Tell who runs it.", temporary=True)
        raise SmtpError("connect", f"Google answered {answer.status}.", temporary=True, code=answer.status)
    access, seconds = body.get("access_token"), body.get("expires_in")
    if not isinstance(access, str) or not access or not isinstance(seconds, int | float):
        raise SmtpError("connect", "Google's answer cannot be read.", temporary=True)
    return Tokens(
        access=access,
        ends_at=timezone.now() + timedelta(seconds=min(float(seconds), 86_400)),
        scopes=str(body.get("scope", ""))[:500],
        refresh=str(body.get("refresh_token") or ""),
        email=_address(str(body.get("id_token") or "")),
    )


def _address(id_token: str) -> str:
    """Return the account's address; "" for none. It came from Google itself by TLS, so the signature proves nothing
    further (OpenID Connect Core, 3.1.3.7)."""
    parts = id_token.split(".")
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (IndexError, ValueError):
        return ""
    ours = isinstance(claims, dict) and claims.get("aud") == settings.GOOGLE_CLIENT_ID
    return str(claims.get("email", "")) if ours and claims.get("email_verified") in (True, "true") else ""


def _post(path: str, form: dict[str, str], seconds: float = SECONDS) -> HttpAnswer:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    url = address(TOKENS, path)
    try:
        return exchange("POST", url, seconds=seconds, headers=headers, body=urlencode(form).encode())
    except HttpFailed as failed:
        raise SmtpError("connect", failed.detail, temporary=True) from None


def _json(body: bytes) -> JsonObject:
    try:
        parsed = json.loads(body)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
