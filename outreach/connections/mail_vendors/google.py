"""Google's log-in, and the addresses of Gmail: members' consent, and the resulting tokens.

authlib speaks OAuth 2 with PKCE; its requests go over guarded connections.
Of Google's texts only the short codes are repeated, because the texts may contain tokens.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urlencode, urljoin

from authlib.oauth2 import OAuth2Error
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.client import OAuth2Client
from django.conf import settings
from django.utils import timezone

from core.outbound_http import HttpAnswer, HttpFailed, send_request
from core.types import JsonObject, Values
from outreach.connections.smtp.outcome import SmtpError

LOGIN, TOKENS = "https://accounts.google.com/", "https://oauth2.googleapis.com/"
SEND = "https://www.googleapis.com/auth/gmail.send"
READ = "https://www.googleapis.com/auth/gmail.readonly"
SECONDS = 10.0
REFUSED = frozenset({"invalid_grant", "unauthorized_client", "access_denied"})
"""Codes for a log-in, or a code of one, that Google takes no more."""
LOGIN_AGAIN = "Google takes the log-in no more. Log in again."
UNREADABLE = "Google's answer cannot be read."


@dataclass(frozen=True)
class Tokens:
    """Google's tokens for a log-in. A renewal has no address, and usually no refresh token."""

    access: str
    ends_at: datetime
    scopes: str
    refresh: str = ""
    email: str = ""


def google_address(own: str, path: str) -> str:
    """Return an address of Google's, or of its replacement (VENDOR_BASE_URLS)."""
    return urljoin(settings.VENDOR_BASE_URLS.get("gmail") or own, path)


def consent_url(back: str, scopes: Sequence[str], *, state: str, verifier: str, email: str = "") -> str:
    """Return where a member allows the scopes; Google leads `back` from there. `email` names the account to choose."""
    client = _Client(redirect_uri=back, scope=" ".join(("openid", "email", *scopes)), code_challenge_method="S256")
    url: str
    url, _state = client.create_authorization_url(
        google_address(LOGIN, "/o/oauth2/v2/auth"),
        state=state,
        code_verifier=verifier,
        access_type="offline",
        prompt="consent",  # without it a second log-in brings no refresh token
        login_hint=email or None,
    )
    return url


def exchange_code(back: str, *, code: str, verifier: str) -> Tokens:
    """Trade the code of a log-in that led `back`. Raises SmtpError: `auth` for an invalid code."""
    client = _Client(redirect_uri=back)
    return client.ask_for_tokens(lambda url: client.fetch_token(url, code=code, code_verifier=verifier))


def renew(refresh: str) -> Tokens:
    """Get a new access token. Raises SmtpError: `auth` when the log-in was taken back."""
    client = _Client()
    tokens = client.ask_for_tokens(lambda url: client.refresh_token(url, refresh_token=refresh))
    # authlib repeats the old refresh token where Google sends no other.
    return replace(tokens, refresh="") if tokens.refresh == refresh else tokens


def revoke(token: str) -> bool:
    """Take a log-in back at Google. Returns whether it is gone; it is tried once."""
    try:
        answer = _post(google_address(TOKENS, "/revoke"), urlencode({"token": token}), seconds=5.0)
        return answer.status in (200, 400)  # 400: it was gone
    except SmtpError:
        return False


@dataclass(frozen=True)
class _Response:
    """A response as authlib reads it."""

    answer: HttpAnswer

    @property
    def status_code(self) -> int:
        return self.answer.status

    def json(self) -> JsonObject:
        return _json(self.answer.body)

    def raise_for_status(self) -> None:
        """Raise SmtpError for any status but 200."""
        if self.status_code != 200:
            raise _failure(self.status_code, self.json())


class _GuardedTransport:
    """The session of authlib's client: its requests go over guarded connections."""

    def post(self, url: str, *, data: Mapping[str, str], headers: Mapping[str, str], auth: ClientAuth) -> _Response:
        """Send a form with the client's authentication. Raises SmtpError, for any status but 200 too."""
        url, _headers, body = auth.prepare("POST", url, {**headers}, urlencode(data))
        response = _Response(_post(url, body))
        response.raise_for_status()
        return response


class _Client(OAuth2Client):  # type: ignore[misc]
    """The service's client at Google."""

    def __init__(self, **options: str) -> None:
        super().__init__(
            _GuardedTransport(),
            client_id=settings.GOOGLE_CLIENT_ID,
            client_secret=settings.GOOGLE_CLIENT_SECRET,
            token_endpoint_auth_method="client_secret_post",  # noqa: S106  the name of a method
            **options,
        )

    def ask_for_tokens(self, request: Callable[[str], Values]) -> Tokens:
        """Return the tokens that a request to the token endpoint brings. Raises SmtpError."""
        try:
            return _tokens(request(google_address(TOKENS, "/token")))
        except (OAuth2Error, ValueError, TypeError, OverflowError):
            raise SmtpError("connect", UNREADABLE, temporary=True) from None


def _failure(status: int, body: Values) -> SmtpError:
    """Return the error for a status of the token endpoint other than 200."""
    code = str(body.get("error", ""))[:40]
    if code in REFUSED:
        return SmtpError("auth", LOGIN_AGAIN, temporary=False, code=status)
    if code == "invalid_client":
        return SmtpError("connect", "Google does not know this service's client. Tell who runs it.", temporary=True)
    return SmtpError("connect", f"Google answered {status}.", temporary=True, code=status)


def _tokens(token: Values) -> Tokens:
    """Return the tokens of a response. Raises ValueError where it lacks an access token or its end."""
    access, seconds = token.get("access_token"), token.get("expires_in")
    if not isinstance(access, str) or not access or not isinstance(seconds, int | float):
        raise ValueError("no access token")
    return Tokens(
        access=access,
        ends_at=timezone.now() + timedelta(seconds=min(float(seconds), 86_400)),
        scopes=str(token.get("scope", ""))[:500],
        refresh=str(token.get("refresh_token") or ""),
        email=_address(str(token.get("id_token") or "")),
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


def _post(url: str, form: str, seconds: float = SECONDS) -> HttpAnswer:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    try:
        return send_request("POST", url, seconds=seconds, headers=headers, body=form.encode())
    except HttpFailed as failed:
        raise SmtpError("connect", failed.detail, temporary=True) from None


def _json(body: bytes) -> JsonObject:
    try:
        parsed = json.loads(body)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
