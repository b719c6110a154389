"""Visitors who are as fast as tests, on a day of 2027."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine

from outreach.site.booking import public
from tests.outreach.site.booking.helpers import NOW


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let visitors be as fast as tests are."""
    monkeypatch.setattr(public, "TOO_FAST", timedelta(0))


@pytest.fixture
def monday() -> Iterator[time_machine.Coordinates]:
    with time_machine.travel(NOW, tick=False) as clock:
        yield clock
