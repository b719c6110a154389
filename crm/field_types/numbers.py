"""Numbers and amounts of money as people write them in files.

"1,234" may be 1234 or 1.234. A text alone is ambiguous; the other values of its column may decide
(crm.imports.columns.evidence).
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from babel.core import Locale

from core.errors import shorten
from core.text.formats import list_currencies
from crm.field_types.base import BadValue

NUMBER = "Enter a number, for example 1200."
MARKS = (".", ",")
BOTH = "".join(MARKS)
MAX_CHARS = 80
PLAIN = re.compile(r"-?\d{1,15}", re.ASCII)
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:([,.' ])\d{3})+", re.ASCII)
_INDIAN = re.compile(r"[1-9]\d?(?:,\d{2})*,\d{2},\d{3}", re.ASCII)
_EXPONENT = re.compile(r"([+-]?[\d.,]+)[eE]([+-]?\d{1,3})", re.ASCII)
_SIMPLE = re.compile(r"-?\d+([.,])\d+", re.ASCII)
_MAYBE_GROUPED = re.compile(r"-?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
_STOP = re.compile(r"(?<=[^\W\d_])\.(?=[\s\d+(-]|$)")
_DIGITS = re.compile(r"\d+", re.ASCII)
_AROUND = re.compile(r"([^\d.,+\-(]*)([+\-(]*)([^\d.,+\-()]*)([\d.,].*?)([+\-)]*)([^\d.,+\-()]*)", re.ASCII | re.DOTALL)
_NO_CENTS = re.compile(r"(?<=\d)([.,])[-–—]{1,2}(?=\D*$)")
_SAME = str.maketrans(
    {"’": "'", "‘": "'", "`": "'", "´": "'", "−": "-", "–": "-", "—": "-", "‒": "-", "‐": "-", "‑": "-"}
)
_LOCALES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "nb", "fi", "cs", "ru", "tr", "ja", "zh")
_WORDS = {
    "rs": ("INR", "PKR", "LKR", "NPR", "MUR", "SCR"),
    "kr": ("SEK", "NOK", "DKK", "ISK"),
    "fr": ("CHF",),
    "sfr": ("CHF",),
    "euro": ("EUR",),
    "euros": ("EUR",),
    "$": tuple(sorted(currency.code for currency in list_currencies() if currency.code.endswith("D"))) + ("MXN", "BRL"),
    "£": ("GBP", "EGP", "GIP", "FKP", "SHP", "LBP", "SYP"),
    "¥": ("JPY", "CNY"),
    "円": ("JPY",),
    "元": ("CNY",),
    "₽": ("RUB",),
    "zł": ("PLN",),
    "kč": ("CZK",),
}
"""Signs and words for a currency, beyond the CLDR's."""


@lru_cache(maxsize=1)
def currency_signs() -> dict[str, frozenset[str]]:
    """Return sign or code in lower case -> the currencies that are written so."""
    codes_by_sign: dict[str, set[str]] = {word: set(codes) for word, codes in _WORDS.items()}
    codes = [currency.code for currency in list_currencies()]
    for code in codes:
        codes_by_sign.setdefault(code.lower(), set()).add(code)
    for name in _LOCALES:
        symbols = Locale.parse(name).currency_symbols
        for code in codes:
            sign = str(symbols.get(code, "")).lower().rstrip(".")
            if sign and sign not in _WORDS:
                codes_by_sign.setdefault(sign, set()).add(code)
    return {sign: frozenset(codes) for sign, codes in codes_by_sign.items()}


def marks_of(text: str) -> str:
    """Return the decimal marks with which the text is a number: ".", ",", or ".," when both would do.

    Empty for a text that is not a number.
    """
    simple = _SIMPLE.fullmatch(text) if len(text) <= MAX_CHARS else None
    if simple and not _MAYBE_GROUPED.fullmatch(text):
        return simple[1]
    try:
        return _parse(text)[2]
    except BadValue:
        return ""


def number_text(number: float | Decimal) -> str:
    """Return a number as a text that is read as the same number in any column: 1.234 as 1.2340."""
    text = format(number, "f") if isinstance(number, Decimal) else repr(number)
    return f"{text}0" if _MAYBE_GROUPED.fullmatch(text) else text


class AmbiguousNumber(BadValue):
    """A text that may be either of two numbers. `meanings` says which, without the options of imports."""

    def __init__(self, meanings: str) -> None:
        super().__init__(f'{meanings}. Say which mark is the decimal one: set the option decimalMark to "." or ",".')
        self.meanings = meanings


def read_number(text: str, decimal_mark: str = "", currency: str = "") -> Decimal:
    """Parse a number as people write it: 1234.5, 1,234.5, 1.234,5, 1 234,5, 1'234.50, (5) or €5.

    Without a `decimal_mark`, a text such as 1,234 is refused, which may be either of two numbers. So is the sign of
    another currency than `currency`. Raises BadValue, and AmbiguousNumber for such a text.
    """
    simple = _SIMPLE.fullmatch(text) if len(text) <= MAX_CHARS else None
    if simple and (simple[1] == decimal_mark or not (decimal_mark or _MAYBE_GROUPED.fullmatch(text))):
        return Decimal(text.replace(",", "."))
    body, exponent, marks = _parse(text, currency)
    if decimal_mark and decimal_mark not in marks:
        raise BadValue(f"{_shown(text)} is not a number with the decimal mark {decimal_mark!r}. Check decimalMark.")
    if not decimal_mark and len(marks) > 1 and _differs(body):
        point, comma = (_value(body, mark, exponent).normalize() for mark in MARKS)
        raise AmbiguousNumber(f"{_shown(text)} may be {point:f} or {comma:f}")
    return _value(body, decimal_mark or marks[0], exponent)


