"""Links in mails: signed for one purpose, and invalid as soon as the state that they were made for has changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from django.conf import settings
from django.core import signing

from core.crypto import lookup_hash
from core.errors import ApiError

Record = TypeVar("Record")


class InvalidLink(ApiError):
    """A link that is malformed, forged, too old or used."""

    name = "InvalidLink_400"
    message = "The link is no longer valid"


def make_token(purpose: str, record_id: str, state: str) -> str:
    """Make the token of a link to a record. It is valid until `state` changes."""
    # The state is hashed: it contains the password's hash, which must not travel in a mail.
    return signing.dumps([record_id, lookup_hash(f"{purpose}:{state}")[:32]], salt=f"leadwright.{purpose}")


def read_token(
    purpose: str, token: str, lifetime: timedelta, find: Callable[[str], tuple[Record, str] | None]
) -> Record:
    """Return the record that the token leads to; `find` returns it with its present state. Raises InvalidLink."""
    try:
        record_id, state = signing.loads(token, salt=f"leadwright.{purpose}", max_age=lifetime)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise InvalidLink("ask for a new one") from error
    match = find(str(record_id))
    if match is None or lookup_hash(f"{purpose}:{match[1]}")[:32] != state:
        raise InvalidLink("it was used already, or another one has been sent since")
    return match[0]


def page_address(page: str, token: str) -> str:
    """Return the address of the page that the link opens."""
    return f"{settings.BASE_URL}/{page}?token={token}"


__all__ = ["InvalidLink", "make_token", "page_address", "read_token"]
