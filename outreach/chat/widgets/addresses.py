"""The email address or phone number that a visitor writes in a message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from accounts.models import Member
from core.text.addresses import BadAddress, read_email, read_phone
from outreach.chat.widgets.models import WidgetVisitor
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.senders.models import Smtp

_EMAIL = re.compile(r"(?<![\w/.+%'@-])[\w.+%'-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(r"(?<![\w+])\+\d[\d ()./-]{6,20}\d(?!\w)")
"""International numbers alone: others may be the number of an order."""


def email_in(text: str) -> str:
    """Return the only email address in a text; "" if there is none, or several."""
    return _single_address(_EMAIL.findall(text), read_email)


def phone_in(text: str) -> str:
    """Return the only international number in a text, as E.164; "" if there is none, or several."""
    return _single_address(_PHONE.findall(text), lambda match: read_phone(None, match).e164)


def learn(visitor: WidgetVisitor, text: str) -> None:
    """Store the address or number that a visitor without one has written. The company's own addresses do not count."""
    email = email_in(text)
    visitor.email = "" if email and _is_own(email) else email
    visitor.phone = phone_in(text)[:20]
    if visitor.email or visitor.phone:
        visitor.save(update_fields=("email", "phone", "updated_at"))


def _is_own(email: str) -> bool:
    """Return whether the address is a member's or a sender's: visitors name whom they have written to."""
    senders = any(model.objects.filter(from_email__iexact=email).exists() for model in (Smtp, MailApp))
    return senders or Member.objects.filter(email__iexact=email).exists()


def _single_address(matches: Iterable[str], read: Callable[[str], str]) -> str:
    """Return the only one of the matches that can be read, whatever the case of its letters."""
    addresses = {}
    for match in matches:
        try:
            address = read(match)
        except BadAddress:
            continue
        addresses[address.casefold()] = address
    return next(iter(addresses.values())) if len(addresses) == 1 else ""
