"""Numbers of the messages to a contact outside of runs, which keep two of them apart (sendjob_once)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from django.db import connection
from django.db.models import Max

from core.tenancy import company_id
from outreach.messaging.delivery.models import SendJob


def next_occurrences(contact_ids: Iterable[str], channel: str = SendJob.Channel.CHATAPP) -> dict[str, int]:
    """Return contact -> the number of its next message outside of runs by the channel. The caller keeps a lock on
    each until the transaction ends."""
    ids = sorted(set(contact_ids))
    # Sorted by key, so that two callers take the locks in one order.
    keys = sorted(
        int.from_bytes(hashlib.sha256(f"chat:{company_id()}:{id}".encode()).digest()[:8], signed=True) for id in ids
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(key) FROM unnest(%s::bigint[]) AS key", [keys])
    # After the locks, in a statement of its own: its snapshot sees what the last holder has committed.
    rows = SendJob.objects.filter(contact_id__in=ids, run=None, channel=channel).order_by()
    last = dict(rows.values_list("contact_id").annotate(last=Max("occurrence")))
    return {id: (last.get(id) or 0) + 1 for id in ids}
