"""Phone numbers as people and spreadsheets write them, reduced to the digits that phonenumbers parses.

A text that clearly contains one number is accepted. Everything else is refused, because digits joined across marks
would form another person's number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from urllib.parse import unquote

from phonenumbers import COUNTRY_CODE_TO_REGION_CODE

MAX_TEXT = 200
MAX_AREA = 5
"""The most digits of an area code."""
TWO = "holds two numbers. Write one of them."
EXTENSION = "has an extension, which cannot be kept. Write the number without it."
LETTERS = "holds words or letters. Write the digits of the number alone."
CUT = "was shortened by a spreadsheet. Write all digits of the number, in a column of texts."
FRACTION = "is a number with decimals. Write the digits of the phone number alone."
TAIL = "ends with digits that may be an extension. Write the number without them, or without the space."
UNREADABLE = "is not a phone number. Write one such as +49 170 1234567."

_MARKS = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\u30fc\ufe58\ufe63", "-"),
    **dict.fromkeys("\u2014\u2015", " - "),
    **dict.fromkeys("\u00b7\u2022\u2219\u22c5\u30fb\u2024", "."),
    **dict.fromkeys("\u2044\u2215", "/"),
    **dict.fromkeys("\ufe62\u2795", "+"),
    **dict.fromkeys("[{", "("),
    **dict.fromkeys("]}", ")"),
    **dict.fromkeys("\u2018\u2019\u201b\u0060\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
    **dict.fromkeys("\u260e\u260f\u2706\u2121\U0001f4de\U0001f4f1\U0001f4f2\U0001f57f\U0001f581", " "),
    **dict.fromkeys("\ufe0e\ufe0f\u034f", ""),
    "\u060c": ",",
    "\u061b": ";",
    "\u3001": ",",
}
_WRAPPED = re.compile(r'=?\s*"([^"]*)"|=\s*([^="]*)|\'([^\']*)\'?')
_URI = re.compile(r"(?:tel|callto|phone|whatsapp):(?://)?(.*)", re.IGNORECASE | re.DOTALL)
_SCIENTIFIC = re.compile(r"\+?([0-9])(?:[.,]([0-9]+))?[eE]\+?([0-9]{1,2})")
_DECIMALS = re.compile(r"([^.,]*[0-9])[.,](0+)", re.DOTALL)
_THOUSANDS = re.compile(r"\+?[0-9]{1,3}(?:\.[0-9]{3})+,0{1,2}")
_EXTENSION = re.compile(
    r"(?<=[0-9\s().,;/-])(?:\#|x|xt|ext|extn|extension|erw|durchwahl|dw|nebenstelle|nst|app|apparat|poste|int|interno|anexo"
    r"|ramal|toestel|anknytning|wew|доб|доп|内線|分机|转|轉)[\s.:\#)-]*=?\s*[0-9]{1,7}[\s)]*$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"[;,|&\n\r]|:::|(?<![^\W\d_])(?:or|oder|ou|o|u|und|and|et|y|e|bzw|resp|или|и)(?![^\W\d_])\.?", re.IGNORECASE
)
_LEADING = re.compile(r"\s*([^\W\d_]+)[\s.:()*-]*")
_TRAILING = re.compile(r"[\s.:(*-]*([^\W\d_]+)[\s.:)]*$")
_ALLOWED = re.compile(r"[0-9+()./\s-]+")
_DIGIT = re.compile(r"[0-9]")
_NOT_DIGITS = re.compile(r"[^0-9]+")
_STRONG = re.compile(r"\s*/\s*|\s+-+\s*|\s*-+\s+|-{2,}")
"""Separators between an area code and a number, or between two numbers."""
SHORT_TAIL = re.compile(r"[0-9]{6}\s+\(?[0-9]{1,2}\)?\s*$")
"""One or two digits at the end, after a space and a number that may be whole without them."""
_WORDS = (
    "tel telefon telefonnummer telefonnr telephone téléphone teléfono telefono telefone telefoon telefonu",
    "fon phone ph p t m c h w mob mobile mobil mobilnummer mobiltelefon móvil movil celular cell cellphone",
    "cellular handy handynummer gsm natel portable number no nr num numéro numero número nummer rufnummer",
    "home work office private privat geschäftlich dienstlich büro main direct direkt business personal",
    "other primary whatsapp signal call callto festnetz landline zentrale switchboard international тел",
    "телефон моб мобильный 电话 電話 手机 手機 携帯 전화 هاتف جوال",
)
LABELS = frozenset(word for line in _WORDS for word in line.split())
"""Words before or after a number that describe its kind."""


class UnclearNumber(ValueError):
    """A text that does not contain exactly one phone number. The message is the reason, without the text."""


def read_digits(text: str) -> list[str]:
    """Return the readings of a written number: digits, with + in front if it is international.

    There are two readings of a zero in parentheses: without it, and with it. Raises UnclearNumber.
    """
    if len(text) > MAX_TEXT:
        raise UnclearNumber(UNREADABLE)
    ascii = to_ascii(text)
    if not _DIGIT.search(ascii):
        raise UnclearNumber(UNREADABLE)
    plain = _strip_labels(_require_one_number(_read_decimal(_strip_uri(_unwrap(ascii)))))
    if any(letter.isalpha() for letter in plain):
        raise UnclearNumber(LETTERS)
    if not _ALLOWED.fullmatch(plain):
        raise UnclearNumber(UNREADABLE)
    _check_signs(plain)
    _check_dots(plain)
    _check_groups(plain)
    if re.search(r"\(\s*0\s*\)", plain):
        return [_digits(re.sub(r"\(\s*0\s*\)", "", plain)), _digits(plain)]
    return [_digits(plain)]


def to_ascii(text: str) -> str:
    """Return the text with digits and marks of all scripts in ASCII, without invisible characters."""
    if text.isascii():
        return text
    letters = []
    for letter in text:
        if letter in _MARKS:
            letters.append(_MARKS[letter])
        elif 0xFF01 <= ord(letter) <= 0xFF5E:
            letters.append(chr(ord(letter) - 0xFEE0))  # full-width forms
        elif letter.isdecimal():
            letters.append(str(unicodedata.decimal(letter)))
        elif unicodedata.category(letter) != "Cf":
            letters.append(letter)
    return "".join(letters)


def _digits(plain: str) -> str:
    sign = "+" if "+" in plain else ""
    return sign + _NOT_DIGITS.sub("", plain)


def _unwrap(text: str) -> str:
    """Return the text without the quotes, apostrophe or formula that keep it a text in a spreadsheet."""
    text = text.strip()
    for _ in range(3):
        match = _WRAPPED.fullmatch(text)
        if match is None:
            break
        text = next(part for part in match.groups() if part is not None).strip()
    return text


def _strip_uri(text: str) -> str:
    """Return the number of a tel: URI. Raises UnclearNumber for an extension, or a context that the number needs."""
    match = _URI.fullmatch(text)
    if match is None:
        if re.search(r";\s*ext\s*=", text, re.IGNORECASE):
            raise UnclearNumber(EXTENSION)
        return text
    number, *parameters = to_ascii(unquote(match[1])).split(";")
    if any(parameter.strip().lower().startswith("ext=") for parameter in parameters):
        raise UnclearNumber(EXTENSION)
    if any("=" in parameter for parameter in parameters):
        raise UnclearNumber("has parameters that cannot be kept. Write the number alone.")
    return ";".join([number, *parameters])


def _read_decimal(text: str) -> str:
    """Return a number that a spreadsheet wrote with decimals or an exponent as its digits."""
    if match := _SCIENTIFIC.fullmatch(text):
        decimals, exponent = match[2] or "", int(match[3])
        significant = decimals.rstrip("0") if len(decimals) > exponent else decimals
        if len(significant) != exponent:
            raise UnclearNumber(CUT if len(significant) < exponent else FRACTION)
        return ("+" if text.startswith("+") else "") + match[1] + significant
    if _THOUSANDS.fullmatch(text):
        return text.partition(",")[0]
    match = _DECIMALS.fullmatch(text)
    if match is None:
        return text
    is_decimal = len(match[2]) <= 2 or sum(letter.isdigit() for letter in match[1]) > 6
    return match[1] if is_decimal else text


def _require_one_number(text: str) -> str:
    """Return the only part of the text that holds a number. Raises UnclearNumber where several do."""
    if _EXTENSION.search(text):
        raise UnclearNumber(EXTENSION)
    if text.find("+", 1) > 0 and re.search(r"[0-9][^+]*\+\s*[0-9(]", text):
        raise UnclearNumber(TWO)
    pieces = [piece for piece in _BETWEEN.split(text) if piece.strip()]
    numbers = [piece for piece in pieces if _DIGIT.search(piece)]
    if len(numbers) > 1:
        raise UnclearNumber(TWO)
    others = [piece for piece in pieces if not _DIGIT.search(piece)]
    if any(_strip_labels(piece).strip(" .:()-") for piece in others):
        raise UnclearNumber(LETTERS)
    return numbers[0]


def _strip_labels(text: str) -> str:
    """Return the text without known words before and after the number, such as Tel. or (home)."""
    while (match := _LEADING.match(text)) and match[1].casefold() in LABELS:
        rest = text[match.end(1) :].lstrip(" \t.:*-")
        text = rest[1:] if rest.startswith(")") else rest
    while (match := _TRAILING.search(text)) and match[1].casefold() in LABELS:
        text = text[: match.start()]
    return text.strip()


def _check_signs(plain: str) -> None:
    """Refuse a plus that is not the first sign of the number, and parentheses that hold something of their own."""
    if plain.count("+") > 1 or ("+" in plain and re.search(r"[0-9]", plain.partition("+")[0])):
        raise UnclearNumber(TWO)
    for match in re.finditer(r"\(", plain):
        before = _national_number(_digits(plain[: match.start()]))
        if len(before) > MAX_AREA:
            raise UnclearNumber(TWO)


def _check_dots(plain: str) -> None:
    """Refuse a dot that makes a decimal number of the digits, and no group of a phone number."""
    head, dot, tail = plain.rpartition(".")
    if not dot:
        return
    after = len(_digits(tail))
    group = len(_NOT_DIGITS.split(head.rstrip())[-1])
    is_only = "." not in head and len(_digits(head).lstrip("+")) >= 7
    is_decimal = after <= 2 and (is_only or group >= 5)
    if after < 2 or is_decimal or (group >= 7 and after < 6):
        raise UnclearNumber(FRACTION)


def _check_groups(plain: str) -> None:
    """Refuse two numbers with a slash or a dash, or written one after the other, and short groups at the end."""
    if SHORT_TAIL.search(plain):
        raise UnclearNumber(TAIL)
    groups = [digits for part in _STRONG.split(plain) if (digits := _digits(part))]
    if len(groups) > 1 and not _is_one_number(groups, has_slash="/" in plain):
        raise UnclearNumber(TWO)
    digit_groups = [word for word in _NOT_DIGITS.split(plain) if word]
    if sum(map(len, digit_groups)) < 13:
        return
    area = digit_groups[1] if "+" in plain and len(digit_groups) > 1 else digit_groups[0]
    area_codes = {f"0{area}"} if len(area) == 1 else {area, area.removeprefix("0"), f"0{area}"}
    for place in range(2, len(digit_groups)):
        is_second = digit_groups[place] in area_codes
        if is_second and min(map(len, ("".join(digit_groups[:place]), "".join(digit_groups[place:])))) >= 5:
            raise UnclearNumber(TWO)


def _is_one_number(groups: Sequence[str], *, has_slash: bool) -> bool:
    """Return whether groups of digits are an area code and a number, and not two numbers."""
    head = _national_number(groups[0])
    if len(head) > MAX_AREA:
        return False
    tails = [*groups[1:]] if head else [*groups[2:]]
    if len(tails) > 1:
        most = 2 if has_slash else 4
        return all(2 <= len(group) <= most for group in tails)
    if not tails:
        return True
    tail = tails[0]
    is_alike = len(tail) == len(groups[0]) and tail[: len(tail) // 2] == groups[0][: len(tail) // 2]
    has_two_trunks = groups[0].startswith("0") and tail.startswith("0")
    return len(tail) >= 3 and not is_alike and not has_two_trunks


def _national_number(digits: str) -> str:
    """Return the digits without the code of their country and the zero of national calls."""
    if digits.startswith("00"):
        digits = f"+{digits[2:]}"
    if digits.startswith("+"):
        rest = digits[1:]
        sizes = (size for size in (1, 2, 3) if int(rest[:size] or 0) in COUNTRY_CODE_TO_REGION_CODE)
        digits = rest[next(sizes, 0) :]
    return digits.removeprefix("0")
