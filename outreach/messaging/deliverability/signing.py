"""DKIM signatures (RFC 6376) of whole messages, relaxed in headers and body."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256

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
_BLANKS = re.compile(rb"[ \t]+")
_HEADER = re.compile(rb"(?ms)^([!-9;-~]+):(.*?)(?=\r\n[^ \t]|\Z)")


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
        headers = {match[1].lower(): match[2] for match in _HEADER.finditer(head)}
        names = [name for name in _SIGNED if name in headers]
        rsa = isinstance(self.key, RSAPrivateKey)
        value = b"\r\n ".join(
            (
                b" v=1; a=%s-sha256; c=relaxed/relaxed; d=%s; s=%s;"
                % (b"rsa" if rsa else b"ed25519", self.domain.encode(), self.selector.encode()),
                # RFC 6376, 8.15: signing one From more than there are makes an added one break the signature.
                b"h=%s;" % b":\r\n ".join((*names, b"from")),
                b"bh=%s;" % base64.b64encode(_body_hash(body)),
                b"b=",
            )
        )
        signed = b"".join(_relaxed(name, headers[name]) + b"\r\n" for name in names)
        # RFC 6376, 3.7: the header itself is signed last, with an empty b= and without its line end.
        signed += _relaxed(b"dkim-signature", value)
        if isinstance(self.key, RSAPrivateKey):
            signature = self.key.sign(signed, PKCS1v15(), SHA256())
        else:
            # RFC 8463, 3: Ed25519 signs the hash, not the text.
            signature = self.key.sign(hashlib.sha256(signed).digest())
        text = base64.b64encode(signature)
        # The fold is not signed: b= counts without blanks.
        folded = b"\r\n ".join(text[at : at + 72] for at in range(0, len(text), 72))
        return b"DKIM-Signature:" + value + folded + b"\r\n" + message


def _relaxed(name: bytes, value: bytes) -> bytes:
    # RFC 6376, 3.4.2: unfold, reduce blanks to one, trim.
    return name + b":" + _BLANKS.sub(b" ", value.replace(b"\r\n", b"")).strip()


def _body_hash(body: bytes) -> bytes:
    lines = re.sub(rb" \r\n", b"\r\n", _BLANKS.sub(b" ", body + b"\r\n"))
    # RFC 6376, 3.4.4: empty lines at the end do not count, and an empty body stays empty.
    kept = lines.rstrip(b"\r\n")
    return hashlib.sha256(kept + b"\r\n" if kept else b"").digest()
