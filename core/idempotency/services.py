"""Claims and answers of requests with an Idempotency-Key."""

from __future__ import annotations

import hashlib
import zlib
from base64 import b85decode, b85encode
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.utils import timezone

from core.idempotency.models import IdempotencyKey
from core.ids import min_id_at
from core.tenancy import company_id

KEY_LIFE = timedelta(hours=24)
MAX_BYTES = 4 * 1024 * 1024
"""Maximum size of a response body. The response to 500 new contacts has about 1 MB."""
MAX_PURGED = 10_000
UNDER_WAY = object()
"""The request is under way, in another transaction or in several."""


@dataclass(frozen=True)
class Keyed:
    """A request with an Idempotency-Key."""

    caller: str
    key: str
    digest: str
    operation: str

    @property
    def lock(self) -> str:
        """Return the key of its advisory lock: a hash, because the idempotency key is the caller's text."""
        return hashlib.sha256(f"{company_id()} {self.caller} {self.key}".encode()).hexdigest()


@dataclass(frozen=True)
class StoredResponse:
    """The answer that a request got. `body` is None where it was too long to keep."""

    status: int
    body: bytes | None


class OtherRequest(Exception):
    """The key has been used for another request; `operation` is its method and path."""

    def __init__(self, operation: str) -> None:
        super().__init__(operation)
        self.operation = operation


class CutOff(Exception):
    """A request in several transactions has begun and not ended: it is under way, or its process has died."""

    def __init__(self, since: datetime) -> None:
        super().__init__(since)
        self.since = since


def claim(keyed: Keyed) -> StoredResponse | None | object:
    """Return the answer that the request got, UNDER_WAY while another has it, or None: it is the caller's now.

    The caller's transaction owns it until it ends, and nothing is written before `store_response`.
    When the process dies, the transaction is rolled back with all of its changes, and the next caller owns the request.
    Raises OtherRequest and CutOff.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("a request is taken in the transaction that does what it asks")
    with connection.cursor() as cursor:
        # Tried and not waited for: a waiting request would hold its connection to the database.
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 24))", [keyed.lock])
        if not cursor.fetchone()[0]:
            return UNDER_WAY
    # A statement of its own: its snapshot is younger than the lock, so it sees what the last holder has committed.
    row = IdempotencyKey.objects.filter(caller=keyed.caller, key=keyed.key).first()
    if row is None:
        return None
    # The purge may be late, and the promise is a day.
    if row.created_at < timezone.now() - KEY_LIFE:
        row.delete()
        return None
    # The same key for other content is a mistake of the caller, and must not get another request's answer.
    if row.request != keyed.digest:
        raise OtherRequest(row.operation)
    if row.status is None:
        raise CutOff(row.created_at)
    return StoredResponse(row.status, unpack(row.answer) if row.answer else None)


def store_response(keyed: Keyed, status: int | None, body: bytes | None = None) -> IdempotencyKey:
    """Keep the answer, or without a status the claim of a request in several transactions."""
    row: IdempotencyKey = IdempotencyKey.objects.create(
        caller=keyed.caller,
        key=keyed.key,
        request=keyed.digest,
        operation=keyed.operation,
        status=status,
        answer=pack(body),
    )
    return row


def complete(row: IdempotencyKey, status: int, body: bytes) -> None:
    """Keep the answer of a request in several transactions."""
    row.status = status
    row.answer = pack(body)
    row.save(update_fields=["status", "answer", "updated_at"])


def pack(body: bytes | None) -> str:
    """Compress a body; empty for one that is too long."""
    # The fastest level: it is paid by every request with a key, and read by few.
    return b85encode(zlib.compress(body, 1)).decode() if body is not None and len(body) <= MAX_BYTES else ""


def unpack(text: str) -> bytes:
    """Return the body."""
    return zlib.decompress(b85decode(text))


def purge() -> bool:
    """Delete at most MAX_PURGED answers that are older than a day. Returns whether there may be more.

    The primary key finds them: ids start with their creation time.
    """
    old = IdempotencyKey.objects.filter(pk__lt=min_id_at(timezone.now() - KEY_LIFE)).order_by("pk")
    ids = list(old.values_list("pk", flat=True)[:MAX_PURGED])
    IdempotencyKey.objects.filter(pk__in=ids).delete()
    return len(ids) == MAX_PURGED
