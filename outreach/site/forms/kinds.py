"""The kinds of fields of own forms, and the reading of visitors' input."""

from __future__ import annotations

import re
from datetime import date
from math import isfinite
from typing import Any

from django.utils.translation import gettext

from core.text.addresses import BadAddress, read_email, read_phone
from core.text.folding import shows_nothing
from core.text.translation import gettext_lazy
from core.types import Values

TEXT = "text"
EMAIL = "email"
PHONE = "phone"
NUMBER = "number"
TEXTAREA = "textarea"
SELECT = "select"
MULTI = "multiSelect"
CHECKBOX = "checkbox"
DATE = "date"
HIDDEN = "hidden"
CONSENT = "consent"
FIELD_TYPES = {
    TEXT: gettext_lazy("Text"),
    TEXTAREA: gettext_lazy("Long text"),
    EMAIL: gettext_lazy("Email address"),
    PHONE: gettext_lazy("Phone number"),
    NUMBER: gettext_lazy("Number"),
    SELECT: gettext_lazy("Choice of one"),
    MULTI: gettext_lazy("Choice of several"),
    CHECKBOX: gettext_lazy("Check box"),
    DATE: gettext_lazy("Date"),
    HIDDEN: gettext_lazy("Hidden value"),
    CONSENT: gettext_lazy("Consent"),
}
"""Kind -> its label."""
CHOICES = frozenset({SELECT, MULTI})
MAX_ANSWER_LENGTH = 2000
"""The most characters of an answer."""
YES = "yes"
KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,59}")
_UNWRITTEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


class BadAnswer(ValueError):
    """An answer that its field cannot take; the text is for the visitor."""


def read_answer(field: Values, raw_answer: Any, country_code: str = "", country: str = "") -> str | list[str]:
    """Return the answer as it is stored; empty: there is none. Raises BadAnswer.

    Numbers without a dial prefix have that of `country_code`, or else belong to `country`.
    """
    kind = field["type"]
    if kind == MULTI:
        items = raw_answer if isinstance(raw_answer, list) else [raw_answer]
        chosen = list(dict.fromkeys(_text(item) for item in items[:100] if item))
        if any(item not in field["options"] for item in chosen):
            raise BadAnswer(gettext("Choose one of the options."))
        if field["required"] and not chosen:
            raise BadAnswer(gettext("Choose at least one option."))
        return chosen
    if kind in (CHECKBOX, CONSENT):
        is_set = raw_answer is True or (
            isinstance(raw_answer, str) and raw_answer.strip().lower() in ("yes", "on", "true", "1")
        )
        if field["required"] and not is_set:
            raise BadAnswer(gettext("Tick this box to continue."))
        return YES if is_set else ""
    text = field["value"] if kind == HIDDEN and raw_answer in (None, "") else _text(raw_answer)
    if shows_nothing(text):
        if field["required"]:
            raise BadAnswer(gettext("Enter a value."))
        return ""
    return _read(field, kind, text, country_code, country)


def _read(field: Values, kind: str, text: str, country_code: str, country: str) -> str:
    try:
        if kind == EMAIL:
            return read_email(text)
        if kind == PHONE:
            return read_phone(country_code or None, text, country).e164
    except BadAddress:
        hint = "ann@example.org" if kind == EMAIL else "+49 170 1234567"
        raise BadAnswer(gettext("Enter a value such as %(example)s.") % {"example": hint}) from None
    if kind == SELECT and text not in field["options"]:
        raise BadAnswer(gettext("Choose one of the options."))
    if kind == NUMBER:
        try:
            number = float(text.replace(",", ".")) if len(text) < 40 else float("nan")
        except ValueError:
            number = float("nan")
        if not isfinite(number):
            raise BadAnswer(gettext("Enter a number."))
        return text.replace(",", ".")
    if kind == DATE:
        try:
            return date.fromisoformat(text[:10]).isoformat()
        except ValueError:
            raise BadAnswer(gettext("Enter a date, such as 2027-01-31.")) from None
    return text if kind in (TEXTAREA, HIDDEN) else " ".join(text.split())


def _text(raw_answer: Any) -> str:
    """Return a text without characters that no person writes. Raises BadAnswer for a long one, or another type."""
    if raw_answer is None:
        return ""
    if isinstance(raw_answer, bool) or not isinstance(raw_answer, str | int | float):
        raise BadAnswer(gettext("Enter a text."))
    text = _UNWRITTEN.sub("", str(raw_answer).replace("\r\n", "\n")).strip()
    if len(text) > MAX_ANSWER_LENGTH:
        raise BadAnswer(gettext("Enter at most %(number)s characters.") % {"number": f"{MAX_ANSWER_LENGTH:,}"})
    return text
