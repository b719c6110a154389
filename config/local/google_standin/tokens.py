"""Tokens of the simulated Google. None is stored: a token contains its own data, so that a log-in survives a
restart."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any

from config.demo_vendors import DEMO_CLIENT
from config.local.google_standin import ACCOUNT
from core.types import JsonObject, Values

SECONDS = 3600
HEADER = {"alg": "none"}
GONE = (400, {"error": "invalid_grant"})


class Logins:
    """Codes that wait to be traded, and tokens that were taken back."""

    def __init__(self) -> None:
        self.codes: dict[str, dict[str, str]] = {}
        self.revoked: set[str] = set()

    def allow(self, params: Mapping[str, str]) -> str:
        """Return a code for the parameters of a consent page."""
        code = secrets.token_urlsafe(24)
        self.codes[code] = dict(params)
        while len(self.codes) > 100:
            del self.codes[next(iter(self.codes))]
        return code

    def trade(self, form: Mapping[str, str]) -> tuple[int, Any]:
        """Answer a request for tokens."""
        if (form.get("client_id"), form.get("client_secret")) != DEMO_CLIENT:
            return 401, {"error": "invalid_client"}
        if form.get("grant_type") == "refresh_token":
            scopes = read(form.get("refresh_token", ""), "refresh")
            return GONE if scopes is None or form["refresh_token"] in self.revoked else (200, answer(scopes))
        consent = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if consent is None or consent.get("code_challenge") != challenge:
            return GONE
        if consent.get("redirect_uri") != form.get("redirect_uri"):
            return 400, {"error": "redirect_uri_mismatch"}
        scopes = consent.get("scope", "")
        lasting = {"refresh_token": write(scopes, "refresh"), "id_token": _id_token()}
        return 200, {**answer(scopes), **lasting}

    def revoke(self, token: str) -> tuple[int, Any]:
        """Take a token back."""
        self.revoked.add(token)
        return 200, {}


def answer(scopes: str) -> JsonObject:
    """Return an access token for the scopes, as the log-in's server writes it."""
    return {"access_token": write(scopes, "access"), "expires_in": SECONDS, "scope": scopes, "token_type": "Bearer"}


def write(scopes: str, kind: str) -> str:
    """Return a token with its scopes."""
    text = _encode({"kind": kind, "scopes": scopes, "number": secrets.token_hex(8)})
    return f"{text}.{_signature(text)}"


def read(token: str, kind: str) -> str | None:
    """Return the scopes of a token; None for an invalid token or another kind."""
    text, _, signature = token.partition(".")
    if not hmac.compare_digest(signature.encode(), _signature(text).encode()):
        return None
    content = json.loads(base64.urlsafe_b64decode(text))
    return str(content["scopes"]) if content["kind"] == kind else None


def _signature(text: str) -> str:
    return hmac.new(DEMO_CLIENT[1].encode(), text.encode(), hashlib.sha256).hexdigest()[:32]


def _encode(value: Values) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


def _id_token() -> str:
    claims = {"aud": DEMO_CLIENT[0], "email": ACCOUNT, "email_verified": True}
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in (HEADER, claims)]
    return ".".join((*parts, "unsigned"))
