"""Mails about meetings go out in the service's name: how many, to whom, and what the answer says of the others."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Member, User
from billing.models import Subscription
from outreach.messaging.suppression.services import suppress_address
from tests.crm.leads.helpers import member
from tests.crm.meetings.helpers import START, new_meeting, sent
from tests.kit.cast import Cast

OVER = "emails to attendees were not sent; your company can send"


def people(number: int, first: int = 0) -> list[dict[str, str]]:
    return [{"email": f"a{n}@b.example"} for n in range(first, first + number)]


def ask(cast: Cast, attendees: list[dict[str, str]]) -> Any:
    body = {"title": "Demo", "startsAt": START, "durationMinutes": 5, "attendees": attendees}
    answer = cast.key.post("/meeting", body)
    assert (answer.status, len(answer.data["attendees"])) == (201, len(attendees))
    return answer.body


@pytest.mark.usefixtures("limits")
def test_a_company_sends_so_many_a_day(cast: Cast, outsiders: Cast, settings: Any) -> None:
    settings.MEETING_MAILS_PER_DAY = 5
    with cast.scope():
        sella = member(user__email="sella@example.com").pk
    assert "warning" not in ask(cast, people(3))
    body = ask(cast, [*people(3, 3), {"member": sella}])
    assert "1 email to attendees was not sent; your company can send 5 in 24 hours" in body["warning"]
    owner = cast.owner.email
    asked = [owner, "a0@b.example", "a1@b.example", "a2@b.example"]
    asked += [owner, "a3@b.example", "a4@b.example", "sella@example.com"]
    assert [to for _, to in sent()] == asked, "members are told in any case"
    place = f"/meeting/{body['data']['_id']}"
    changed = cast.key.put(place, {"title": "Changed"})
    assert (changed.status, changed.data["title"]) == (200, "Changed")
    assert f"3 {OVER} 5" in changed.body["warning"]
    gone = cast.key.delete("/meeting", {"ids": [body["data"]["_id"]]})
    assert (gone.status, gone.data) == (200, {"deletedCount": 1})
    assert f"3 {OVER} 5" in gone.body["warning"]
    assert {to for _, to in sent()} == {owner, "sella@example.com"}
    assert "warning" not in ask(outsiders, people(5))


@pytest.mark.usefixtures("limits")
def test_a_trial_sends_fewer(cast: Cast, settings: Any) -> None:
    settings.TRIAL_MEETING_MAILS_PER_DAY = 2
    with cast.scope():
        Subscription.objects.update(status=Subscription.Status.TRIAL)
    assert "1 email to attendees was not sent; your company can send 2" in ask(cast, people(3))["warning"]
    assert len(sent()) == 3


def test_nothing_goes_out_before_an_owner_is_verified(cast: Cast) -> None:
    with cast.scope():
        owners = list(Member.objects.filter(status=Member.Status.OWNER).values_list("user", flat=True))
    User.objects.filter(pk__in=owners).update(email_verified_at=None)
    body = ask(cast, people(2))
    assert body["warning"] == "no emails were sent; an owner must verify their email address first"
    assert cast.key.get(f"/meeting/{body['data']['_id']}").status == 200
    assert sent() == []


def test_suppressed_addresses_are_skipped(cast: Cast, outsiders: Cast) -> None:
    with cast.scope():
        suppress_address(email="A1@b.example")
        suppress_address(email=cast.owner.email)
    made = cast.key.post(
        "/meeting", {"title": "Demo", "startsAt": START, "durationMinutes": 5, "attendees": people(3)}
    ).body
    assert made["warning"] == "no email to a1@b.example; on the suppression list"
    assert [to for _, to in sent()] == [cast.owner.email, "a0@b.example", "a2@b.example"]
    new_meeting(outsiders, attendees=people(2))
    assert len(sent()) == 3
