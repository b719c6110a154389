"""Addresses of webhooks: token and password derive from the app's salt and a key of the service, neither is stored."""

from __future__ import annotations

import base64

from django.utils.crypto import constant_time_compare

from core.crypto import lookup_hash

TOKEN_LENGTH = 26
USER = "leadwright"


def _derive_token(use: str, app_id: str, salt: str) -> str:
    raw = bytes.fromhex(lookup_hash(f"mail-hook-{use}:{app_id}:{salt}"))
    return base64.b32encode(raw).decode().lower()[:TOKEN_LENGTH]


def hook_token(app_id: str, salt: str) -> str:
    """Return the token in the address of an app's webhook."""
    return _derive_token("token", app_id, salt)


def hook_secret(app_id: str, salt: str) -> str:
    """Return the user and the password that the vendor sends, as basic authentication has them."""
    return f"{USER}:{_derive_token('secret', app_id, salt)}"


def is_token(token: str, app_id: str, salt: str) -> bool:
    """Return whether the token is the app's. The comparison takes constant time."""
    return constant_time_compare(token, hook_token(app_id, salt))
