"""Secrets at rest: encrypted with FIELD_ENCRYPTION_KEY, looked up by a keyed hash."""

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
    """The text as a Fernet token under the first of the comma-separated keys."""
    return _fernet(settings.FIELD_ENCRYPTION_KEY).encrypt(text.encode()).decode()


def decrypt(token: str) -> str:
    """The text of a token made under any of the keys; ValueError when none fits."""
    try:
        return _fernet(settings.FIELD_ENCRYPTION_KEY).decrypt(token.encode()).decode()
    except InvalidToken as error:
        raise ValueError("the secret was encrypted under another FIELD_ENCRYPTION_KEY") from error


def lookup_hash(text: str) -> str:
    """HMAC-SHA256 (64 hex) of a secret under SECRET_KEY, so that a copy of the table cannot be searched for known secrets."""
    return hmac.new(b"leadwright.lookup:" + settings.LOOKUP_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()
