"""Secrets at rest: encryption with FIELD_ENCRYPTION_KEY, and a keyed hash to look them up."""

from __future__ import annotations

import base64
import hmac
import os
from collections.abc import Sequence
from functools import lru_cache

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

PREFIX = "aesgcm:"
"""The tokens of AES-GCM. Those without it are Fernet's, from before, and are only read."""
# 96 bits, which NIST SP 800-38D recommends for GCM. Drawn at random for each secret.
NONCE_BYTES = 12


class SecretUnreadable(ValueError):
    """A secret that was encrypted under another key, or for another place."""


@lru_cache(maxsize=4)
def _fernet(keys: str) -> MultiFernet:
    return MultiFernet([Fernet(key.strip()) for key in keys.split(",")])


@lru_cache(maxsize=4)
def _ciphers(keys: str) -> list[AESGCM]:
    ciphers = []
    for key in keys.split(","):
        # Another purpose gets another key from the same setting.
        derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"leadwright.secrets.2")
        ciphers.append(AESGCM(derive.derive(base64.urlsafe_b64decode(key.strip()))))
    return ciphers


def encrypt(text: str, place: Sequence[str]) -> str:
    """Encrypt the text with the first of the comma-separated keys. The token can be read for the same place only."""
    nonce = os.urandom(NONCE_BYTES)
    # As associated data: it is not stored, and a token that was moved fails to decrypt.
    sealed = _ciphers(settings.FIELD_ENCRYPTION_KEY)[0].encrypt(nonce, text.encode(), orjson.dumps(place))
    return PREFIX + base64.urlsafe_b64encode(nonce + sealed).decode()


def decrypt(token: str, place: Sequence[str]) -> str:
    """Decrypt a token of any of the keys. Raises SecretUnreadable if none fits, or if it belongs to another place."""
    if token.startswith(PREFIX):
        # Older keys read too, so that a key can be changed while the service runs.
        for cipher in _ciphers(settings.FIELD_ENCRYPTION_KEY):
            text = _open(cipher, token, place)
            if text is not None:
                return text
    else:
        try:
            # Written before secrets were bound to their places; reencrypt replaces them.
            return _fernet(settings.FIELD_ENCRYPTION_KEY).decrypt(token.encode()).decode()
        except InvalidToken:
            pass
    raise SecretUnreadable("the secret was encrypted under another FIELD_ENCRYPTION_KEY, or for another record")


def is_current(token: str, place: Sequence[str]) -> bool:
    """Return whether `encrypt` would write such a token today: in the present form, under the first key."""
    cipher = _ciphers(settings.FIELD_ENCRYPTION_KEY)[0]
    return token.startswith(PREFIX) and _open(cipher, token, place) is not None


def _open(cipher: AESGCM, token: str, place: Sequence[str]) -> str | None:
    try:
        raw = base64.urlsafe_b64decode(token.removeprefix(PREFIX))
        return cipher.decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], orjson.dumps(place)).decode()
    # One answer for a wrong key, a wrong place and a broken token: the three look the same.
    except (InvalidTag, ValueError):
        return None


def lookup_hash(text: str) -> str:
    """Return the HMAC-SHA256 (64 hex digits) of a secret, so that a copy of the table doesn't reveal known secrets."""
    keyed = _keyed(settings.LOOKUP_KEY).copy()
    keyed.update(text.encode())
    return keyed.hexdigest()


# A keyed hash is begun once: OpenSSL takes longer to find SHA-256 and to take the key in than to hash a key.
@lru_cache(maxsize=4)
def _keyed(key: str) -> hmac.HMAC:
    return hmac.new(b"leadwright.lookup:" + key.encode(), digestmod="sha256")
