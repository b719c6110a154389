"""Email addresses and phone numbers, as strict as email-validator and phonenumbers and fast enough for imports.

core.text.phone_text reads the text around a number, core.text.dial_codes reads dial prefixes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import phonenumbers
from babel import Locale
from email_validator import EmailNotValidError, validate_email
from phonenumbers import NumberParseException, PhoneMetadata, PhoneNumberFormat, ValidationResult

from core.errors import shorten
from core.text.dial_codes import is_area_code, read_dial_code
from core.text.phone_rules import main_code, rules_of, trunk_prefix
from core.text.phone_text import MAX_TEXT, SHORT_TAIL, UnclearNumber, read_digits

MAX_EMAIL = 254
MAX_READ = 1000
"""The characters of an address that are read: with escapes and accents it may be longer before it is normalized."""
EMAIL = "Enter one like name@example.com."
PHONE = "Write one such as +49 170 1234567."
WITH_COUNTRY = "Enter the number with its country code, for example +49 170 1234567."
NOT_WHOLE = "may lack its area code, or the zero in front of it. Write all digits, such as +49 30 901820."
WITH_ARTICLE = {"GB", "US", "NL", "AE", "PH", "CZ", "BS", "GM", "MV", "SC", "SB", "KM", "MH", "CD", "CG", "CF", "DO"}
"""Countries whose names have an article in a sentence."""
_LOCAL = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_PLAIN_EMAIL = re.compile(rf"({_LOCAL}(?:\.{_LOCAL})*)@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)", re.ASCII)
_SEPARATORS = re.compile(r"[\s().\-/\u00a0\u2010-\u2015\u202f]+")
_PHONE_PART = re.compile(r"[\s().\-/\u00a0\u2010-\u2015\u202f+0-9]+")
_PLAIN_PHONE = re.compile(
    r"(?:\+?[0-9]{1,4}[ -]?)?(?:\([0-9]{2,5}\)[ -]?)?[0-9]+(?:[ -][0-9]+)*|0[1-9][0-9]{1,4}/[1-9][0-9]{3,}"
)
"""Matches texts that clearly contain one number. core.text.phone_text reads all others."""
_MAX_NATIONAL_DIGITS = 13
"""The most digits of a plain number. More of them may be two numbers."""
_NOT_DIGITS = re.compile(r"[ ()/-]+")
_CODES = frozenset(f"+{code}" for code in phonenumbers.COUNTRY_CODE_TO_REGION_CODE)
MAX_COUNTRY = 100
ABROAD = "011"
"""The international prefix of North America, dialled before another country's code."""


NO_COUNTRY = "noCountry"
"""Code of a national number of an unknown country."""
OTHER_COUNTRY = "otherCountry"
"""Code of a number that does not fit the country by which it was read."""


class BadAddress(ValueError):
    """An invalid address or number. The text is the reason, for people; `code` names one that programs tell apart."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code


def read_email(value: Any) -> str:
    """Validate an address and normalize its domain, without DNS. Raises BadAddress."""
    if not isinstance(value, str):
        raise BadAddress("needs an email address as text")
    text = value.strip()
    plain = _PLAIN_EMAIL.fullmatch(text)
    # The pattern suffices for the local part of a plain address; the domain is validated once and cached.
    if plain and len(plain[1]) <= 64 and len(text) <= MAX_EMAIL:
        return f"{plain[1]}@{_plain_domain(plain[2])}"
    return _validate(text)


@lru_cache(maxsize=50_000)
def _plain_domain(domain: str) -> str:
    return _validate(f"a@{domain}").partition("@")[2]


def _validate(text: str) -> str:
    if len(text) > MAX_READ:
        raise BadAddress(f"is longer than {MAX_EMAIL} characters")
    try:
        address = validate_email(text, check_deliverability=False, test_environment=True, strict=True).normalized
    except (EmailNotValidError, UnicodeError):
        raise BadAddress(_email_error(text)) from None
    if len(address) > MAX_EMAIL:
        raise BadAddress(f"is longer than {MAX_EMAIL} characters")
    return address


@dataclass(frozen=True, slots=True)
class Phone:
    """A phone number: dial prefix (+49), national significant digits, and both as E.164."""

    country_code: str
    number: str
    e164: str


def read_country_code(value: Any) -> str:
    """Read a dial prefix as +49, from +49, 49, 0049, DE or Germany. Raises BadAddress."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if len(text) <= MAX_COUNTRY and is_area_code(text):
        raise BadAddress(f"{quote_value(value)} is an area code, not a country code. Write it in front of the number.")
    code = _dial_code(text) if len(text) <= MAX_COUNTRY else None
    if not code or rules_of(code) is None:
        raise BadAddress(f"{quote_value(value)} is not a country code. Enter one, for example +49.")
    return f"+{code}"


