"""Contents outside of the database are removed by workers, but not during a backup (config.backup).

A backup holds the lock exclusively, from before its snapshot until it has copied the files. Removals share it, from the
first removal until the rows are updated.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

NAMESPACE = 0x4C58
"""The first key of the two-key advisory lock; the workers' is core.jobs.liveness.NAMESPACE."""
TAKE_ALONE = f"SELECT pg_advisory_lock({NAMESPACE}, 0)"


@contextmanager
def removals() -> Iterator[bool]:
    """Yield whether contents may be removed inside of the block."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock_shared(%s, 0)", [NAMESPACE])
        may = bool(cursor.fetchone()[0])
    try:
        yield may
    finally:
        if may:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock_shared(%s, 0)", [NAMESPACE])
