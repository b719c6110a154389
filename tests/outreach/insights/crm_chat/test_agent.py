"""/agent: a program asks by a key, and a temporary key asks no longer than it lasts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts.api_keys.services import create_key
from tests.kit.cast import KEY, Caller, Cast
from tests.kit.factories import LeadFactory
from tests.outreach.helpers import work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("offline")]


def test_a_program_asks_and_goes_on_in_the_same_conversation(cast: Cast) -> None:
    with cast.scope():
        LeadFactory.create_batch(2)
    first = cast.key.post("/agent", {"question": "How many leads are there?"})
    assert (first.status, first.body["message"], first.data["status"]) == (
        201,
        "The assistant is working on the answer.",
        "queued",
    )
    work("crm-chat")
    found = cast.key.get(f"/agent/{first.data['_id']}").data
    assert (found["status"], found["answer"]) == ("completed", "There are 2 leads.")
    again = cast.key.post("/agent", {"question": "Leads by status", "thread": found["thread"]})
    assert again.data["thread"] == found["thread"]
    assert len(cast.session.get("/ai-crm-chat").data) == 1
    for body, part in (({}, "question"), ({"question": "x", "thread": "1"}, "thread")):
        refused = cast.key.post("/agent", body)
        assert (refused.status, part in refused.body["warning"]) == (400, True)
    assert cast.key.post("/agent", {"question": "x", "thread": "0" * 24}).status == 404


@pytest.mark.parametrize("strict", [True, False])
def test_a_temporary_key_asks_no_longer_than_it_lasts(cast: Cast, settings: Any, strict: bool) -> None:
    settings.STRICT_KEYS, settings.API_KEY_EXPIRY_ENFORCED = strict, False
    with cast.scope():
        key = create_key(member_id=cast.owner.pk, type="temporary", duration_minutes=30)
    caller = Caller(KEY, {"apikey": key.key})
    asked = caller.post("/agent", {"question": "How many leads are there?"})
    assert asked.status == 201
    with time_machine.travel(timezone.now() + timedelta(minutes=31)):
        for answer in (caller.post("/agent", {"question": "And now?"}), caller.get(f"/agent/{asked.data['_id']}")):
            assert (answer.status, answer.body["message"]) == (
                401,
                "Your session has expired, or the API key is wrong. Log in again.",
            )
            assert "temporary key has expired" in answer.body["warning"]
        assert caller.get("/lead").status == (401 if strict else 200)
        assert cast.key.post("/agent", {"question": "How many leads are there?"}).status == 201
