"""What the tests of members share."""

from __future__ import annotations

from typing import Any

from accounts.models import InviteLog, Member
from core.models import Event
from tests.kit.cast import Cast
from tests.kit.factories import MemberFactory, RoleFactory

REFUSED = "Your role does not allow this. Ask an owner for the permission."
Status = Member.Status


def add(cast: Cast, status: str = Status.ACCEPTED, permission: dict[str, Any] | None = None, **values: Any) -> Member:
    with cast.scope():
        return MemberFactory(status=status, role=RoleFactory(permission=permission or {}), **values)


def reread(cast: Cast, member: Member) -> Member:
    with cast.scope():
        return Member.objects.select_related("role").get(pk=member.pk)


def logged(cast: Cast, member: Member) -> list[tuple[str, str | None, str]]:
    """What the log says of the member: action, acting member, detail."""
    with cast.scope():
        return list(
            InviteLog.objects.filter(member=member)
            .order_by("created_at", "pk")
            .values_list("action", "action_by_id", "detail")
        )


def events(cast: Cast, member: Member) -> list[tuple[str, str | None, dict[str, Any]]]:
    with cast.scope():
        found = Event.objects.filter(object_id=member.pk, kind__startswith="member.").order_by("created_at", "pk")
        return list(found.values_list("kind", "actor_id", "payload"))
