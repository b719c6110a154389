"""E-mail addresses and phone numbers, as strict as email-validator and phonenumbers and fast enough for imports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import phonenumbers
from babel import Locale
from email_validator import EmailNotValidError, validate_email
from phonenumbers import NumberParseException, PhoneMetadata, PhoneNumberFormat, ValidationResult

from core.errors import shorten

MAX_EMAIL = 254
EMAIL = "Write one such as name@example.com."
PHONE = "Write one such as +49 170 1234567."
WITH_ARTICLE = {"GB", "US", "NL", "AE", "PH", "CZ", "BS", "GM", "MV", "SC", "SB", "KM", "MH", "CD", "CG", "CF", "DO"}
"""Countries whose names have an article in a sentence."""
_LOCAL = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_PLAIN_EMAIL = re.compile(rf"({_LOCAL}(?:\.{_LOCAL})*)@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)", re.ASCII)
_SEPARATORS = re.compile(r"[\s().\-/\u00a0\u2010-\u2015\u202f]+")
_PHONE_PART = re.compile(r"[\s().\-/\u00a0\u2010-\u2015\u202f+0-9]+")
_DIGITS = re.compile(r"[0-9]{1,17}", re.ASCII)


class BadAddress(ValueError):
    """An invalid address or number. The text says why."""


def read_email(value: Any) -> str:
    """Validate an address and normalize its domain, without DNS. Raises BadAddress."""
    if not isinstance(value, str):
        raise BadAddress("needs an e-mail address as text")
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
    try:
        found = validate_email(text, check_deliverability=False, test_environment=True, strict=True).normalized
    except (EmailNotValidError, UnicodeError) as error:
        raise BadAddress(_email_trouble(text, str(error))) from None
    if len(found) > MAX_EMAIL:
        raise BadAddress(f"is longer than {MAX_EMAIL} characters")
    return found


@dataclass(frozen=True, slots=True)
class Phone:
    """A phone number: dial prefix (+49), national significant digits, and both as E.164."""

    country_code: str
    number: str
    e164: str


@dataclass(frozen=True, slots=True)
class _Country:
    """Rules of a calling code that quickly decide whether digits are a national significant number."""

    lengths: frozenset[int]
    prefixed: re.Pattern[str]
    """Matches digits that may begin with a prefix."""
    trunk: str
    """The prefix of national calls, if it is plain digits (0 in Germany)."""
    viable: re.Pattern[str]
    """Matches the digits that a number of the country may have."""

    def national(self, digits: str) -> str | None:
        """Return the national significant number, or None if it is ambiguous."""
        if not self.prefixed.match(digits):
            return digits if len(digits) in self.lengths else None
        rest = digits[len(self.trunk) :]
        if (
            self.trunk
            and digits.startswith(self.trunk)
            and len(rest) in self.lengths
            and rest[0] != "0"
            and not self.viable.fullmatch(digits)
        ):
            return rest
        return None


def read_country_code(value: Any) -> str:
    """Read a dial prefix as +49, from +49, 49, 0049 or DE. Raises BadAddress."""
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if len(text) == 2 and text.isalpha() and text.isascii():
        code = phonenumbers.country_code_for_region(text.upper())
    else:
        digits = _SEPARATORS.sub("", text).removeprefix("+").removeprefix("00")
        code = int(digits) if _DIGITS.fullmatch(digits) and len(digits) <= 3 and digits[0] != "0" else 0
    if not code or _country(code) is None:
        raise BadAddress(f"{shorten(value, 40) or 'Nothing'} is no dial prefix. Write one such as +49.")
    return f"+{code}"


def read_phone(country_code: str | None, value: Any) -> Phone:
    """Read a number: national with a dial prefix such as +49, or international. Raises BadAddress.

    It checks the length only, since tables of the ranges in use are never up to date.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadAddress("needs a phone number as text")
    digits = _SEPARATORS.sub("", str(value))
    if country_code is not None and _DIGITS.fullmatch(digits):
        country = _country(int(country_code[1:]))
        national = country.national(digits) if country else None
        if national is not None:
            return Phone(country_code, national, country_code + national)
    return _parse(country_code, digits, value)


def _email_trouble(text: str, why: str) -> str:
    """Say what is wrong with an e-mail address, and what to write."""
    shown = shorten(text, 60)
    if "@" not in text:
        return f"{shown} is no e-mail address: it has no @. {EMAIL}"
    return f"{shown} is no e-mail address: {why[:1].lower()}{why[1:].rstrip('.')}. {EMAIL}"


