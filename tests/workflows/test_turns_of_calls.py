"""Calls to servers that hang leave the worker to others."""

from __future__ import annotations

from time import monotonic
from typing import Any

import pytest

from core.ids import new_id
from tests.crm.webhooks.helpers import Receiver, add, happen, receiver
from tests.crm.webhooks.helpers import work as send
from tests.kit.cast import make_cast
from tests.workflows.helpers import contact, edges, node, published, work
from workflows.engine.waits import calls


@pytest.mark.django_db
def test_servers_that_hang_hold_up_no_webhook_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "OF_HOST", 40)
    slow, other = make_cast(), make_cast()
    ours: dict[str, Any] = {"body": None}
    with receiver() as hangs, receiver() as answers:
        hangs.answers(0)
        ours["url"] = f"{hangs.url}"
        published(slow, [node("http", "http", ours)], edges("trigger > http"))
        for number in range(22):
            contact(slow, email=f"c{number}@example.org", number=f"15123456{number:02}")
        work()
        try:
            calls.drain(monotonic() + 0.5)
            assert len(calls.flights) == calls.OF_COMPANY  # they are out, and the worker is free
            _delivers(other, answers)
            assert len(calls.flights) == calls.OF_COMPANY
        finally:
            hangs.hangs.set()
            while calls.flights.calls:
                calls.flights.land(1)


def _delivers(cast: Any, answers: Receiver) -> None:
    add(cast, answers.url)
    happen(cast, "contact.deleted", new_id())
    send(until=lambda: monotonic() + 2)
    assert [call.body["type"] for call in answers.calls] == ["contact.deleted"]
