"""The signed token in an unsubscribe link: it names who asks, works without login, and never expires."""

from dataclasses import dataclass
from typing import Final

from django.core import signing

_SALT: Final = "outreach.unsubscribe"
_ID_LENGTH: Final = 24


class InvalidToken(ValueError):
    """A token that was not made here, or was changed."""


@dataclass(frozen=True, slots=True)
class Unsubscriber:
    """Whose link it is: the company that wrote, the contact, and the message that held the link."""

    company_id: str
    contact_id: str
    message_id: str


def make_token(who: Unsubscriber) -> str:
    """A token fit for a URL's path."""
    ids = (who.company_id, who.contact_id, who.message_id)
    if not all(len(value) == _ID_LENGTH and value.isalnum() for value in ids):
        raise ValueError("an unsubscribe token takes three ids of 24 characters")
    return signing.Signer(salt=_SALT).sign("".join(ids))


def read_token(token: str) -> Unsubscriber:
    """Whom a token names; raises InvalidToken. SECRET_KEY_FALLBACKS keeps old links alive when the key changes."""
    try:
        joined = signing.Signer(salt=_SALT).unsign(token)
    except signing.BadSignature:
        raise InvalidToken("This link is not complete. Please use the whole link from the message.") from None
    return Unsubscriber(joined[:24], joined[24:48], joined[48:])


def link(base_url: str, who: Unsubscriber) -> str:
    """The address that a mail carries: opened by a person it asks, posted to by a mail client (RFC 8058) it acts at once."""
    return f"{base_url.rstrip('/')}/api/public/unsubscribe/{make_token(who)}"
