"""What the tests of invites share."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import time_machine
from django.utils import timezone

from accounts.auth.sessions import tokens
from accounts.members.invites import expire_invites
from accounts.models import InviteLog, Member, User
from core.access.callers import Caller as Origin
from core.tenancy import unscoped
from tests.accounts.auth.helpers import mails_to, private, token_in
from tests.kit.cast import Caller, Cast
from tests.kit.factories import UserFactory

NEW = "new.person@example.org"
HERE = Origin("127.0.0.1", "test")


def invite(cast: Cast, email: str = NEW, **values: Any) -> str:
    """Invite the address; the membership's id."""
    answer = cast.session.post("/member", {"email": email, **values})
    assert answer.status == 201, answer.body
    return answer.data["_id"]


def find(cast: Cast, id: str) -> Member:
    with cast.scope():
        return Member.objects.select_related("role", "user").get(pk=id)


def person(email: str = NEW, **values: Any) -> tuple[User, Caller]:
    """A user with a verified address, and their caller on the private path."""
    user = UserFactory(email=email, **values)
    return user, private(tokens.issue(user).access)


def later(**span: int) -> Any:
    return time_machine.travel(timezone.now() + timedelta(**span), tick=False)


def actions(cast: Cast, id: str) -> list[str]:
    with cast.scope():
        return list(
            InviteLog.objects.filter(member_id=id).order_by("created_at", "pk").values_list("action", flat=True)
        )


def last_token(email: str = NEW) -> str:
    return token_in([mail for mail in mails_to(email) if mail.kind == "invite"][-1])


def expire_all() -> None:
    with unscoped(reason="test: the periodic task's scope"):
        while expire_invites():
            pass
