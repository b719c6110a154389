"""The suppression list: addresses to which nothing is sent, on any channel and for any reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.db import transaction

from core.errors import ApiError, NamedError, ValidationFailed, shorten
from core.types import JsonObject, Values
from crm.records.results import BulkResult, Failure
from outreach.messaging.suppression.addresses import is_address
from outreach.messaging.suppression.models import Suppression

MAX_CHARACTERS = 254
MAX_BATCH_ADDRESSES = 1000
"""Addresses that one request adds."""


def suppress(
    emails: Iterable[str | None],
    *,
    reason: str = Suppression.Reason.MANUAL,
    source: str = "",
    details: Values | None = None,
    member_id: str | None = None,
) -> set[str]:
    """Add those of the texts to the list that are addresses, in lower case. A listed one keeps its first reason.

    Returns the addresses that were not listed before.
    """
    # Sorted, so that two requests lock the unique index in the same order and never wait for each other.
    addresses = sorted({text for email in emails if (text := normal(email)) is not None})
    rows = [
        Suppression(
            email=email, reason=reason, source=source[:200], details=dict(details or {}), created_by_id=member_id
        )
        for email in addresses
    ]
    return set(_insert(rows))


def normal(email: str | None) -> str | None:
    """Return the address as the list has it; None for an invalid one."""
    text = (email or "").strip().lower()
    return text if is_address(text) and len(text) <= MAX_CHARACTERS else None


def _insert(rows: Sequence[Suppression]) -> dict[str, str]:
    """Insert the rows whose addresses are not listed, in the order of their addresses, so that two never wait for each
    other. Returns address -> id of these."""
    if not rows:
        return {}
    # A listed address keeps its reason: a bounce must not become a "manual" that somebody takes off the list.
    Suppression.objects.bulk_create(rows, ignore_conflicts=True, batch_size=1000)
    # Rows with our ids are those that were inserted; conflicts leave no trace in what bulk_create returns.
    new = Suppression.objects.filter(pk__in=[row.pk for row in rows])
    return dict(new.values_list("email", "pk"))


def suppress_address(*, email: str, **values: Any) -> Suppression:
    """Add the address to the list. Raises ValidationFailed for an invalid one."""
    text = _normal_address(email)
    suppress([text], **values)
    return Suppression.objects.get(email=text)


def _normal_address(email: str) -> str:
    text = normal(email)
    if text is None:
        raise ValidationFailed(
            "email is no email address", f"enter an email address, not {shorten(email)}", field="email"
        )
    return text


@transaction.atomic
def suppress_many(*, items: Sequence[Any], read: Callable[[Any], JsonObject], member_id: str) -> BulkResult:
    """Add up to 1,000 addresses, each with its reason and source. `read` checks the shape of an item.

    The result has new ones as created and listed ones as updated. Listed ones keep their reason and source. Raises
    InvalidPayload_400 for no item and for too many.
    """
    if not 0 < len(items) <= MAX_BATCH_ADDRESSES:
        raise NamedError(
            "InvalidPayload_400",
            f"has {len(items)} addresses; from 1 to {MAX_BATCH_ADDRESSES:,} go in one request",
            field="formData",
        )
    result, rows = BulkResult(), dict[str, Suppression]()
    for index, item in enumerate(items):
        try:
            values = read(item)
            email = _normal_address(values.pop("email"))
        except ApiError as error:
            name = error.name if isinstance(error, NamedError) else "ValidationError_400"
            result.failed.append(Failure(index, item, name, error.detail or error.message))
        else:
            rows.setdefault(email, Suppression(email=email, created_by_id=member_id, **values))
    new = _insert([rows[email] for email in sorted(rows)])
    listed = dict(Suppression.objects.filter(email__in=rows.keys() - new.keys()).values_list("email", "pk"))
    result.created = [new[email] for email in rows if email in new]
    result.updated = [listed[email] for email in rows if email in listed]
    return result


@transaction.atomic
def delete_suppressions(*, ids: Sequence[str]) -> int:
    """Remove addresses from the list. Raises NotFound_404 when no id is listed.

    An unsubscribed contact stays unsubscribed.
    """
    deleted, _ = Suppression.objects.filter(pk__in=ids).delete()
    if not deleted:
        raise NamedError("NotFound_404", "none of them is on this company's list", field="ids")
    return deleted
