"""Signatures, verified by dkimpy and by a small verifier of RFC 6376 that shares no code with it."""

from __future__ import annotations

import random
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Any

import dkim
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from outreach.connections.smtp.message import OutgoingMail, build
from outreach.messaging.deliverability.dkim_records import public_record
from outreach.messaging.deliverability.signing import Signer
from tests.outreach.connections.smtp.test_message import MAIL, changed

RSA = rsa.generate_private_key(65537, 2048)


def verified(message: bytes) -> bool:
    record = public_record(RSA.public_key()).encode()
    asked: list[bytes] = []

    def answer(name: bytes, timeout: int = 5) -> bytes:
        asked.append(name)
        return record

    result = bool(dkim.verify(message, dnsfunc=answer))
    assert set(asked) == {b"lw-1._domainkey.example.com."}
    return result


def relaxed(name: bytes, value: bytes) -> bytes:
    return name.lower() + b":" + re.sub(rb"[ \t]+", b" ", value.replace(b"\r\n", b"")).strip()


def check_by_rfc(message: bytes, key: Any) -> None:
    """Verify the first header as the signature of the rest, relaxed in headers and body. Raises InvalidSignature."""
    head, _, body = message.partition(b"\r\n\r\n")
    headers = re.findall(rb"(?ms)^([!-9;-~]+):(.*?)(?=\r\n[^ \t]|\Z)", head)
    name, value = headers.pop(0)
    assert name == b"DKIM-Signature"
    tags = dict(tag.strip().split(b"=", 1) for tag in value.split(b";"))
    lines = [re.sub(rb"[ \t]+", b" ", line).rstrip() for line in body.split(b"\r\n")]
    content = b"\r\n".join(lines).rstrip(b"\r\n")
    assert b64decode(tags[b"bh"]) == sha256(content + b"\r\n" if content else b"").digest()
    signed = b""
    for wanted in tags[b"h"].split(b":"):
        at = [n for n, header in enumerate(headers) if header[0].lower() == wanted.strip()]
        signed += relaxed(*headers.pop(at[-1])) + b"\r\n" if at else b""
    signed += relaxed(name, re.sub(rb"(?s)\bb=.*", b"b=", value))
    signature = b64decode(b"".join(tags[b"b"].split()))
    if isinstance(key, rsa.RSAPrivateKey):
        key.public_key().verify(signature, signed, PKCS1v15(), SHA256())
    else:
        key.public_key().verify(signature, sha256(signed).digest())


def mails() -> list[OutgoingMail]:
    chance = random.Random(7)
    words = ["Hello", "naïve", "  ", "\n", "\n\n", "😀", "a" * 120, "= .", "\t", ".", "From the top", "ß  "]
    return [
        changed(
            subject="S " + " ".join(chance.choices(words, k=chance.randint(1, 9))),
            text="x" + " ".join(chance.choices(words, k=chance.randint(0, 60))),
            to_name=chance.choice(["", "Ann", "Ünn, O'Neil", "=?x?="]),
            references=tuple(f"<{n}@example.com>" for n in range(chance.randint(0, 5))),
            reply_to=chance.choice([None, "re@example.com"]),
            unsubscribe_url=chance.choice([None, MAIL.unsubscribe_url]),
            bulk=chance.random() < 0.5,
        )
        for _ in range(50)
    ]


def test_signatures_of_random_messages_are_valid() -> None:
    signer = Signer("example.com", "lw-1", RSA)
    for mail in mails():
        data = build(mail)
        signed = signer.sign(data)
        assert signed == signer.sign(data)
        assert signed.endswith(data)
        assert max(len(line) for line in signed[: -len(data)].split(b"\r\n")) <= 100
        assert verified(signed)
        check_by_rfc(signed, RSA)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"Subject: ", b"Subject: Re "),
        (b"List-Unsubscribe: <", b"List-Unsubscribe: <https://evil.example/>, <"),
        (b"List-Unsubscribe-Post: ", b"X: "),
        (b"\r\nTo: ", b"\r\nFrom: evil@example.com\r\nTo: "),
        (b"Hi Ann", b"Hi Eve"),
    ],
)
def test_a_changed_message_is_not_valid(old: bytes, new: bytes) -> None:
    signed = Signer("example.com", "lw-1", RSA).sign(build(MAIL))
    head, body = signed[: signed.index(b"\r\nFrom: ")], signed[signed.index(b"\r\nFrom: ") :]
    assert old in body
    assert not verified(head + body.replace(old, new, 1))


def test_odd_bodies_are_hashed_as_verifiers_do() -> None:
    signer = Signer("example.com", "lw-1", RSA)
    for body in (b"", b"\r\n", b" \r\n\t\r\n", b"a", b"a  b\t\r\n \r\n\r\n", b" a \r\n", b"a\r\n\r\nb"):
        assert verified(signer.sign(b"From: <a@example.com>\r\nSubject: a\r\n\t b  c \r\n\r\n" + body)), body


def test_ed25519_signs_what_rsa_signs() -> None:
    key = Ed25519PrivateKey.generate()
    record = public_record(key.public_key())
    assert (
        record
        == f"v=DKIM1; k=ed25519; p={b64encode(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()}"
    )
    data = build(MAIL)
    signed, other = (Signer("example.com", "lw-1", one).sign(data) for one in (key, RSA))
    assert signed == Signer("example.com", "lw-1", key).sign(data)
    check_by_rfc(signed, key)
    check_by_rfc(other, RSA)
    with pytest.raises(InvalidSignature):
        check_by_rfc(signed.replace(b"\r\nSubject: ", b"\r\nSubject: Re "), key)
    body_hashes = [one.partition(b"bh=")[2].partition(b";")[0] for one in (signed, other)]
    assert body_hashes[0] == body_hashes[1]
    assert b"a=ed25519-sha256;" in signed
