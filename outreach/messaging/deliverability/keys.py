"""Keys with which the service signs the messages that a company sends from a domain."""

from __future__ import annotations

import logging
import secrets

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from django.db import IntegrityError, transaction

from core.crypto import SecretUnreadable
from core.errors import NamedError
from outreach.connections.senders.models import Smtp
from outreach.connections.senders.services import get_sender
from outreach.connections.smtp.transport import SmtpError, encode_address
from outreach.messaging.deliverability.checks import OwnKey
from outreach.messaging.deliverability.dkim_records import public_record
from outreach.messaging.deliverability.models import DkimKey
from outreach.messaging.deliverability.results import Light, Result
from outreach.messaging.deliverability.signing import PrivateKey, Signer

log = logging.getLogger(__name__)

EXISTS = "DkimKeyAlreadyExists_400"
NOT_FOUND = "DkimKeyNotFound_404"
# RFC 8301, 3.2, asks signers for 2,048 bits at least; longer keys make records that some DNS panels refuse.
_BITS = 2048


def domain_of(smtp: Smtp) -> str:
    """Return the domain of the sender's From address, in ASCII; empty where it has none."""
    try:
        return encode_address(smtp.from_email).rpartition("@")[2].lower()
    except SmtpError:
        return ""


def make_key(*, id: str, member_id: str, algorithm: str = DkimKey.Algorithm.RSA) -> DkimKey:
    """Make a key for the domain of the sender. It signs when a check has found its record.

    Raises SmtpNotFound_404, and DkimKeyAlreadyExists_400 where the domain has one.
    """
    domain = domain_of(get_sender(id))
    if DkimKey.objects.filter(domain=domain).exists():
        raise NamedError(EXISTS, f"{domain} has a key; delete it before you make another")
    rsa_wanted = algorithm == DkimKey.Algorithm.RSA
    private: PrivateKey = rsa.generate_private_key(65537, _BITS) if rsa_wanted else Ed25519PrivateKey.generate()
    # The column encrypts it, bound to domain and selector.
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii")
    try:
        with transaction.atomic():
            return DkimKey.objects.create(
                domain=domain,
                selector=f"lw-{secrets.token_hex(3)}",  # another one each time: receivers remember old records
                algorithm=algorithm,
                private_key=pem,
                public_record=public_record(private.public_key()),
                created_by_id=member_id,
            )
    # The unique constraint decides between two requests; the check above only gives the better text.
    except IntegrityError:
        raise NamedError(EXISTS, f"somebody made a key for {domain} at the same moment") from None


def delete_key(*, id: str) -> None:
    """Delete the key of the sender's domain; messages go out unsigned from then on.

    Raises SmtpNotFound_404 and DkimKeyNotFound_404.
    """
    domain = domain_of(get_sender(id))
    deleted, _ = DkimKey.objects.filter(domain=domain).delete()
    if not deleted:
        raise NamedError(NOT_FOUND, f"{domain} has no key")


def signer_of(smtp: Smtp) -> Signer | None:
    """Return the signer of the sender's messages, or None without an active key for its domain."""
    key = DkimKey.objects.filter(domain=domain_of(smtp), status=DkimKey.Status.ACTIVE).first()
    if key is None:
        return None
    try:
        private = load_pem_private_key(key.private_key.encode("ascii"), password=None)
    # An unsigned message still arrives mostly; a sender that stops for a lost key would not.
    except SecretUnreadable:
        log.warning("the DKIM key %s cannot be decrypted; messages go out unsigned", key.pk)
        return None
    if not isinstance(private, rsa.RSAPrivateKey | Ed25519PrivateKey):
        raise TypeError("a key of this service is RSA or Ed25519")
    return Signer(key.domain, key.selector, private)


def own_key(key: DkimKey | None) -> OwnKey | None:
    """Return the data of a key for the checks."""
    return None if key is None else OwnKey(key.selector, key.public_record, key.status != DkimKey.Status.PENDING)


def status_after(key: DkimKey, result: Result) -> str:
    """Return the key's status after a check of its record."""
    # Name servers that are away must not switch signing off.
    if not result.asked:
        return key.status
    if result.light == Light.GREEN:
        return DkimKey.Status.ACTIVE
    # Lost stays apart from pending, since the owner has to hear of it.
    return DkimKey.Status.PENDING if key.status == DkimKey.Status.PENDING else DkimKey.Status.LOST
