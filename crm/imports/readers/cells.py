"""Recognise the kind of a cell's value: an address, a number, a day or a label."""

from __future__ import annotations

import re
from datetime import date, datetime, time

from core.ids import is_id
from crm.imports.readers.base import Cell
from crm.imports.readers.synonyms import SYNONYMS, WORDS
from crm.imports.readers.words import normalise

MAX_LABEL_CHARS = 60
# An address or a number is shorter; a longer cell is free text, whatever it begins with.
MAX_VALUE_CHARS = 500
MAX_PARTS = 5
EMAIL = re.compile(r"(?:mailto:)?[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@.,;<>]{2,}", re.IGNORECASE)
PHONE = re.compile(r"(?:tel:)?(?:\+|00)[1-9][\d\s().\-/]{5,20}\d|0\d[\d\s().\-/]{5,18}\d|\(\d{2,5}\)[\d\s.\-/]{5,16}\d")
BETWEEN_VALUES = re.compile(r"[;,|]|:::")
DAY = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d.*)?|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})(?: \d.*)?"
    r"|\d{1,2}[ -][A-Za-z]{3,9}\.?[ -]\d{2,4}|[A-Za-z]{3,9} \d{1,2}, \d{4}"
)
NUMBER = re.compile(r"[(+-]?\s?(?:[$€£¥]|[A-Z]{3})?\s?[+-]?\d[\d.,' \u00a0]*\s?(?:%|[$€£¥]|[A-Z]{3})?\)?")
URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
LETTER = re.compile(r"[^\W\d_]")
# Headers of columns that no field of a contact has, but that distinguish a header row from data.
OTHER_HEADERS = frozenset(
    re.findall(
        r"\w+",
        """
        id no nr company organization organisation account firm firma unternehmen societe empresa azienda title job
        position role department notes note comment comments street address city town country state region zip
        postcode zipcode plz ort strasse land website url web birthday date created status source owner stage amount
        value price tags tag labels category type group groups language gender salutation anrede linkedin industry first
        last
        """,
    )
)
OTHER_PHRASES = frozenset(
    {
        *("job title", "company name", "account name", "zip code", "postal code", "connected on", "create date"),
        *("created at", "created on", "record id", "contact id", "lead source", "lead status", "last activity"),
        *("last modified", "phone 1 value", "e mail 1 value", "organization name", "home phone", "mailing city"),
    }
)


def kind_of(cell: Cell) -> str:
    """Return the kind of a cell: "" for an empty one, else email, phone, url, day, number or text."""
    if cell is None or cell == "":
        return ""
    if isinstance(cell, datetime | date | time):
        return "day"
    if isinstance(cell, int | float):
        return "number"
    text = cell.strip().lstrip("'")
    if not text:
        return ""
    if len(text) > MAX_VALUE_CHARS:
        return "url" if URL.fullmatch(text) else "text"
    if is_email(text):
        return "email"
    if URL.fullmatch(text):
        return "url"
    if any(char.isdigit() for char in text[:40]):
        if DAY.fullmatch(text):
            return "day"
        if PHONE.fullmatch(text):
            return "phone"
        if NUMBER.fullmatch(text):
            return "number"
    return "text"


def is_email(text: str) -> bool:
    """Return whether the text is one email address."""
    return "@" in text and EMAIL.fullmatch(text.strip()) is not None


def identifies_record(cell: Cell) -> bool:
    """Return whether the cell holds an _id, an email address or a phone number, which makes its row a record."""
    if isinstance(cell, str):
        if is_id(cell):
            return True
        begin = cell.strip()[:MAX_VALUE_CHARS]
        parts = BETWEEN_VALUES.split(begin, MAX_PARTS)[:MAX_PARTS]
        return any(kind_of(part) in ("email", "phone") for part in parts)
    # A phone number that a spreadsheet stores as a number.
    return isinstance(cell, int | float) and not isinstance(cell, bool) and 10**8 <= cell < 10**15


def is_label(cell: Cell) -> bool:
    """Return whether the cell can be a header: a short text with a letter that is no address, number or day."""
    return (
        isinstance(cell, str)
        and len(cell.strip()) <= MAX_LABEL_CHARS
        and LETTER.search(cell) is not None
        and kind_of(cell) == "text"
    )


def is_known_header(cell: Cell) -> bool:
    """Return whether the cell is a header that exports use."""
    if not isinstance(cell, str) or len(cell) > MAX_LABEL_CHARS or not LETTER.search(cell):
        return False
    text = normalise(cell)
    if text in OTHER_HEADERS or text in OTHER_PHRASES or any(text in phrases for phrases in SYNONYMS.values()):
        return True
    words = text.split()
    return 1 < len(words) <= 5 and any(word in vocabulary for vocabulary in WORDS.values() for word in words)
