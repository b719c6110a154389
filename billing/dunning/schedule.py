"""Retry times of refused charges: pure functions of the clock and of the gateway's response."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo

MORNING = time(9)
"""Local time at which charges are retried: accounts are fullest in the morning, and the customer reads the mail."""
HARD = frozenset(
    {
        *("expired_card", "stolen_card", "lost_card", "pickup_card", "restricted_card", "card_not_supported"),
        *("revocation_of_authorization", "revocation_of_all_authorizations", "invalid_account", "incorrect_number"),
        *("incorrect_cvc", "fraudulent", "transaction_not_allowed", "PAYER_CANNOT_PAY", "INVALID_SECURITY_CODE"),
        *("PAYMENT_SOURCE_CANNOT_BE_USED", "PAYER_ACCOUNT_LOCKED_OR_CLOSED", "CARD_CLOSED", "expired", "invalid_token"),
        *("action",),
    }
)
"""Gateway codes of permanent refusals. The method is not charged again until it is replaced."""


def is_hard(reason: str) -> bool:
    """Return whether a refusal is permanent."""
    return reason in HARD


def next_try(first: datetime, tries: int, days: Sequence[int], zone: tzinfo, now: datetime) -> datetime | None:
    """Return when the charge is tried again after so many tries, or None after the last one.

    `days` count from the day of the first one. A try that was slept over is made up for on the next morning.
    """
    if tries >= len(days):
        return None
    day = first.astimezone(zone).date() + timedelta(days=days[tries])
    planned = _morning(day, zone)
    if planned > now:
        return planned
    today = now.astimezone(zone).date()
    return next(at for at in (_morning(today, zone), _morning(today + timedelta(days=1), zone)) if at > now)


def _morning(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, MORNING, zone).astimezone(UTC)
