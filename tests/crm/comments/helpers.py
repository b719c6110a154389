"""Creating comments in tests."""

from __future__ import annotations

from typing import Any

from accounts.models import Member
from core.models import Event
from tests.kit.cast import SESSION, Answer, Caller, Cast, session_headers
from tests.kit.factories import MemberFactory, RoleFactory

PATH = "/comment"
SEES_ALL = {name: {"GET": True} for name in ("contact", "lead", "lead-activity")}


def person(cast: Cast, name: str, permission: Any = SEES_ALL, **values: Any) -> Member:
    """Create an accepted member with a role of the permission."""
    with cast.scope():
        role = RoleFactory(permission=permission)
        member: Member = MemberFactory(**{"name": name, "role": role, "status": "accepted", **values})
        return member


def caller(member: Member) -> Caller:
    """Return the member's way in by a session."""
    return Caller(SESSION, session_headers(member))


def new(by: Caller, kind: str, id: str, text: str = "Hello", **body: Any) -> dict[str, Any]:
    """Create a comment on the record through the API."""
    answer = by.post(PATH, {"text": text, "record": {"kind": kind, "id": id}, **body})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def restore(by: Caller, *ids: str) -> Answer:
    """Restore the comments through the API."""
    return by.post(f"{PATH}/restore", {"ids": list(ids)})


def events(cast: Cast) -> list[tuple[str, Any]]:
    """Return kind and payload of the events of comments, in their order."""
    with cast.scope():
        return list(Event.objects.filter(kind__startswith="comment.").order_by("id").values_list("kind", "payload"))
