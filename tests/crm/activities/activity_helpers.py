"""Reading activities in tests."""

from __future__ import annotations

from typing import Any

from core.events import deliver
from tests.kit.cast import Answer, Cast

PATH = "/lead-activity"
MISSING = "0" * 24


def told(cast: Cast, **filters: Any) -> list[tuple[str, Any]]:
    """Kind and details of the activities that match, oldest first, once all events are delivered."""
    deliver()
    answer = cast.key.get(PATH, filters=filters, sortBy="happenedAt", sortOrder="asc")
    assert answer.status == 200, answer.body
    return [(row["kind"], row["details"]) for row in answer.data]


def ids(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.body
    return [row["_id"] for row in answer.data]
