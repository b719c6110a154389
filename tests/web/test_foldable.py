"""Line breaks in long email addresses."""

from __future__ import annotations

import pytest
from django.utils.html import conditional_escape

from core.templatetags.web import foldable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("eva.lund@nord.example", "eva<wbr>.lund@<wbr>nord<wbr>.example"),
        ("a@b", "a@<wbr>b"),
        ("<b>@x.y", "&lt;b&gt;@<wbr>x<wbr>.y"),
        ("Write to a@b.example.", "Write to a@b.example."),
        ("1.5", "1.5"),
        ("", ""),
    ],
)
def test_an_address_breaks_after_its_at_and_before_its_dots(text: str, expected: str) -> None:
    assert conditional_escape(foldable(text)) == expected
