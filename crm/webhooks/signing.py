"""Signatures of outgoing webhooks, as Standard Webhooks has them (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable

PREFIX = "whsec_"


def new_secret() -> str:
    """Make a secret of 32 random bytes."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def signature(secret: str, id: str, seconds: int, body: bytes) -> str:
    """Return the signature of a message by one secret, whose letters are the key where they do not begin with PREFIX.

    Raises ValueError where no base64 follows it.
    """
    key = base64.b64decode(secret.removeprefix(PREFIX), validate=True) if secret.startswith(PREFIX) else secret.encode()
    # Id and time are signed with the body, so that a message that was recorded cannot be sent again later.
    signed = hmac.new(key, f"{id}.{seconds}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(signed).decode()


def sign_headers(signing_keys: Iterable[str], *, id: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers of a message that is signed by each of the secrets."""
    return {
        "webhook-id": id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(signature(secret, id, seconds, body) for secret in signing_keys),
    }
