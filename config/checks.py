"""System checks of a deployment."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import connections
from django.db.utils import Error as DatabaseError

from config.embedded import not_leakproof
from core.tenancy import as_owner


@register(Tags.database)
def searches_can_use_indexes(databases: Any = None, **_: Any) -> list[CheckMessage]:
    """Under row-level security the search functions must be LEAKPROOF, or searching a large company is slow (docs/operations.md)."""
    found: list[CheckMessage] = []
    for alias in databases or []:
        connection = connections[alias]
        try:
            with as_owner():
                connection.ensure_connection()
                leaky = not_leakproof(connection.connection)
        except DatabaseError as error:
            return [Warning(f"the database did not answer: {error}", id="config.W001")]
        if leaky:
            found.append(
                Warning(
                    f"{len(leaky)} functions are not LEAKPROOF; searches in companies of more than 100,000 contacts will take seconds",
                    hint="As a superuser: " + "; ".join(f"ALTER FUNCTION {signature} LEAKPROOF" for signature in leaky),
                    id="config.W002",
                )
            )
    return found
