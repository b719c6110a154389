"""The lock between writers of records that refer to teams and deletions of teams."""

from __future__ import annotations

from django.db import connection

from core.tenancy import company_id

LOCK = 0x6C77_0003
"""First key of the advisory lock of a company's teams. The second is the company's."""


def lock_teams_shared() -> None:
    """Keep the active company's teams from deletion until the transaction ends; without one, do nothing.

    Take this lock before any row, since a deletion of teams locks their leads. Any number of writers share it.
    """
    if connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, hashtext(%s))", [LOCK, company_id()])


def lock_teams() -> None:
    """Wait for the writers that refer to teams, and block new ones until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [LOCK, company_id()])
