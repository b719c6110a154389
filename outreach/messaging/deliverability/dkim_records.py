"""The public keys of DKIM (RFC 6376, 8463) in the domain name system."""

from __future__ import annotations

import base64
import binascii

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key

# RFC 8301, 3.2: verifiers must not take shorter keys.
LEAST_BITS = 1024
SHORT_BITS = 2048
PublicKey = RSAPublicKey | Ed25519PublicKey


class DkimInvalid(Exception):
    """A record that holds no usable key; people read the text."""


def tags_of(record: str) -> dict[str, str]:
    """Return the tags of a record such as `v=DKIM1; k=rsa; p=…`; the first of each name."""
    tags: dict[str, str] = {}
    for part in record.split(";"):
        name, equals, value = part.partition("=")
        if equals:
            tags.setdefault(name.strip().lower(), value.strip())
    return tags


def public_record(key: PublicKey) -> str:
    """Return the record that publishes a key."""
    if isinstance(key, Ed25519PublicKey):
        return f"v=DKIM1; k=ed25519; p={_base64(key.public_bytes(Encoding.Raw, PublicFormat.Raw))}"
    return f"v=DKIM1; k=rsa; p={_base64(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))}"


def key_of(record: str) -> PublicKey:
    """Return the key that a record publishes. Raises DkimInvalid."""
    tags = tags_of(record)
    # RFC 6376, 3.6.1: the version may be left out.
    if tags.get("v", "DKIM1") != "DKIM1" or "p" not in tags:
        raise DkimInvalid("it is no record of a DKIM key")
    text = "".join(tags["p"].split())
    # RFC 6376, 3.6.1: an empty p means that the key was revoked.
    if not text:
        raise DkimInvalid("the key was withdrawn")
    try:
        raw = base64.b64decode(text, validate=True)
        kind = tags.get("k", "rsa").lower()
        key = Ed25519PublicKey.from_public_bytes(raw) if kind == "ed25519" else load_der_public_key(raw)
    except (binascii.Error, ValueError, UnsupportedAlgorithm):
        raise DkimInvalid("its key cannot be read; compare it with the one that you were given") from None
    if not isinstance(key, RSAPublicKey | Ed25519PublicKey):
        raise DkimInvalid("its key is of a kind that DKIM does not know")
    if isinstance(key, RSAPublicKey) and key.key_size < LEAST_BITS:
        raise DkimInvalid(f"its key has {key.key_size} bits, and receivers ignore fewer than {LEAST_BITS}")
    return key


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
