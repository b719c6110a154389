"""Whole numbers from text that people and programs send."""

from __future__ import annotations

import pytest

from core.text.whole_numbers import whole_number
from tests.kit.cast import Cast
from tests.web.helpers import at, enter

HUGE = "9" * 5000


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), (12, 12), ("9" * 15, 10**15 - 1)])
def test_digits_are_a_number(text: object, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", " 1", "-1", "1.0", "²", "١", "9" * 16, HUGE, None, "1\n"])
def test_other_texts_are_none(text: object) -> None:
    assert whole_number(text) is None


@pytest.mark.parametrize(
    ("page", "sent"),
    [
        ("campaigns/new", {"days": HUGE, "name": "A"}),
        ("campaigns/new", {"intervalMs": HUGE, "name": "A"}),
        ("senders", {"do": "hours", "windowDays": HUGE}),
        ("booking/new", {"durationMinutes": HUGE, "bufferMinutes": HUGE, "maxDays": HUGE}),
        ("follow-ups/new", {"remindMinutes": HUGE, "title": "A"}),
        ("widgets/new", {"days": HUGE, "from": "09:00", "to": "17:00", "name": "A"}),
        ("widgets/new", {"do": "preview", "days": HUGE, "from": "09:00", "to": "17:00"}),
        ("outreach/new", {"prompt": "Invite", "intervalMs": HUGE, "steps": HUGE, "days": HUGE}),
        ("contacts/new", {"number": HUGE, "countryCode": HUGE}),
        ("leads/new", {"value": HUGE, "name": "A"}),
    ],
)
def test_pages_refuse_or_ignore_thousands_of_digits(cast: Cast, page: str, sent: dict[str, str]) -> None:
    answer = enter(cast.owner).post(at(cast.owner, page), sent)
    assert answer.status_code in (200, 303, 422), answer.status_code
