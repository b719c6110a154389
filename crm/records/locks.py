"""Locks between writers of values and changes of the fields themselves."""

from __future__ import annotations

from django.db import OperationalError, connection, transaction
from psycopg.errors import LockNotAvailable

from core.tenancy import company_id

LOCK = 0x6C77_0002
"""First key of the advisory lock of a company's fields. The second is the company's."""


def lock_of_company(key: int) -> None:
    """Take the active company's advisory lock with this key exclusively, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [key, company_id()])


def share_lock_of_company(key: int) -> None:
    """Share the active company's advisory lock with this key until the transaction ends; without one, do nothing."""
    if connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, hashtext(%s))", [key, company_id()])


def lock_fields_shared() -> None:
    """Lock the active company's fields against changes until the transaction ends; without one, do nothing.

    Any number of writers of values share the lock.
    """
    # An advisory lock, since what is locked is the set of fields: a row lock would not cover a field that is new.
    share_lock_of_company(LOCK)


def try_lock_fields(seconds: float) -> bool:
    """Lock the fields as lock_fields does, but give up after these seconds, in which new writers wait too.

    Returns whether the fields are locked.
    """
    try:
        # A savepoint: the error of the timeout would abort the caller's whole transaction.
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('lock_timeout')")
            before = cursor.fetchone()[0]
            # Writers that come after a waiting exclusive lock queue after it, so
            # the wait for it has to be short.
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{seconds * 1000:.0f}ms"])
            lock_fields()
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [before])
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            return False
        raise
    return True


def lock_fields() -> None:
    """Lock the active company's fields exclusively until the transaction ends; writers of values wait.

    Take this lock before any row, since its other holders may wait for the row.
    """
    lock_of_company(LOCK)
