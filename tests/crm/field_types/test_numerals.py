"""Signs that look like digits: they are neither joined to a number nor to a date."""

from __future__ import annotations

import pytest

from crm.field_types.base import BadValue
from crm.field_types.dates import parse_date_text
from crm.field_types.numbers import marks_of, read_number


@pytest.mark.parametrize(
    "text",
    [
        "10²",
        "100¹",
        "1⁰",
        "H₂ 5",
        "5₂",
        "③",
        "12①",
        "Ⅳ",
        "5Ⅻ",
        "1½",
        "¼",
        "1⒊",
        "㊿",
        "100㎡",
        "1🄂",
        "12.50²",
        "1,200³",
        "-7⁹",
    ],
)
def test_a_sign_that_is_no_digit_is_refused(text: str) -> None:
    assert marks_of(text) == ""
    for mark in ("", ".", ","):
        with pytest.raises(BadValue):
            read_number(text, mark)


@pytest.mark.parametrize("text", ["１２", "١٢", "१२", "𝟙𝟚"])
def test_digits_of_all_scripts_are_read(text: str) -> None:
    assert read_number(text) == 12


@pytest.mark.parametrize("text", ["5.3.202²", "2024-01-0²", "③ Jan 2024", "5 Jan² 2024", "1² January 2024", "²/3/2024"])
def test_a_sign_that_is_no_digit_is_in_no_date(text: str) -> None:
    with pytest.raises(BadValue):
        parse_date_text(text, order="DMY")
