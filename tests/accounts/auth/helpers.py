"""What the tests of the public endpoints share."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from accounts.models import LoginLog, Mail
from core.tenancy import unscoped
from tests.kit.cast import Answer, Caller

PASSWORD = "correct horse battery"
"""The password of tests.kit.factories.UserFactory."""
OTHER = "purple monkey dishwasher"
INVALID = "Invalid token. Please log in again"
DEAD = "The link is no longer valid"

public = Caller("/api/public", {})


def at(ip: str, path: str, body: dict[str, Any], **headers: str) -> Answer:
    """POST to a public endpoint from an address."""
    return public.call("POST", path, body, REMOTE_ADDR=ip, **headers)


def private(token: str) -> Caller:
    return Caller("/api/private", {"Authorization": f"Bearer {token}"})


def mails_to(address: str) -> list[Mail]:
    """What was queued for the address, oldest first."""
    with unscoped(reason="test: mails of anybody"):
        return list(Mail.objects.filter(to=address).order_by("created_at", "pk"))


def kinds_to(address: str) -> list[str]:
    return [mail.kind for mail in mails_to(address)]


def token_in(mail: Mail) -> str:
    """The token of the only link with one; the HTML has the same."""
    [address] = re.findall(r"https?://\S+\?token=\S+", mail.text)
    assert address in mail.html
    return parse_qs(urlsplit(address).query)["token"][0]


def logins(**filters: Any) -> list[LoginLog]:
    with unscoped(reason="test: logins of anybody"):
        return list(LoginLog.objects.filter(**filters).order_by("created_at", "pk"))


def registration(email: str = "ann@example.org", **values: Any) -> dict[str, Any]:
    return {"name": "Ann Lee", "email": email, "password": PASSWORD, "companyName": "Acme", **values}


def register(email: str = "ann@example.org", **values: Any) -> str:
    """Register; returns the token of the mail that came."""
    answer = public.post("/register", registration(email, **values))
    assert answer.status == 201, answer.body
    return token_in(mails_to(email)[-1])
