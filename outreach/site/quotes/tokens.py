"""Signed tokens of the public pages of quotes. Nothing is stored: who reads the database opens no quote."""

from __future__ import annotations

from django.conf import settings
from django.core import signing

from core.ids import is_id

_SALT = "outreach.quotes"
_ID_LENGTH = 24


def token_of(company_id: str, quote_id: str) -> str:
    """Return the token of a version of a quote."""
    # The lengths are fixed, so the ids need no separator.
    return signing.Signer(salt=_SALT).sign(f"{company_id}{quote_id}")


def read_token(token: str) -> tuple[str, str] | None:
    """Return the ids of company and quote in a token; None for a forged one."""
    try:
        # Cut first: signing a text of megabytes would cost time for anybody who asks.
        ids = signing.Signer(salt=_SALT).unsign(token[:200])
    except signing.BadSignature:
        return None
    company_id = ids[:_ID_LENGTH]
    quote_id = ids[_ID_LENGTH:]
    return (company_id, quote_id) if is_id(company_id) and is_id(quote_id) else None


def address_of(company_id: str, quote_id: str) -> str:
    """Return the address of a quote's public page."""
    return f"{settings.BASE_URL.rstrip('/')}/q/{token_of(company_id, quote_id)}"
