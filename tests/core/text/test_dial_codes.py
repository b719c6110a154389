"""Dial prefixes from codes and names of countries."""

from __future__ import annotations

import pytest

from core.text.addresses import BadAddress, read_country_code


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("UK", "+44"),
        ("uk", "+44"),
        ("Germany", "+49"),
        ("deutschland", "+49"),
        ("Allemagne", "+49"),
        ("Alemania", "+49"),
        ("ÖSTERREICH", "+43"),
        ("España", "+34"),
        ("日本", "+81"),
        ("Ελλάδα", "+30"),
        ("USA", "+1"),
        ("GBR", "+44"),
        ("49.0", "+49"),
        ("(+49)", "+49"),
        ("+ 49", "+49"),
        ("0049", "+49"),
        ("\u202a+49\u202c", "+49"),
        ("４９", "+49"),
        ("'+49", "+49"),
        ("Germany (+49)", "+49"),
        ("+44 - United Kingdom", "+44"),
        ("\U0001f1eb\U0001f1f7 +33", "+33"),
        ("Uk", "+44"),
        ("fr", "+33"),
        ("HR", "+385"),
        ("aut", "+43"),
        ("MR", "+222"),
    ],
)
def test_codes_and_names_are_read(given: str, expected: str) -> None:
    assert read_country_code(given) == expected


@pytest.mark.parametrize(
    "given",
    ["Atlantis", "Germany France", "France (+49)", "Germany / France", "+999", "49.5", "1234", "+49 30 901820"]
    + ["Mr", "mr", "Ms", "ms", "Hr", "Fr", "fr.", "Sr", "sr", "Pan", "pan", "Dr", "Mrs", "De", "276", "+040"],
)
def test_other_words_are_refused(given: str) -> None:
    with pytest.raises(BadAddress, match="is not a country code. Enter one, for example \\+49."):
        read_country_code(given)


@pytest.mark.parametrize("given", ["040", "020", "036", "(0170)", "030 ", "07", "０４０", "0 89", "02-11"])
def test_area_codes_are_no_numeric_codes_of_countries(given: str) -> None:
    with pytest.raises(BadAddress, match="is an area code, not a country code. Write it in front of the number."):
        read_country_code(given)
