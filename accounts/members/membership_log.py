"""The invite log: each change of a membership is a row and, where others may react to it, a domain event."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.members.models import InviteLog, Member
from core.events import emit

Action = InviteLog.Action

EVENTS: dict[str, str] = {
    Action.INVITED: "member.invited",
    Action.ACCEPTED: "member.accepted",
    Action.ROLE_CHANGED: "member.updated",
    Action.OWNERSHIP_TRANSFERRED: "member.updated",
    Action.BLOCKED: "member.blocked",
    Action.UNBLOCKED: "member.unblocked",
    Action.REMOVED: "member.removed",
}


def record(action: InviteLog.Action, members: Sequence[Member], *, by: str | None, detail: str = "") -> None:
    """Log a change of the members in its transaction. `by` is the acting member's id; None means the service."""
    InviteLog.objects.bulk_create(
        [
            InviteLog(
                company_id=member.company_id,
                member=member,
                email=member.email,
                action=action,
                action_by_id=by,
                role_id=member.role_id,
                detail=detail[:300],
            )
            for member in members
        ]
    )
    if action in EVENTS:
        payloads = {
            member.pk: {"email": member.email, "status": member.status, "role": member.role_id} for member in members
        }
        emit(EVENTS[action], list(payloads), payloads=payloads, actor_id=by)
