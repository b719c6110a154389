"""Making calls in tests."""

from __future__ import annotations

from typing import Any

from tests.kit.cast import Answer, Cast
from tests.kit.factories import ContactFactory

PATH = "/calllog"
MISSING = "0" * 24
SENT = "2026-03-09T14:30:00+01:00"


def log(cast: Cast, **body: Any) -> dict[str, Any]:
    answer = cast.key.post(PATH, body)
    assert answer.status == 201, answer.body
    return dict(answer.data)


def refused(answer: Answer, message: str, status: int = 400) -> str:
    assert (answer.status, answer.body["message"]) == (status, message), answer.body
    return str(answer.body["warning"])


def shared_number(cast: Cast, number: int) -> list[str]:
    """The ids of two contacts that have the nth contact's number between them."""
    with cast.scope():
        return [ContactFactory(contact_number=f"+49170{1000000 + number}", number_key=None).pk for _ in range(2)]
