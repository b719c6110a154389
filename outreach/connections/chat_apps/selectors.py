"""Reads of chat apps and of who takes no messages there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from outreach.connections.chat_apps.models import ChatOptOut

PHONE = r"^\+[1-9][0-9]{6,14}$"
"""Matches a number that a chat can go to, as E.164."""
_PHONE = re.compile(PHONE[1:-1])


def is_phone(number: str | None) -> bool:
    """Return whether a number is one that a chat can go to, as E.164."""
    return number is not None and _PHONE.fullmatch(number) is not None


def opted_out_numbers(numbers: Iterable[str | None]) -> set[str]:
    """Return those of the numbers that take no messages but answers."""
    phones = {number for number in numbers if number}
    return set(ChatOptOut.objects.filter(phone__in=phones).values_list("phone", flat=True)) if phones else set()
