"""Secrets in a backup: encrypted with a passphrase, and identifiable without it."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from django.conf import settings

from config.backup.errors import BackupError
from config.secrets import write_secret

NAMES = ("SECRET_KEY", "FIELD_ENCRYPTION_KEY", "LOOKUP_KEY")
PASSPHRASE = "BACKUP_PASSPHRASE"  # noqa: S105  the name of a variable
_MAGIC = b"LWSECRETS1"


def passphrase() -> str:
    """Return BACKUP_PASSPHRASE, or the first line of the file that BACKUP_PASSPHRASE_FILE names, or ""."""
    if text := os.environ.get(PASSPHRASE, ""):
        return text
    file = os.environ.get(f"{PASSPHRASE}_FILE")
    try:
        return Path(file).read_text().partition("\n")[0].strip() if file else ""
    except OSError as error:
        raise BackupError(f"{PASSPHRASE}_FILE {file} cannot be read: {error.strerror}") from error


def current_secrets() -> dict[str, str]:
    """Return the secrets that this process runs with."""
    return {name: getattr(settings, name) for name in NAMES}


def fingerprints(secrets: Mapping[str, str]) -> dict[str, list[str]]:
    """Return fingerprints that identify secrets without revealing them: name -> one for each of its comma-separated
    keys."""
    return {name: [_mark(key) for key in value.split(",")] for name, value in secrets.items()}


def _mark(key: str) -> str:
    return hmac.new(key.strip().encode(), b"leadwright backup", hashlib.sha256).hexdigest()[:16]


def missing_secrets(required: Mapping[str, list[str]], present: Mapping[str, str]) -> list[str]:
    """Return the names of secrets that lack a key of the backup. Data encrypted with that key could not be read."""
    have = fingerprints(present)
    return [name for name, marks in required.items() if not set(marks) <= set(have.get(name, []))]


def seal(secrets: Mapping[str, str], phrase: str) -> bytes:
    """Encrypt the secrets with a passphrase."""
    salt, nonce = os.urandom(16), os.urandom(12)
    return _MAGIC + salt + nonce + AESGCM(_key(phrase, salt)).encrypt(nonce, json.dumps(dict(secrets)).encode(), _MAGIC)


def unseal(sealed: bytes, phrase: str) -> dict[str, str]:
    """Decrypt the secrets. Raises BackupError for another passphrase."""
    start = len(_MAGIC)
    salt = sealed[start : start + 16]
    nonce = sealed[start + 16 : start + 28]
    rest = sealed[start + 28 :]
    try:
        secrets: dict[str, str] = json.loads(AESGCM(_key(phrase, salt)).decrypt(nonce, rest, _MAGIC))
    except (InvalidTag, ValueError):
        raise BackupError(f"{PASSPHRASE} is not the one that the backup's secrets were encrypted with") from None
    return secrets


def _key(phrase: str, salt: bytes) -> bytes:
    return Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(phrase.encode())


def restore_secrets(secrets: Mapping[str, str], required: Mapping[str, list[str]]) -> list[str]:
    """Write the secrets that the environment doesn't set below LEADWRIGHT_DATA. Returns their names.

    Raises BackupError when the environment sets another one than the backup needs. An existing secret is kept next to
    it as `<name>.before-<time>`.
    """
    set_here = {name: os.environ[name] for name in required if os.environ.get(name)}
    wrong = [name for name in missing_secrets(required, set_here) if name in set_here]
    if wrong:
        raise BackupError(f"the environment sets {', '.join(wrong)} to something else than the backup was made with")
    names = []
    for name, value in secrets.items():
        implied = name == "LOOKUP_KEY" and value == secrets.get("SECRET_KEY")
        if name in set_here or implied:
            continue
        if name == "LOOKUP_KEY":
            raise BackupError("the backup was made with a LOOKUP_KEY of its own: set LOOKUP_KEY before you restore it")
        if write_secret(name, value, settings.LEADWRIGHT_DATA):
            names.append(name)
    return names
