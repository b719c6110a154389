"""Events that arrive while a run begins to wait for them."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection

from core.jobs import WORK
from tests.kit.cast import make_cast
from tests.kit.threads import at_once
from tests.workflows.helpers import contact, runs, work
from tests.workflows.test_waits import rename, waiting_for
from workflows.engine.waits import requests


@pytest.mark.parametrize("locked", [True, False])
def test_no_event_falls_between_looking_back_and_listening(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, locked: bool
) -> None:
    """A slice looks back, then an event arrives, then the slice listens: without the lane the run would miss it."""
    cast = make_cast()
    id = waiting_for(cast)
    person = contact(cast)
    WORK["events"].drain(float("inf"))
    looked, told = threading.Event(), threading.Event()
    if not locked:
        monkeypatch.setattr(requests.locks, "lock_event_types", lambda ids: list(ids))
    look_back = requests.listening.look_back

    def slow(*arguments: Any) -> Any:
        found = look_back(*arguments)
        looked.set()
        told.wait(1.5)  # with the lane it is over before anybody has been told
        return found

    monkeypatch.setattr(requests.listening, "look_back", slow)

    def tell(n: int) -> None:
        try:
            if n == 0:
                WORK["workflow-runs"].drain(float("inf"))
                return
            assert looked.wait(10)
            rename(cast, person, "Bea")
            WORK["events"].drain(float("inf"))
            told.set()
        finally:
            connection.close()

    at_once(2, None, tell)
    work()
    assert runs(cast, id)[0].status == ("completed" if locked else "waiting")
