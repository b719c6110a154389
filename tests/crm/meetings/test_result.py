"""The result of a meeting, with which somebody marks it once it has begun."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from core.models import Event
from tests.crm.meetings.helpers import MISSING
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory


def meeting(cast: Cast, hours: float, **values: Any) -> str:
    start = timezone.now() + timedelta(hours=hours)
    body = {"title": "Demo", "startsAt": start.isoformat(), "durationMinutes": 30, **values}
    answer = cast.key.post("/meeting", body)
    assert (answer.status, answer.data["result"]) == (201, ""), answer.body
    return str(answer.data["_id"])


@pytest.mark.parametrize("result", ["held", "noShow"])
def test_a_meeting_that_has_begun_is_marked(cast: Cast, result: str) -> None:
    with cast.scope():
        contact = ContactFactory().pk
    id = meeting(cast, -1, contact=contact)
    mail.outbox.clear()
    for caller in (cast.key, cast.session):
        answer = caller.put(f"/meeting/{id}", {"result": result})
        assert (answer.status, answer.data["result"]) == (200, result)
    assert mail.outbox == [], "nobody is told of a result"
    with cast.scope():
        [event] = Event.objects.filter(kind="meeting.updated")
    assert (event.payload["contact"], event.payload["changes"]) == (contact, {"result": {"from": "", "to": result}})
    found = cast.key.get("/meeting", p=1, n=5, filters=f'{{"result": "{result}"}}')
    assert [row["_id"] for row in found.data] == [id]
    assert cast.key.put(f"/meeting/{id}", {"result": ""}).data["result"] == ""


def test_a_meeting_to_come_has_no_result(cast: Cast) -> None:
    id = meeting(cast, 2)
    refused = cast.key.put(f"/meeting/{id}", {"result": "held"})
    assert (refused.status, refused.body["name"], "result" in refused.body["warning"]) == (
        400,
        "InvalidInput_400",
        True,
    )
    begun = meeting(cast, -1)
    cast.key.put(f"/meeting/{begun}", {"result": "noShow"})
    later = (timezone.now() + timedelta(days=2)).isoformat()
    assert cast.key.put(f"/meeting/{begun}", {"startsAt": later}).data["result"] == ""


def test_what_is_no_result_is_refused(cast: Cast) -> None:
    id = meeting(cast, -1)
    assert cast.key.put(f"/meeting/{id}", {"result": "maybe"}).status == 400
    assert cast.key.put(f"/meeting/{MISSING}", {"result": "held"}).status == 404
