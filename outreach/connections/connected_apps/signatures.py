"""The signature that vendors of chats and social platforms put on their webhooks."""

from __future__ import annotations

import hashlib
import hmac

from django.utils.crypto import constant_time_compare


def is_signed_with(secret: str, body: bytes, signature: str) -> bool:
    """Return whether the raw body is signed with the secret (X-Hub-Signature-256). Without a secret nothing is."""
    if not secret:
        return False
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return constant_time_compare(signature, expected)