def _differs(body: str) -> bool:
    return "," in body or "." in body


def _value(body: str, mark: str, exponent: int) -> Decimal:
    plain = re.sub(r"[' ]", "", body).replace("," if mark == "." else ".", "").replace(",", ".")
    try:
        return Decimal(plain).scaleb(exponent) if exponent else Decimal(plain)
    except InvalidOperation:
        raise BadValue(f"{_shown(body)} is not a number. {NUMBER}") from None


@lru_cache(maxsize=20_000)
def _parse(text: str, currency: str | None = None) -> tuple[str, int, str]:
    """Return the digits with sign and marks, the exponent, and the decimal marks that they allow."""
    if len(text) > MAX_CHARS:
        raise BadValue(f"{_shown(text)} is not a number. {NUMBER}")
    plain = text if text.isascii() else _ascii_digits(text)
    plain = _STOP.sub("", " ".join(plain.split()))
    cents = _NO_CENTS.search(plain)
    if cents:
        plain = plain[: cents.start()] + plain[cents.end() :]
    scientific = _EXPONENT.fullmatch(plain)
    if scientific:
        body = scientific[1].lstrip("+-")
        marks = _marks(body)
        # An exponent follows a number without groups.
        marks = "".join(mark for mark in marks if mark in body) or ("" if re.search("[.,]", body) else BOTH)
        return _checked(text, plain[0] == "-", body, int(scientific[2]), marks)
    match = _AROUND.fullmatch(plain)
    if match is None:
        raise BadValue(f"{_shown(text)} is not a number. {NUMBER}")
    before, sign, inner, body, after, behind = (part.strip() for part in match.groups())
    signs = sign + after
    if signs not in ("", "-", "+", "()", "-()"):
        raise BadValue(f"{_shown(text)} is not a number. {NUMBER}")
    _check_currency(text, [part for part in (before, inner, behind) if part], currency)
    marks = _marks(body)
    if cents:
        marks = cents[1] if cents[1] not in body and cents[1] in marks else marks.replace(cents[1], "")
    return _checked(text, "-" in signs or "(" in signs, body, 0, marks)


def _checked(text: str, negative: bool, body: str, exponent: int, marks: str) -> tuple[str, int, str]:
    if not marks:
        raise BadValue(f"{_shown(text)} is not a number. {NUMBER}")
    return ("-" if negative else "") + body, exponent, marks


def _marks(body: str) -> str:
    """Return the decimal marks with which digits and their separators are a number."""
    return "".join(mark for mark in MARKS if _fits(body, mark))


def _fits(body: str, mark: str) -> bool:
    whole, has_mark, fraction = body.partition(mark)
    if has_mark and not (_DIGITS.fullmatch(fraction) or (not fraction and _DIGITS.fullmatch(whole))):
        return False
    if not whole:
        return bool(fraction)
    if _DIGITS.fullmatch(whole):
        return True
    grouped = _GROUPED.fullmatch(whole)
    if grouped:
        return len(set(re.findall(r"\D", whole))) == 1
    return mark == "." and bool(_INDIAN.fullmatch(whole))


def _check_currency(text: str, words: list[str], currency: str | None) -> None:
    """Refuse words around the digits that name no currency, or another one than the company's."""
    if not words:
        return
    if "%" in "".join(words):
        raise BadValue(f"{_shown(text)} has a percent sign. Enter the number without it.")
    for word in words:
        codes = currency_signs().get(word.lower().rstrip(". ")) or currency_signs().get(word.lower())
        if codes is None:
            raise BadValue(f"{_shown(text)} is not a number. {NUMBER}")
        if currency is not None and currency not in codes:
            named = min(codes) if len(codes) == 1 else word
            own = f"The company's amounts are in {currency}" if currency else "The field holds a plain number"
            raise BadValue(f"{_shown(text)} is an amount in {named}. {own}. Convert it and enter the number alone.")


def _ascii_digits(text: str) -> str:
    """Return the text with ASCII digits, blanks, signs and marks. Raises BadValue for 10², ③ and ½.

    Powers and footnotes that are joined to the digits before them make another number.
    """
    if any(_is_numeral(char) for char in text):
        raise BadValue(f"{_shown(text)} has signs like ², ① or ½. {NUMBER}")
    plain = unicodedata.normalize("NFKC", text.translate(_SAME)).translate(_SAME)
    plain = plain.replace("٫", ".").replace("٬", "'")
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in plain)


def _is_numeral(char: str) -> bool:
    """Return whether a character that is no digit would be changed to digits."""
    return not (char.isascii() or char.isdecimal()) and any(map(str.isdecimal, unicodedata.normalize("NFKC", char)))


def _shown(text: str) -> str:
    short = shorten(text, 60)
    return f"“{short}”" if " " in short or not short else short