@lru_cache(maxsize=2_000)
def _dial_code(text: str) -> int | None:
    return read_dial_code(text)


def read_phone(country_code: str | None, value: Any, country: str = "") -> Phone:
    """Read a number: national with a dial prefix such as +49, or international. Raises BadAddress.

    `country` is the ISO 3166 code of the country of national numbers without a dial prefix. Those must be in use, since
    a number without its area code has a possible length. Of others the function checks the length only, since tables
    of the ranges in use are never up to date; they decide between two readings.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadAddress("needs a phone number as text")
    text = str(value).strip()
    if _PLAIN_PHONE.fullmatch(text) and not SHORT_TAIL.search(text):
        digits = _NOT_DIGITS.sub("", text)
        if len(digits.removeprefix("+")) <= _MAX_NATIONAL_DIGITS:
            return _parse_usual(country_code, country, digits) or _parse(country_code, country, [digits], value)
    try:
        return _parse(country_code, country, read_digits(text), value)
    except UnclearNumber as error:
        raise BadAddress(f"{quote_value(value)} {error}") from None


def is_international(value: Any) -> bool:
    """Return whether a written number begins with a dial prefix of its own, such as +49 or 0049."""
    text = str(value).strip()
    if text[:1].isdigit() and text.isascii():
        return text.startswith("00")
    try:
        return read_digits(text)[0].startswith(("+", "00"))
    except UnclearNumber:
        return False


def quote_value(value: Any) -> str:
    """Return the start of a value in quotes, as it is repeated in a message."""
    start = shorten(value, 40)
    return f"\u201c{start}\u201d" if start else "This value"


def _parse_usual(country_code: str | None, country: str, digits: str) -> Phone | None:
    """Read a usual number without the library; None for any other."""
    if digits.startswith("+"):
        code = next((digits[:size] for size in (2, 3, 4) if digits[:size] in _CODES), "")
        if not code or (country_code and code != country_code):
            return None
        rest = digits[len(code) :]
    elif country_code:
        code, rest = country_code, digits
    else:
        code, rest = main_code(country), digits
    rules = rules_of(int(code[1:])) if code else None
    if rules is None or rest.startswith(("00", ABROAD)):
        return None
    by_country = not country_code and rest is digits
    if by_country and not rules.is_plainly_national(rest):
        return None
    national = rules.national(rest)
    if by_country and national is not None and not rules.in_use.fullmatch(national):
        return None
    return Phone(code, national, code + national) if national is not None else None


def _email_error(text: str) -> str:
    """Return the error of an invalid email address, with advice on the correct form."""
    quotation = f"\u201c{shorten(text, 60)}\u201d"
    hidden = next((letter for letter in text if unicodedata.category(letter) in ("Cf", "Cc")), "")
    if hidden:
        return f"{quotation} has an invisible character (U+{ord(hidden):04X}). Type it instead of copying it."
    return f"{quotation} is not an email address. {EMAIL}"


def _invalid_phone(country_code: str | None, digits: str, shown: str) -> BadAddress:
    """Return the error of an invalid phone number, with advice: the number of digits and an example."""
    code = int(country_code[1:]) if country_code and not digits.startswith("+") else _code_of(digits)
    country = rules_of(code) if code else None
    if code is None or country is None:
        return BadAddress(f"{shown} is not a phone number. {PHONE}")
    place = f"{_place(code)} (+{code})"
    lengths = sorted(country.lengths)
    plain = digits.removeprefix("+").removeprefix(str(code)) if digits.startswith("+") else digits
    such, usual = _example(code)
    usual = usual or lengths
    many = f"{usual[0]}" if len(usual) == 1 else f"{usual[0]} to {usual[-1]}"
    advice = f"Write {many} digits" + (f", such as {such}." if such else ".")
    if plain.isdecimal() and len(plain) < lengths[0]:
        return BadAddress(f"{shown} is too short for {place}. {advice}")
    if plain.isdecimal() and len(plain) > lengths[-1]:
        return BadAddress(f"{shown} is too long for {place}. {advice}")
    return BadAddress(f"{shown} is not a phone number for {place}. {advice}", code=OTHER_COUNTRY)


def _code_of(digits: str) -> int | None:
    """Return the calling code that international digits begin with."""
    text = digits.removeprefix("+")
    return next(
        (int(text[:size]) for size in (1, 2, 3) if text[:size].isdecimal() and rules_of(int(text[:size]))), None
    )


@lru_cache(maxsize=512)
def _place(code: int) -> str:
    """Return the name of a calling code's main country, in the form for a sentence."""
    region = phonenumbers.region_code_for_country_code(code)
    name = str(Locale("en").territories.get(region, region))
    return f"the {name}" if region in WITH_ARTICLE else name


