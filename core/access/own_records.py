"""Refusal of actions on all records to actors who are limited to their own."""

from __future__ import annotations

from core.errors import NamedError
from core.tenancy import active_scope

BEYOND_OWN = "your role is limited to own records, and this concerns those of others"


def require_all_records() -> None:
    """Refuse what changes everybody's records where only a member's own exist (UnauthorizedAction_403)."""
    # The scope and not the actor: jobs have no request, and run in the scope of their maker.
    scope = active_scope()
    if scope is not None and scope.own is not None:
        raise NamedError("UnauthorizedAction_403", BEYOND_OWN)