def _phone_trouble(country_code: str | None, digits: str, shown: str) -> str:
    """Say what is wrong with a phone number, and what to write: how many digits, such as which."""
    code = int(country_code[1:]) if country_code and not digits.startswith("+") else _code_of(digits)
    country = _country(code) if code else None
    if code is None or country is None:
        return f"{shown} is no phone number. {PHONE}"
    place = f"{_place(code)} (+{code})"
    lengths = sorted(country.lengths)
    plain = digits.removeprefix("+").removeprefix(str(code)) if digits.startswith("+") else digits
    such, usual = _example(code)
    usual = usual or lengths
    many = f"{usual[0]}" if len(usual) == 1 else f"{usual[0]} to {usual[-1]}"
    advice = f"Write {many} digits" + (f", such as {such}." if such else ".")
    if not plain.isdecimal():
        return f"{shown} is no phone number for {place}. {advice}"
    if len(plain) < lengths[0]:
        return f"{shown} is too short for {place}. {advice}"
    if len(plain) > lengths[-1]:
        return f"{shown} is too long for {place}. {advice}"
    return f"{shown} is no phone number for {place}. {advice}"


def _code_of(digits: str) -> int | None:
    """Return the calling code that international digits begin with."""
    text = digits.removeprefix("+")
    return next(
        (int(text[:size]) for size in (1, 2, 3) if text[:size].isdecimal() and _country(int(text[:size]))), None
    )


@lru_cache(maxsize=512)
def _place(code: int) -> str:
    """Return the name of a calling code's main country, as it stands in a sentence."""
    region = phonenumbers.region_code_for_country_code(code)
    name = str(Locale("en").territories.get(region, region))
    return f"the {name}" if region in WITH_ARTICLE else name


@lru_cache(maxsize=512)
def _example(code: int) -> tuple[str, list[int]]:
    """Return a mobile number of the calling code as people there write its digits, without the prefix of national
    calls, and how many digits such numbers have."""
    region = phonenumbers.region_code_for_country_code(code)
    found = phonenumbers.example_number_for_type(region, phonenumbers.PhoneNumberType.MOBILE)
    if found is None:
        return "", []
    metadata = PhoneMetadata.metadata_for_region(region)
    lengths = sorted(metadata.mobile.possible_length) if metadata and metadata.mobile else []
    return phonenumbers.format_number(found, PhoneNumberFormat.INTERNATIONAL).partition(" ")[2], lengths


def phone_variants(text: str) -> tuple[str, ...]:
    """Return the text and, if it is part of a phone number such as 0151 123 or 0049 (0)151, its digits in E.164."""
    if not _PHONE_PART.fullmatch(text) or sum(character.isdigit() for character in text) < 3:
        return (text,)
    digits = _SEPARATORS.sub("", text.replace("(0)", ""))
    return (text, "+" + digits[2:] if digits.startswith("00") else digits.removeprefix("0"))


@lru_cache(maxsize=512)
def _country(code: int) -> _Country | None:
    region = phonenumbers.region_code_for_country_code(code)
    if region == "ZZ":
        return None
    metadata = (
        PhoneMetadata.metadata_for_nongeo_region(code) if region == "001" else PhoneMetadata.metadata_for_region(region)
    )
    if metadata is None:
        return None
    prefix, general = metadata.national_prefix_for_parsing, metadata.general_desc
    if general is None:
        return None
    return _Country(
        lengths=frozenset(general.possible_length),
        # A leading zero or calling code may belong to the number or not: only the library knows.
        prefixed=re.compile(f"(?:0|{code}|{prefix})" if prefix else f"(?:0|{code})", re.ASCII),
        trunk=prefix if prefix and prefix.isdigit() and not metadata.national_prefix_transform_rule else "",
        viable=re.compile(general.national_number_pattern or "", re.ASCII),
    )


def _parse(country_code: str | None, digits: str, value: Any) -> Phone:
    """Parse with the library a number with an international or national prefix, letters, or an unusual length."""
    if digits.startswith("00") and country_code != "+1":
        digits = "+" + digits[2:]
    international = digits.startswith("+")
    if not international and country_code is None:
        raise BadAddress(
            f"{shorten(value, 40)} lacks its country. Write it such as +49 170 1234567, or countryCode beside it."
        )
    found = [_possible(text) for text in ([digits] if international else [f"{country_code}{digits}", f"+{digits}"])]
    own = [phone for phone in found if phone is not None and phone.country_code == (country_code or phone.country_code)]
    if own:
        # 49170… beside +49 may contain the prefix or not: the number in use is meant.
        return next((phone for phone in own if _in_use(phone)), own[0])
    if international and found[0] is not None:
        raise BadAddress(f"the number {found[0].e164} does not belong to countryCode {country_code}")
    raise BadAddress(_phone_trouble(country_code, digits, shorten(value, 40)))


def _in_use(phone: Phone) -> bool:
    return phonenumbers.is_valid_number(phonenumbers.parse(phone.e164, None))


def _possible(text: str) -> Phone | None:
    try:
        parsed = phonenumbers.parse(text, None)
    except NumberParseException:
        return None
    if parsed.extension or phonenumbers.is_possible_number_with_reason(parsed) != ValidationResult.IS_POSSIBLE:
        return None
    national = phonenumbers.national_significant_number(parsed)
    return Phone(f"+{parsed.country_code}", national, f"+{parsed.country_code}{national}")