@lru_cache(maxsize=512)
def _example(code: int) -> tuple[str, list[int]]:
    """Return a mobile number of the calling code as people there write its digits, without the prefix of national
    calls, and how many digits such numbers have."""
    region = phonenumbers.region_code_for_country_code(code)
    number = phonenumbers.example_number_for_type(region, phonenumbers.PhoneNumberType.MOBILE)
    if number is None:
        return "", []
    metadata = PhoneMetadata.metadata_for_region(region)
    lengths = sorted(metadata.mobile.possible_length) if metadata and metadata.mobile else []
    return phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL).partition(" ")[2], lengths


def phone_variants(text: str) -> tuple[str, ...]:
    """Return the text and, if it is part of a phone number such as 0151 123 or 0049 (0)151, its digits in E.164."""
    if len(text) > MAX_TEXT or not _PHONE_PART.fullmatch(text) or sum(character.isdigit() for character in text) < 3:
        return (text,)
    digits = _SEPARATORS.sub("", text.replace("(0)", ""))
    return (text, "+" + digits[2:] if digits.startswith("00") else digits.removeprefix("0"))


def _parse(country_code: str | None, country: str, options: Sequence[str], value: Any) -> Phone:
    """Parse an unusual number with the library; `options` are the readings of its text."""
    phones: dict[str, Phone] = {}
    for digits in options:
        for phone in _readings(country_code, country, digits):
            phones.setdefault(phone.e164, phone)
    own = [phone for phone in phones.values() if phone.country_code == (country_code or phone.country_code)]
    if not own:
        raise _refusal(country_code, country, options[-1], list(phones.values()), value)
    used = own if len(own) == 1 else [phone for phone in own if _is_in_use(phone)]
    if len(used) == 1:
        return used[0]
    if len(options) == 1 and len(used) == 2 and _is_likelier(used[1], used[0]):
        return used[1]
    if country_code is not None and len(options) == 1:
        return (used or own)[0]
    first, second = own[:2]
    raise BadAddress(
        f"{quote_value(value)} may be {first.e164} or {second.e164}. Write it with + and the code of its country."
    )


def _readings(country_code: str | None, country: str, digits: str) -> list[Phone]:
    """Return the numbers that digits may be, the likeliest first."""
    if digits.startswith("00") and not country and country_code != "+1":
        # 0011 is how Australia dials abroad, not the prefix of a number of North America.
        digits = "" if digits.startswith("0011") else f"+{digits[2:]}"
    if digits.startswith("+"):
        phones = [_parse_international(digits)]
    elif country_code:
        phones = _parse_with_prefix(country_code, digits)
    elif country:
        phones = _parse_in_country(country, digits)
    else:
        phones = []
    return [phone for phone in phones if phone is not None]


