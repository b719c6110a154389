"""Signed tokens of unsubscribe links. They identify the recipient, work without login and never expire."""

from dataclasses import dataclass
from typing import Final

from django.core import signing

_SALT: Final = "outreach.unsubscribe"
_ID_LENGTH: Final = 24


class InvalidToken(ValueError):
    """A token with an invalid signature."""


@dataclass(frozen=True, slots=True)
class Unsubscriber:
    """The recipient of a link: the company that wrote, the contact, and the message with the link."""

    company_id: str
    contact_id: str
    message_id: str


def make_token(who: Unsubscriber) -> str:
    """Make the token, for the path of a URL."""
    ids = (who.company_id, who.contact_id, who.message_id)
    if not all(len(value) == _ID_LENGTH and value.isalnum() for value in ids):
        raise ValueError("an unsubscribe token takes three ids of 24 characters")
    # The lengths are fixed, so the ids need no separator.
    return signing.Signer(salt=_SALT).sign("".join(ids))


def read_token(token: str) -> Unsubscriber:
    """Return the recipient in a token.

    Raises InvalidToken. SECRET_KEY_FALLBACKS keeps old links valid when the key changes.
    """
    try:
        joined = signing.Signer(salt=_SALT).unsign(token)
    except signing.BadSignature:
        raise InvalidToken("The link is incomplete. Use the full link from the message.") from None
    return Unsubscriber(joined[:24], joined[24:48], joined[48:])


def link(base_url: str, who: Unsubscriber) -> str:
    """Return a mail's unsubscribe URL: it asks a person to confirm, and acts at once for a mail client (RFC 8058)."""
    return f"{base_url.rstrip('/')}/api/public/unsubscribe/{make_token(who)}"


def sample_link(base_url: str) -> str:
    """Return a URL that looks like a mail's unsubscribe URL and is nobody's, for previews."""
    return f"{base_url.rstrip('/')}/api/public/unsubscribe/sample"
