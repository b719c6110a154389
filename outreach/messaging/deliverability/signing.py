"""DKIM signatures (RFC 6376) of whole messages, relaxed in headers and body.

dkimpy canonicalises and folds. OpenSSL signs the digest: dkimpy's own RSA is plain Python, 20 times slower, and takes a
time that depends on the key.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass

import dkim
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.hashes import SHA256
from dkim.canonicalization import CanonicalizationPolicy

PrivateKey = RSAPrivateKey | Ed25519PrivateKey

# RFC 6376, 5.4.1, with the list's headers, since RFC 8058 demands a signature over both of List-Unsubscribe.
_SIGNED = (
    b"from",
    b"to",
    b"subject",
    b"date",
    b"message-id",
    b"reply-to",
    b"in-reply-to",
    b"references",
    b"list-id",
    b"list-unsubscribe",
    b"list-unsubscribe-post",
    b"precedence",
    b"mime-version",
    b"content-type",
    b"content-transfer-encoding",
)
_RELAXED = CanonicalizationPolicy.from_c_value(b"relaxed/relaxed")
_KEY_SIGNS = b"ed25519-sha256"
"""dkimpy's algorithm in which the key object itself signs the digest, as `_DigestSigner` does for RSA too."""


@dataclass(frozen=True)
class _Signature:
    signature: bytes


@dataclass(frozen=True)
class _DigestSigner:
    """A key as dkimpy calls it."""

    key: PrivateKey

    def sign(self, digest: bytes) -> _Signature:
        """Return the signature of a SHA-256 digest."""
        if isinstance(self.key, RSAPrivateKey):
            return _Signature(self.key.sign(digest, PKCS1v15(), Prehashed(SHA256())))
        return _Signature(self.key.sign(digest))


class _Dkim(dkim.DKIM):  # type: ignore[misc]
    """dkimpy's signer without the tags that it adds: the time of the signature, the identity and the query method."""

    def header(self, fields: list[tuple[bytes, bytes]], names: tuple[bytes, ...], key: PrivateKey) -> bytes:
        """Return the DKIM-Signature header with these tags."""
        self.hasher = hashlib.sha256
        value: bytes = self.gen_header(fields, names, _RELAXED, b"DKIM-Signature", _DigestSigner(key))
        return b"DKIM-Signature: " + value


@dataclass(frozen=True)
class Signer:
    """A domain's key at a selector."""

    domain: str
    selector: str
    key: PrivateKey

    def sign(self, message: bytes) -> bytes:
        """Return the message with its signature in front. The same message gives the same bytes.

        So the signature has no time of its own. From is named twice, so that nobody can add a second one.
        """
        head, _blank, body = message.partition(b"\r\n\r\n")
        signature = _Dkim(head, signature_algorithm=_KEY_SIGNS)
        present = {name.lower() for name, _value in signature.headers}
        names = (*(name for name in _SIGNED if name in present), b"from")
        body_hash = hashlib.sha256(_RELAXED.canonicalize_body(body)).digest()
        fields = [
            (b"v", b"1"),
            (b"a", b"rsa-sha256" if isinstance(self.key, RSAPrivateKey) else b"ed25519-sha256"),
            (b"c", b"relaxed/relaxed"),
            (b"d", self.domain.encode()),
            (b"s", self.selector.encode()),
            (b"h", b" : ".join(names)),
            (b"bh", base64.b64encode(body_hash)),
            (b"b", b"0" * 60),  # as long as dkimpy's own, so that it folds there and the line before stays as it is
        ]
        return signature.header(fields, names, self.key) + message
