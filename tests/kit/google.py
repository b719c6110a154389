"""A stand-in for Google's log-in and for Gmail: what they answer, as tests/kit/mail_vendors.py serves it."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

if TYPE_CHECKING:
    from tests.kit.mail_vendors import Asked

CLIENT, CLIENT_SECRET = "client-1.apps.example", "google-canary-91ab04"
REFRESH = "refresh-canary-1"
EMAIL = "dana@example.com"
SEND = "https://www.googleapis.com/auth/gmail.send"
READ = "https://www.googleapis.com/auth/gmail.readonly"
Answer = tuple[int, Any]


@dataclass
class Google:
    """Who has logged in, which tokens hold, and what was sent."""

    codes: dict[str, tuple[dict[str, str], str, str]] = field(default_factory=dict)
    """Code -> what the consent page was asked, the account, the scopes that were granted."""
    refresh: set[str] = field(default_factory=lambda: {REFRESH})
    access: set[str] = field(default_factory=set)
    issued: int = 0
    scopes: str = f"openid email {SEND}"
    mails: list[bytes] = field(default_factory=list)
    threads: list[str] = field(default_factory=list)
    """The thread that each message was sent in; "" for none."""

    def consent(self, url: str, *, email: str = EMAIL, scopes: str | None = None) -> dict[str, str]:
        """Allow it, as a member does on Google's page. Returns the query of the address that it leads back to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert (asked["client_id"], asked["response_type"], asked["code_challenge_method"]) == (CLIENT, "code", "S256")
        assert (asked["access_type"], asked["prompt"]) == ("offline", "consent")
        code = f"code-{len(self.codes) + 1}"
        self.codes[code] = (asked, email, asked["scope"] if scopes is None else scopes)
        return {"code": code, "state": asked["state"]}

    def leads_back(self, url: str) -> str:
        """Return where the consent page leads a browser to that allows it."""
        back = parse_qs(urlsplit(url).query)["redirect_uri"][0]
        return f"{back}?{urlencode(self.consent(url))}"

    def answer(self, asked: Asked) -> Answer | None:
        """Answer what is no message to send; None for one."""
        path = urlsplit(asked.path).path
        if path == "/token":
            return self._token({name: values[0] for name, values in parse_qs(asked.text).items()})
        if path == "/revoke":
            self.refresh.discard(parse_qs(asked.text)["token"][0])
            return 200, {}
        if asked.headers.get("authorization", "").removeprefix("Bearer ") not in self.access:
            return 401, {"error": {"code": 401, "message": "Invalid Credentials", "errors": [{"reason": "authError"}]}}
        if asked.method == "GET":
            wanted = parse_qs(urlsplit(asked.path).query)["q"][0].removeprefix("rfc822msgid:").split(" ")[0]
            hits = [n for n, mail in enumerate(self.mails) if wanted.encode() in mail]
            return 200, {"messages": [{"id": f"m-{n}", "threadId": "t-1"} for n in hits], "resultSizeEstimate": 0}
        return None

    def accept(self, asked: Asked) -> None:
        """Send a message."""
        body = json.loads(asked.text)
        self.mails.append(base64.urlsafe_b64decode(body["raw"]))
        self.threads.append(body.get("threadId", ""))

    def _token(self, form: dict[str, str]) -> Answer:
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT, CLIENT_SECRET):
            return 401, {"error": "invalid_client"}
        if form["grant_type"] == "refresh_token":
            if form["refresh_token"] not in self.refresh:
                said = f"Token {form['refresh_token']} has been expired or revoked."
                return 400, {"error": "invalid_grant", "error_description": said}
            return 200, self._issued(self.scopes)
        asked, email, scopes = self.codes.pop(form["code"], ({}, "", ""))
        challenge = hashlib.sha256(form["code_verifier"].encode()).digest()
        fits = asked.get("code_challenge") == base64.urlsafe_b64encode(challenge).rstrip(b"=").decode()
        if not fits or asked["redirect_uri"] != form["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        refresh = f"refresh-canary-{len(self.refresh) + 1}"
        self.refresh.add(refresh)
        claims = base64.urlsafe_b64encode(
            json.dumps({"aud": CLIENT, "email": email, "email_verified": True}).encode()
        ).decode()
        return 200, {**self._issued(scopes), "refresh_token": refresh, "id_token": f"e30.{claims.rstrip('=')}.x"}

    def _issued(self, scopes: str) -> dict[str, Any]:
        self.issued += 1
        token = f"access-canary-{self.issued}"
        self.access.add(token)
        return {"access_token": token, "expires_in": 3599, "scope": scopes, "token_type": "Bearer"}
