"""API keys (contract 4.2) are created, listed, read and deleted; they never change."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.api_keys.models import ApiKey
from core.access import reserve_quota
from core.crypto import lookup_hash
from core.errors import NamedError, ValidationFailed
from core.tenancy import company_id, unscoped

USE_RECORDED_EVERY = timedelta(minutes=1)
MIN_KEY_LENGTH, MAX_KEY_LENGTH = 8, 256
"""Lengths of keys that authentication takes, and of those that are imported."""


@transaction.atomic
def create_key(
    *,
    member_id: str,
    type: str = ApiKey.Type.PERMANENT,
    duration_minutes: float | None = None,
    ip_restriction: str = ApiKey.IpRestriction.OPEN,
    allowed_ips: Sequence[str] = (),
    made_from: str | None = None,
) -> ApiKey:
    """Create a key of 64 hex characters for the member.

    A restricted key works from `allowed_ips` (addresses and networks), by default from the address `made_from`.
    Raises DurationRequired_400 for a temporary key without a duration, ValidationFailed for addresses that are missing
    or have no use, and PlanLimitExceeded_403.
    """
    if type == ApiKey.Type.TEMPORARY and duration_minutes is None:
        detail = "a number of at least 1 is required when type is temporary"
        raise NamedError("DurationRequired_400", detail, field="durationMinutes")
    restricted = ip_restriction == ApiKey.IpRestriction.RESTRICTED
    if allowed_ips and not restricted:
        raise ValidationFailed("choose “restricted” first, or leave it empty", field="allowedIps")
    addresses = list(allowed_ips) or ([made_from] if made_from else [])
    if restricted and not addresses:
        raise ValidationFailed("enter at least one IP address", field="allowedIps")
    reserve_quota("api")
    return add_key(
        secrets.token_hex(32),
        member_id=member_id,
        type=type,
        duration_minutes=duration_minutes,
        ip_restriction=ip_restriction,
        allowed_ips=addresses if restricted else None,
    )


def add_key(key: str, *, member_id: str, **values: object) -> ApiKey:
    """Store a key of any shape."""
    added: ApiKey = ApiKey.objects.create(
        # An encrypted value differs each time and cannot be searched for, so that a keyed hash finds the key.
        key=key,
        key_hash=lookup_hash(key),
        masked_key="*" * 11 + key[-4:],
        created_by_id=member_id,
        **values,
    )
    return added


@dataclass(frozen=True)
class ImportedKeys:
    """The outcome of an import: numbers of keys, and the line and the reason of each that was refused."""

    added: int
    known: int
    refused: list[tuple[int, str]]


@transaction.atomic
def import_keys(keys: Iterable[str], *, member_id: str) -> ImportedKeys:
    """Store keys of an earlier service, of any shape, for a member of the active company. Repeating it adds none twice.

    Empty lines are skipped.
    """
    texts = {number: key.strip() for number, key in enumerate(keys, start=1)}
    hashes = {number: lookup_hash(key) for number, key in texts.items() if key}
    with unscoped(reason="import of keys: a key opens one company of all"):
        # All companies: a key opens exactly one, and its hash is unique in the whole table.
        owners = dict(ApiKey.objects.filter(key_hash__in={*hashes.values()}).values_list("key_hash", "company_id"))
    added = 0
    present = 0
    refused = []
    for number, hashed in hashes.items():
        problem = _problem_of(texts[number])
        if owners.get(hashed, company_id()) != company_id():
            problem = "is a key of another company"
        if problem:
            refused.append((number, problem))
        elif hashed in owners:
            present += 1
        else:
            add_key(texts[number], member_id=member_id)
            owners[hashed] = company_id()
            added += 1
    return ImportedKeys(added, present, refused)


def _problem_of(key: str) -> str:
    """Return why a text cannot be a key; empty where it can."""
    if not MIN_KEY_LENGTH <= len(key) <= MAX_KEY_LENGTH:
        return f"has {len(key)} characters; a key has {MIN_KEY_LENGTH} to {MAX_KEY_LENGTH}"
    return "" if key.isascii() and key.isprintable() and " " not in key else "has characters that no header can carry"


@transaction.atomic
def delete_keys(*, ids: Sequence[str]) -> int:
    """Delete the keys and return their number.

    Raises ApiNotFound_400 when no id is a key of the company.
    """
    deleted: int = ApiKey.objects.filter(pk__in=ids).delete()[0]
    if not deleted:
        raise NamedError("ApiNotFound_400", "none of them is a key of this company", field="ids")
    return deleted


def record_use(*, key_id: str, last_used_at: datetime | None) -> bool:
    """Record that the key is used now, at most once a minute. Returns whether it was recorded.

    `last_used_at` is the value that was read with the key. Of several requests at once one writes, and none waits for
    another.
    """
    now = timezone.now()
    if last_used_at is not None and last_used_at > now - USE_RECORDED_EVERY:
        return False
    with transaction.atomic():
        due = ApiKey.objects.filter(Q(last_used_at=None) | Q(last_used_at__lte=now - USE_RECORDED_EVERY), pk=key_id)
        # A busy key is used by many requests at once, which would all wait for the same row.
        free = due.select_for_update(skip_locked=True, no_key=True).values("pk")
        return bool(ApiKey.objects.filter(pk__in=free).update(last_used_at=now))
