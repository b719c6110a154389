"""Signatures that vendors of chats and social platforms put on their webhooks, and the answers to these."""

from __future__ import annotations

import hashlib
import hmac
from typing import Protocol

from django.http import HttpResponse
from django.utils.crypto import constant_time_compare

from core.crypto import SecretUnreadable


class SignedApp(Protocol):
    """An app whose vendor signs webhooks with its secret."""

    @property
    def app_secret(self) -> str: ...


def is_signed_with(secret: str, body: bytes, signature: str) -> bool:
    """Return whether the raw body is signed with the secret (X-Hub-Signature-256). Without a secret nothing is."""
    if not secret:
        return False
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return constant_time_compare(signature, expected)


def is_signed(app: SignedApp, body: bytes, signature: str) -> bool:
    """Return whether the vendor has signed the raw body with the app's secret. Without a secret nothing is."""
    try:
        secret = app.app_secret
    except SecretUnreadable:
        return False
    return is_signed_with(secret, body, signature)


def hook_answer(status: int, text: str = "") -> HttpResponse:
    """Return the answer to a webhook as plain text, which no cache keeps and no browser reads as a page."""
    answer = HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
    answer["Cache-Control"] = "no-store"
    answer["X-Content-Type-Options"] = "nosniff"
    return answer
