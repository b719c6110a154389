"""Phone numbers as people, programs and spreadsheets write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import phonenumbers
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phonenumbers import PhoneNumberFormat, PhoneNumberType

from core.text.addresses import BadAddress, read_phone
from tests.kit.examples import thorough

TWO = "holds two numbers. Write one of them."
EXTENSION = "has an extension, which cannot be kept. Write the number without it."
LETTERS = "holds words or letters. Write the digits of the number alone."
TAIL = "ends with digits that may be an extension. Write the number without them, or without the space."
FULL_WIDTH = {ord("0") + digit: ord("\uff10") + digit for digit in range(10)} | {ord("+"): "\uff0b"}
PERSIAN = {ord("0") + digit: ord("\u06f0") + digit for digit in range(10)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+49 170 1234567.0", "+491701234567"),
        ("+358 40 1234567.00", "+358401234567"),
        ("+86 138 1234 5678.0", "+8613812345678"),
        ("+49 170 1234567,0", "+491701234567"),
        ("\u202a+1 415 555 0155\u202c", "+14155550155"),
        ("\u2066+44\u00a07911\u200b123456\u2069\ufeff", "+447911123456"),
        ("+49\u00ad170\u00ad1234567", "+491701234567"),
        ("＋１（４１５）５５５－０１５５", "+14155550155"),
        ("+٤٩ ٣٠ ٩٠١٨٢٠", "+4930901820"),
        ("+४९ ३० ९०१८२०", "+4930901820"),
        ("tel:+1-415-555-0152", "+14155550152"),
        ("TEL:%2B49-30-901820", "+4930901820"),
        ('="+14155550154"', "+14155550154"),
        ("'+14155550154", "+14155550154"),
        ("+49 (0) 30 901820", "+4930901820"),
        ("+39 (0)6 69812345", "+390669812345"),
        ("(+49) 30 / 901820", "+4930901820"),
        ("0049 30 901820", "+4930901820"),
        ("+33.1.23.45.67.89", "+33123456789"),
        ("+33/1/23/45/67/89", "+33123456789"),
        ("+49 30 901820\u201321", "+493090182021"),
        ("Tel.: +49 30 901820", "+4930901820"),
        ("+49 30 901820 (home)", "+4930901820"),
        ("p:+14155550155", "+14155550155"),
        ("☎ +49 30 901820;", "+4930901820"),
        ("whatsapp:+14155550155", "+14155550155"),
    ],
)
def test_one_number_is_read(text: str, expected: str) -> None:
    assert read_phone(None, text).e164 == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("+49 30 901820 / 901821", TWO),
        ("+49 30 901820/21", TWO),
        ("+43 1 58858/10 ", TWO),
        ("030 901820/21", TWO),
        ("0170 1234567 / 0171 7654321", TWO),
        ("12345/12346", TWO),
        ("+49 30 901820; +49 30 901821", TWO),
        ("+49 30 901820 or +49 30 901821", TWO),
        ("+49 30 901820 oder 901821", TWO),
        ("+49 30 901820, 901821", TWO),
        ("+49 30 901820\n+49 30 901821", TWO),
        ("+49 30 901820 ::: +49 30 901821", TWO),
        ("+49 30 901820 +49 30 901821", TWO),
        ("+49 30 901820 - 901821", TWO),
        ("+49 30 901820 (901821)", TWO),
        ("+43 1 58858 01 58859", TWO),
        ("+49 30 901820 x2", EXTENSION),
        ("+1 415 555 0155 ext. 5", EXTENSION),
        ("+1 415 555 0155#5", EXTENSION),
        ("tel:+14155550155;ext=5", EXTENSION),
        ("+49 30 901820 Durchwahl 5", EXTENSION),
        ("+33 1 23 45 67 89 poste 12", EXTENSION),
        ("+1-800-FLOWERS", LETTERS),
        ("+49 30 901820 (Herr Meier)", LETTERS),
        ("Fax +49 30 901820", LETTERS),
        ("4.917E+11", "was shortened by a spreadsheet. Write all digits of the number, in a column of texts."),
        ("1701234567.5", "is a number with decimals. Write the digits of the phone number alone."),
        ("+4930 1234567.10", "is a number with decimals. Write the digits of the phone number alone."),
        ("+43 664 1234567.5", "is a number with decimals. Write the digits of the phone number alone."),
        ("+49.170.1234567.25", "is a number with decimals. Write the digits of the phone number alone."),
        ("+49 170 1234567 01", TAIL),
        ("+44 7700 900123 (2)", TWO),
        ("+43 664 123456 1", TAIL),
        ("+49-170-1234567\u20142", TWO),
        ("+33 1 23 45 67 89\u201512", TWO),
        ("tel:7042;phone-context=example.com", "has parameters that cannot be kept. Write the number alone."),
        ("0170 1234567", "has no country code. Enter the number with its country code, for example +49 170 1234567."),
        (
            "0011 65 9123 4567",
            "has no country code. Enter the number with its country code, for example +49 170 1234567.",
        ),
        ("n/a", "is not a phone number. Write one such as +49 170 1234567."),
    ],
)
def test_all_else_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BadAddress) as error:
        read_phone(None, text)
    shown = " ".join(text.split())
    assert str(error.value) == f"\u201c{shown}\u201d {problem}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1701234567.0", "+491701234567"),
        ("1.701.234.567,00", "+491701234567"),
        ("1.701234567E9", "+491701234567"),
        ("030/901820", "+4930901820"),
        ("491701234567", "+491701234567"),
        ("49112345", "+4949112345"),
    ],
)
def test_texts_with_a_dial_prefix_of_their_own_column(text: str, expected: str) -> None:
    assert read_phone("+49", text).e164 == expected


@pytest.mark.parametrize(
    ("country", "text", "expected"),
    [
        ("DE", "0170 7654321", "+491707654321"),
        ("DE", "030 901821", "+4930901821"),
        ("DE", "1707654321.0", "+491707654321"),
        ("DE", "4915112345678", "+4915112345678"),
        ("DE", "14155550155", "+14155550155"),
        ("DE", "+33 1 23 45 67 89", "+33123456789"),
        ("US", "415.555.0155", "+14155550155"),
        ("US", "011 49 30 901820", "+4930901820"),
        ("DE", "011 49 30 1234567", "+49301234567"),
        ("FR", "011 43 1 58858", "+43158858"),
        ("GB", "0113 496 0123", "+441134960123"),
        ("DE", "030\u2014901821", "+4930901821"),
        ("AU", "0011 65 9123 4567", "+6591234567"),
        ("KR", "001 49 30 901820", "+4930901820"),
        ("IT", "06 69812345", "+390669812345"),
        ("RU", "8 (495) 123-45-67", "+74951234567"),
        ("KZ", "8 701 123 45 67", "+77011234567"),
        ("CA", "(416) 555-0123", "+14165550123"),
    ],
)
def test_numbers_of_a_country(country: str, text: str, expected: str) -> None:
    assert read_phone(None, text, country).e164 == expected


def test_digits_that_two_countries_use_are_refused() -> None:
    problem = "may be \\+494312345678 or \\+4312345678. Write it with \\+ and the code of its country."
    with pytest.raises(BadAddress, match=problem):
        read_phone(None, "4312345678", "DE")


@pytest.mark.parametrize(
    ("country", "text"),
    [
        *(("DE", "90182012"), ("DE", "7654321"), ("DE", "1234999"), ("SE", "12345678"), ("NL", "7654321")),
        *(("DE", "0199999999999"), ("GB", "79460000"), ("AT", "588580")),
    ],
)
def test_numbers_that_may_lack_their_area_code_are_refused(country: str, text: str) -> None:
    with pytest.raises(BadAddress):
        read_phone(None, text, country)


def test_numbers_without_area_code_are_explained() -> None:
    problem = "may lack its area code, or the zero in front of it. Write all digits, such as \\+49 30 901820."
    with pytest.raises(BadAddress, match=f"“7654321” {problem}"):
        read_phone(None, "7654321", "DE")


@pytest.mark.parametrize("text", ["011 49 30 901820", "011 49 30 1234567", "011 43 1 58858"])
def test_the_american_prefix_of_calls_abroad_is_no_area_code(text: str) -> None:
    try:
        assert read_phone("+49", text).e164 == f"+{text.removeprefix('011').replace(' ', '')}"
    except BadAddress:
        assert " 43 " in text


EXAMPLES = [
    (region, found)
    for region in sorted(phonenumbers.SUPPORTED_REGIONS)
    for kind in (PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE)
    if (found := phonenumbers.example_number_for_type(region, kind)) is not None
]
INTERNATIONAL: list[Callable[[str], str]] = [
    lambda text: text,
    lambda text: text.replace("-", " "),
    lambda text: text.replace("-", ".").replace(" ", "."),
    lambda text: text.replace(" ", "-"),
    lambda text: text.replace(" ", "\u00a0").replace("-", "\u2011"),
    lambda text: f"\u202a{text}\u202c",
    lambda text: f"tel:{text.replace(' ', '-')}",
    lambda text: f'="{text}"',
    lambda text: f"'{text}",
    lambda text: f"Tel. {text}",
    lambda text: f"{text} (mobile)",
    lambda text: text.translate(FULL_WIDTH),
    lambda text: text.translate(PERSIAN),
    lambda text: f"({text.partition(' ')[0]}) {text.partition(' ')[2]}",
]
MAY_BE_REFUSED: list[Callable[[str], str]] = [
    lambda text: text.replace("+", "00"),
    lambda text: f"{text}.0",
    lambda text: f"{text},00",
    lambda text: text.replace(" ", "/", 2).replace("/", " ", 1),
    lambda text: text.replace(" ", " (0) ", 1),
    lambda text: text.replace(" ", " - ", 2),
]
TWO_IN_ONE: list[Callable[[str], str]] = [
    lambda text: f"{text} / {text}",
    lambda text: f"{text};{text}",
    lambda text: f"{text} or {text}",
    lambda text: f"{text}\n{text}",
    lambda text: f"{text} {text}",
    lambda text: f"{text} x12",
    lambda text: f"{text} ext. 12",
    lambda text: f"{text} #12",
    lambda text: f"{text}/12",
]


def without_zero(text: str) -> str:
    """Return the digits as a spreadsheet keeps them that takes them for a number."""
    return "".join(sign for sign in text if sign.isdigit()).lstrip("0")


def outcome(country_code: str | None, text: str, country: str = "") -> str:
    try:
        return read_phone(country_code, text, country).e164
    except BadAddress:
        return "refused"


@settings(max_examples=thorough(900), deadline=None)
@given(
    st.sampled_from(EXAMPLES),
    st.sampled_from(
        [(write, 0) for write in INTERNATIONAL]
        + [(write, 1) for write in MAY_BE_REFUSED]
        + [(write, 2) for write in TWO_IN_ONE]
    ),
)
def test_no_international_spelling_becomes_another_number(example: Any, spelling: Any) -> None:
    _, number = example
    write, kind = spelling
    e164 = phonenumbers.format_number(number, PhoneNumberFormat.E164)
    text = write(phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL))
    right = [{e164}, {e164, "refused"}, {"refused"}][kind]
    assert outcome(None, text) in right, text
    assert outcome(f"+{number.country_code}", text) in right, text


@settings(max_examples=thorough(900), deadline=None)
@given(
    st.sampled_from(EXAMPLES),
    st.sampled_from(
        [
            lambda text: text,
            lambda text: f"Tel. {text}",
            lambda text: f"{text}.0",
            lambda text: text.replace("-", "."),
            lambda text: "".join(sign for sign in text if sign.isdigit()),
            without_zero,
        ]
    ),
)
def test_no_national_spelling_becomes_another_number(example: Any, write: Callable[[str], str]) -> None:
    region, number = example
    e164 = phonenumbers.format_number(number, PhoneNumberFormat.E164)
    if write is without_zero and region in ("HU", "GA"):
        return  # the 6 of Hungary's prefix 06 stays, and Gabon's numbers begin with a zero of their own
    text = write(phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL))
    assert outcome(None, text, region) in {e164, "refused"}, text
    assert outcome(None, text) in {e164, "refused"}, text


def test_national_numbers_as_countries_write_them_are_read() -> None:
    """All countries' numbers in their national format are read where the country is known."""
    refused = []
    for region, number in EXAMPLES:
        text = phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
        found = outcome(None, text, region)
        assert found in {phonenumbers.format_number(number, PhoneNumberFormat.E164), "refused"}
        if found == "refused":
            refused.append((region, text))
    assert len(EXAMPLES) > 450
    assert len(refused) < 10, refused
