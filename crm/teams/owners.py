"""Owners of records: the active members who look after contacts and organizations."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.models import Member
from core.tenancy import own_records
from crm.records.kinds import NOT_GIVEN_AWAY
from crm.records.problems import ValueProblem, problems_error
from crm.records.results import UNSET
from crm.teams.services import ACTIVE

OWNER = "owner_id"
"""The column of a record's owner."""
Owner = str | None | type[UNSET]
"""The owner in a change: a member's id, None to remove the owner, or UNSET."""
OWNER_HELP = "id of the member who looks after it"


GIVEN_AWAY = ValueProblem("owner", "InvalidPayload_400", NOT_GIVEN_AWAY)
"""The problem of another owner, for a member whose role is limited to own records."""


def owner_problems(ids: Iterable[str | None]) -> dict[str, ValueProblem]:
    """Return the problems of owners who are no active members of the company, by the ids that name them."""
    member_ids = {id for id in ids if id}
    if not member_ids:
        return {}
    own = own_records("contact")
    statuses = dict(Member.objects.filter(pk__in=member_ids).values_list("pk", "status"))
    problems = {}
    for id in member_ids:
        if own and id != own:
            problems[id] = GIVEN_AWAY
        elif id not in statuses:
            problems[id] = ValueProblem("owner", "MemberNotFound_404", f"there is no member {id} in this company")
        elif statuses[id] not in ACTIVE:
            problems[id] = ValueProblem(
                "owner", "MemberNotAccepted_400", f"choose an active member; this one is {statuses[id]}"
            )
    return problems


def check_owner(id: Owner) -> str | None:
    """Return the id of an owner, None for nobody. Raises MemberNotFound_404 and MemberNotAccepted_400."""
    owner = id if isinstance(id, str) else None
    if problem := owner_problems([owner]).get(owner or ""):
        raise problems_error([problem])
    return owner
