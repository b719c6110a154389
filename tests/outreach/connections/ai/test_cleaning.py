"""Names and phrases of contacts as the built-in writer uses them."""

import pytest

from outreach.connections.ai.providers.cleaning import first_name, person_name, phrase, shorten


@pytest.mark.parametrize(
    ("given_name", "first", "whole"),
    [
        ("ANN LEE", "Ann", "Ann Lee"),
        ("lee, ann", "Ann", "Ann Lee"),
        ("Dr. Ann Lee", "Ann", "Ann Lee"),
        ("Jean-Luc O'Neill", "Jean-Luc", "Jean-Luc O'Neill"),
        ("A. Lee", "A. Lee", "A. Lee"),
        ("李小龍", "李小龍", "李小龍"),
        ("שרה כהן", "שרה", "שרה כהן"),
        ("Ann 😀🔥 Lee", "Ann", "Ann Lee"),
        ("<b>Ann</b> Lee", "Ann", "Ann Lee"),
        ("Ann\r\nBcc: x", "Ann", "Ann Bcc X"),
        ("\u202eAnn", "Ann", "Ann"),
        ("ann@example.org", "", ""),
        ("Agent 007", "", ""),
        ("None", "", ""),
        ("{{first_name}}", "", ""),
        ("visit evil.example", "", ""),
        ("", "", ""),
    ],
)
def test_names(given_name: str, first: str, whole: str) -> None:
    assert (first_name(given_name), person_name(given_name)) == (first, whole)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "None",
        "N/A",
        "-",
        "see http://evil.example",
        "www.evil",
        "evil.example",
        "a@b",
        "x" * 61,
        "🔥",
        None,
        7,
        "a|b",
    ],
)
def test_values_that_are_no_phrase(value: object) -> None:
    assert phrase(value) == ""


def test_shorten() -> None:
    assert shorten("one two three", 3) == "one two three"
    assert shorten("one two, three", 2) == "one two…"
    assert shorten("one two three", 9, 8) == "one two…"
