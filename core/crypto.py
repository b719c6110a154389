"""Secrets at rest: encryption with FIELD_ENCRYPTION_KEY, and a keyed hash to look them up."""

from __future__ import annotations

import hashlib
import hmac
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


@lru_cache(maxsize=4)
def _fernet(keys: str) -> MultiFernet:
    return MultiFernet([Fernet(key.strip()) for key in keys.split(",")])


def encrypt(text: str) -> str:
    """Encrypt the text to a Fernet token with the first of the comma-separated keys."""
    return _fernet(settings.FIELD_ENCRYPTION_KEY).encrypt(text.encode()).decode()


def decrypt(token: str) -> str:
    """Decrypt a token of any of the keys. Raises ValueError if none fits."""
    try:
        return _fernet(settings.FIELD_ENCRYPTION_KEY).decrypt(token.encode()).decode()
    except InvalidToken as error:
        raise ValueError("the secret was encrypted under another FIELD_ENCRYPTION_KEY") from error


def lookup_hash(text: str) -> str:
    """Return the HMAC-SHA256 (64 hex digits) of a secret, so that a copy of the table doesn't reveal known secrets."""
    return hmac.new(b"leadwright.lookup:" + settings.LOOKUP_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()
