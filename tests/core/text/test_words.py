"""Words made of texts: headlines."""

from __future__ import annotations

import pytest

from core.text.labels.words import headline

MANY = "Invite them to our open day on Tuesday, with coffee and a tour of the new hall"


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        (MANY, 60, "Invite them to our open day on Tuesday, with coffee and a…"),
        (MANY, 40, "Invite them to our open day on Tuesday…"),
        ("Short topic", 60, "Short topic"),
        ("First  line \n second line", 60, "First line"),
        ("", 60, ""),
        ("x" * 80, 10, "x" * 9 + "…"),
        ("word " * 3, 9, "word…"),
        ("abcde fghij", 11, "abcde fghij"),
    ],
)
def test_a_headline_ends_at_a_word(text: str, limit: int, expected: str) -> None:
    assert headline(text, limit) == expected
    assert len(headline(text, limit)) <= limit
