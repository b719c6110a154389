"""Times in expressions go by the company's clock."""

from __future__ import annotations

from typing import Any

import pytest

from workflows.expressions.compile import compile_value

SCOPE = {
    "company": {"timezone": "America/Los_Angeles"},
    "now": "2026-12-20T03:30:00Z",
    "trigger": {"payload": {"day": "2026-03-07", "clock": "2026-03-07T09:00", "huge": 1e300, "text": "1E+299"}},
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("{{ now | date }}", "2026-12-19"),
        ("{{ now | date: '%H:%M' }}", "19:30"),
        ("{{ now | tz: 'Europe/London' | date: '%H:%M' }}", "03:30"),
        ("{{ now | tz: 'UTC' | date }}", "2026-12-20"),
        ("{{ now | tz: 'Asia/Tokyo' | dateAdd: 1 | date: '%d %H:%M' }}", "21 12:30"),
        ("{{ trigger.payload.day | date }}", "2026-03-07"),
        ("{{ trigger.payload.clock | dateAdd: 1 | date: '%d %H:%M' }}", "08 09:00"),
        ("{{ trigger.payload.clock | dateAdd: 24, 'hours' | date: '%d %H:%M' }}", "08 10:00"),
        ("{{ trigger.payload.day | dateAdd: 1, 'months' | date }}", "2026-04-07"),
        ("{{ trigger.payload.day | dateAdd: 0.5 | date: '%H:%M' }}", "12:00"),
        ("{{ trigger.payload.day | dateAdd: 0.5, 'months' }}", None),
        ("{{ trigger.payload.day | dateAdd: 99999999 }}", None),
        ("{{ trigger.payload.huge | round: 2 }}", 1e300),
        ("{{ trigger.payload.text | number }}", 1e299),
        ("{{ trigger.payload.text | add: 1 }}", 1e299),
    ],
)
def test_expression(expression: str, value: Any) -> None:
    assert compile_value(expression).read(SCOPE) == value


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59-23:59", "9999-12-31", "x"])
def test_a_time_at_the_end_of_the_calendar_is_a_time_or_nothing(text: str) -> None:
    for filters in ("date", "dateAdd: 1", "tz: 'Asia/Tokyo'", "tz: 'Asia/Tokyo' | date"):
        found = compile_value(f"{{{{ trigger | {filters} }}}}").read({**SCOPE, "trigger": text})
        assert found is None or isinstance(found, str)
