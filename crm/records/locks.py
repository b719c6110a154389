"""Who writes values by the fields of a company, and who changes what these fields are, wait for each other."""

from __future__ import annotations

from django.db import connection

from core.tenancy import company_id

LOCK = 0x6C77_0002
"""First key of the advisory lock of a company's fields; the second is the company's."""


def lock_fields_shared() -> None:
    """Keep the active company's fields what they are until the transaction ends; outside of one there is nothing to keep them for.

    Any number of writers hold them at once.
    """
    if connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, hashtext(%s))", [LOCK, company_id()])


def lock_fields() -> None:
    """Have the active company's fields to oneself until the transaction ends: nobody writes by what they were any more.

    Take this before any row, since those who hold the fields may be waiting for it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [LOCK, company_id()])
