"""The kinds of records of accounts that the global search finds; a further one is a line here."""

from __future__ import annotations

from accounts.members.filters import MEMBERSHIP_FIELDS
from accounts.members.selectors import seats
from core.global_search import Kind, register_kind


def register_kinds() -> None:
    """Register the kinds; called when the app is ready."""
    member = [MEMBERSHIP_FIELDS.fields[name] for name in ("name", "email")]
    register_kind(Kind("member", "member", lambda actor: seats(), member, "name", "email", 70))