def _parse_with_prefix(country_code: str, digits: str) -> list[Phone | None]:
    """Return the numbers that digits with a dial prefix in a field of its own may be."""
    own = _parse_possible(f"{country_code}{digits}")
    if not digits.startswith(ABROAD) or (own is not None and _is_in_use(own)):
        return [own, _parse_international(f"+{digits}")]
    abroad = _parse_international(f"+{digits.removeprefix(ABROAD)}")
    return [abroad] if abroad is not None and (_is_in_use(abroad) or abroad.country_code == country_code) else [own]


def _parse_in_country(country: str, digits: str) -> list[Phone | None]:
    """Return the numbers that digits dialled in a country may be, in use: two if both are."""
    own = _parse_possible(digits, country)
    abroad = None
    if digits.startswith("00"):
        abroad = _parse_international(f"+{digits[2:]}")
    elif digits.startswith(ABROAD):
        abroad = _parse_international(f"+{digits.removeprefix(ABROAD)}")
    elif not digits.startswith("0"):
        abroad = _parse_international(f"+{digits}")
    used = [phone for phone in (own, abroad) if phone is not None and _is_in_use(phone)]
    if own is None or own not in used:
        return [*used]
    if trunk_prefix(country) != "0":
        return [own]  # the country writes its numbers without a zero
    is_whole = digits.startswith("0") or not _is_fixed(own)
    return [*used] if is_whole or len(used) > 1 else []


def _is_fixed(phone: Phone) -> bool:
    """Return whether a number is of a fixed line, which is written without its area code at times."""
    kinds = phonenumbers.PhoneNumberType
    return phonenumbers.number_type(phonenumbers.parse(phone.e164)) in (kinds.FIXED_LINE, kinds.FIXED_LINE_OR_MOBILE)


def _parse_international(digits: str) -> Phone | None:
    """Read a number with its dial prefix, and nothing where that comes twice."""
    phone = _parse_possible(digits)
    if phone is None:
        return None
    rest = digits.removeprefix(phone.country_code)
    if not rest.startswith(("00", phone.country_code[1:])):
        return phone
    nested = _parse_possible(f"+{rest.removeprefix('00')}")
    if nested is None or nested == phone or not _is_in_use(nested):
        return phone
    is_doubled = rest.startswith("00") or not _is_in_use(phone) or _is_likelier(nested, phone)
    return None if is_doubled else phone


def _is_likelier(shorter: Phone, longer: Phone) -> bool:
    """Return whether 49170… has the prefix +49, since that makes it a mobile number.

    The library accepts invalid numbers of many digits as fixed-line numbers.
    """
    mobile = phonenumbers.PhoneNumberType.MOBILE
    kinds = [phonenumbers.number_type(phonenumbers.parse(phone.e164)) for phone in (shorter, longer)]
    return kinds[0] == mobile != kinds[1] and shorter.country_code == longer.country_code


def _refusal(country_code: str | None, country: str, digits: str, phones: Sequence[Phone], value: Any) -> BadAddress:
    """Return why digits are no number."""
    is_international = digits.startswith(("+", "00")) and not digits.startswith("0011")
    if not is_international and country_code is None and not country:
        return BadAddress(f"{quote_value(value)} has no country code. {WITH_COUNTRY}", code=NO_COUNTRY)
    if is_international and phones:
        return BadAddress(f"the number {phones[0].e164} does not belong to countryCode {country_code}")
    if country_code is None and not is_international and _parse_possible(digits, country) is not None:
        return BadAddress(f"{quote_value(value)} {NOT_WHOLE}", code=OTHER_COUNTRY)
    code = country_code or (f"+{phonenumbers.country_code_for_region(country)}" if country else None)
    return _invalid_phone(code, digits, quote_value(value))


def _is_in_use(phone: Phone) -> bool:
    return phonenumbers.is_valid_number(phonenumbers.parse(phone.e164, None))


def _parse_possible(text: str, region: str | None = None) -> Phone | None:
    try:
        parsed = phonenumbers.parse(text, region)
    except NumberParseException:
        return None
    if parsed.extension or phonenumbers.is_possible_number_with_reason(parsed) != ValidationResult.IS_POSSIBLE:
        return None
    national = phonenumbers.national_significant_number(parsed)
    return Phone(f"+{parsed.country_code}", national, f"+{parsed.country_code}{national}")
