"""The lock between writers of records that refer to teams and deletions of teams."""

from __future__ import annotations

from crm.records.locks import lock_of_company, share_lock_of_company

LOCK = 0x6C77_0003
"""First key of the advisory lock of a company's teams. The second is the company's."""


def lock_teams_shared() -> None:
    """Keep the active company's teams from deletion until the transaction ends; without one, do nothing.

    Take this lock before any row, since a deletion of teams locks their leads. Any number of writers share it.
    """
    share_lock_of_company(LOCK)


def lock_teams() -> None:
    """Wait for the writers that refer to teams, and block new ones until the transaction ends."""
    lock_of_company(LOCK)
