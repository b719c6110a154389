"""Email addresses and phone numbers as they are read."""

from __future__ import annotations

import random
from typing import Any

import phonenumbers
import pytest

from core.text.addresses import BadAddress, read_country_code, read_email, read_phone
from core.text.phone_rules import rules_of


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("ann@example.com", "ann@example.com"),
        (" Ann.Bee+x@EXAMPLE.Com ", "Ann.Bee+x@example.com"),
        ("ann@müller.de", "ann@müller.de"),
        ("ann@xn--mller-kva.de", "ann@müller.de"),
        ("änn@example.com", "änn@example.com"),
        ("ann@mail.test", "ann@mail.test"),
    ],
)
def test_emails_keep_their_spelling_but_for_the_domain(given: str, expected: str) -> None:
    assert read_email(given) == expected


@pytest.mark.parametrize(
    "given",
    [
        "",
        "ann",
        "ann@",
        "@example.com",
        "ann@localhost",
        "a b@example.com",
        "ann@exa mple.com",
        "ann..bee@example.com",
        ".ann@example.com",
    ]
    + [
        "ann@-x.com",
        "ann@example.com, bob@example.com",
        "Ann <ann@example.com>",
        "a" * 65 + "@example.com",
        "ann@" + "a" * 250 + ".com",
    ]
    + ["ann@example.c\u202eom", "ann@[127.0.0.1]", "ann\n@example.com", 5, None, ["ann@example.com"]],
)
def test_what_is_no_email_is_refused(given: Any) -> None:
    with pytest.raises(BadAddress):
        read_email(given)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("a@b", "“a@b” is not an email address. Enter one like name@example.com."),
        ("ann", "“ann” is not an email address. Enter one like name@example.com."),
        ("a b@c.de", "“a b@c.de” is not an email address. Enter one like name@example.com."),
        (
            "ann@ex\u200bample",
            "“ann@example” has an invisible character (U+200B). Type it instead of copying it.",
        ),
    ],
)
def test_an_invalid_email_is_shown_with_the_right_form(given: str, text: str) -> None:
    with pytest.raises(BadAddress) as refused:
        read_email(given)
    assert str(refused.value) == text


@pytest.mark.parametrize(
    ("given", "expected"),
    [("+49", "+49"), ("49", "+49"), ("0049", "+49"), (49, "+49"), ("de", "+49"), (" +1 ", "+1"), ("٤٩", "+49")],
)
def test_dial_prefixes(given: Any, expected: str) -> None:
    assert read_country_code(given) == expected


@pytest.mark.parametrize("given", ["", "+", "+999", "abc", "ZZ", "+0", True, 4.9, None, "+49x"])
def test_what_is_no_dial_prefix_is_refused(given: Any) -> None:
    with pytest.raises(BadAddress):
        read_country_code(given)


@pytest.mark.parametrize(
    ("prefix", "given", "e164"),
    [
        ("+49", "0170 1234567", "+491701234567"),
        ("+49", "170/123-4567", "+491701234567"),
        ("+49", "+49 (170) 1234567", "+491701234567"),
        ("+49", "0049 170 1234567", "+491701234567"),
        ("+49", 1701234567, "+491701234567"),
        ("+44", "07911 123456", "+447911123456"),
        ("+1", "(202) 555-0123", "+12025550123"),
        ("+1", "1 202 555 0123", "+12025550123"),
        ("+39", "02 1234567", "+39021234567"),
        ("+91", "09876543210", "+919876543210"),
        (None, "+33 6 12 34 56 78", "+33612345678"),
    ],
)
def test_numbers(prefix: str | None, given: Any, e164: str) -> None:
    found = read_phone(prefix, given)
    assert found.e164 == e164
    assert found.country_code + found.number == e164


@pytest.mark.parametrize(
    ("prefix", "given"),
    [
        ("+49", "abc"),
        ("+49", "123"),
        ("+49", ""),
        ("+1", "12"),
        ("+1", "1" * 18),
        (None, "1701234567"),
        ("+1", "+49 170 1234567"),
    ]
    + [
        ("+49", "1" * 30),
        ("+49", "170 1234567 ext. 12"),
        ("+49", True),
        ("+49", 1.5),
        ("+49", ["1701234567"]),
        ("+49", "0" * 5000),
    ],
)
def test_what_is_no_number_is_refused(prefix: str | None, given: Any) -> None:
    with pytest.raises(BadAddress):
        read_phone(prefix, given)


def test_the_quick_way_agrees_with_the_library() -> None:
    """Digits that are taken without asking the library are what the library would have made of them."""
    chance = random.Random(7)
    codes, quick, trunk = sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE), 0, 0
    for _ in range(6000):
        code = chance.choice(codes)
        digits = chance.choice(["", "", "0", "1", "8"]) + "".join(
            chance.choice("0123456789") for _ in range(chance.randint(4, 13))
        )
        country = rules_of(code)
        national = country.national(digits) if country else None
        if national is None:
            continue
        quick += 1
        trunk += national != digits
        parsed = phonenumbers.parse(f"+{code}{digits}")
        assert phonenumbers.is_possible_number(parsed)
        assert phonenumbers.national_significant_number(parsed) == national
        assert read_phone(f"+{code}", digits).e164 == phonenumbers.format_number(
            parsed, phonenumbers.PhoneNumberFormat.E164
        )
    assert quick > 500
    assert trunk > 50


@pytest.mark.parametrize("text", ["", "  ", "abc"])
def test_the_refusal_of_a_text_without_digits_is_plain(text: str) -> None:
    with pytest.raises(BadAddress) as refused:
        read_phone("+49", text)
    assert str(refused.value).startswith(f"{f'“{text}”' if text.strip() else 'This value'} is not a phone number")
