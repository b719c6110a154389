"""Words in cells for an empty value: N/A, NULL, #DIV/0!, 0000-00-00.

A name or a free text keeps words with another meaning: Null is a surname, and "-" an answer.
"""

from __future__ import annotations

from crm.field_types import FieldSpec

ERRORS = frozenset(
    {
        "#DIV/0!",
        "#REF!",
        "#VALUE!",
        "#NAME?",
        "#NUM!",
        "#NULL!",
        "#N/A",
        "#NV",
        "#SPILL!",
        "#CALC!",
        "#WERT!",
        "#BEZUG!",
    }
    | {"#ERROR!", "#####", "########", "#GETTING_DATA", "#FIELD!"}
)
"""Texts of spreadsheets for a formula without a value."""
IN_TEXTS = ERRORS | {"NULL", "(blank)", "(Blank)", "(empty)", "(null)", "[empty]", "[null]", "<null>", "<NULL>", "\\N"}
"""Words for nothing in a free text, where others may be meant."""
_WORDS = (
    *("n/a", "n.a.", "n. a.", "n.a", "na", "#n/a", "null", "none", "nil", "nan", "undefined"),
    *("(blank)", "(empty)", "(null)", "(none)", "[empty]", "[null]", "[none]", "<null>", "<empty>", "empty", "blank"),
    *("k. a.", "k.a.", "k. a", "k.a", "keine angabe", "s/o", "s.o.", "sans objet", "n/d", "n.d.", "nd", "n/v"),
    *("not available", "not applicable", "nvt", "n.v.t."),
    *("нет", "нет данных", "keine", "keiner", "aucun", "aucune", "ninguno", "ninguna", "nessuno", "nessuna"),
    *("nenhum", "nenhuma", "geen", "brak", "なし", "无", "無", "없음"),
)
_MARKS = ("-", "--", "---", "–", "—", "?", "??", "???", ".", "- -")
_YEARS = ("00", "0000")
_NO_DAYS = (
    *(f"{day}{mark}{day}{mark}{year}" for day in ("0", "00") for mark in "/.-" for year in ("0", *_YEARS)),
    *(f"{year}{mark}{day}{mark}{day}" for day in ("0", "00") for mark in "/.-" for year in _YEARS),
)
_DAYS_0 = ("1900-01-00", "1/0/1900", "0/1/1900", "01/00/1900", "00/01/1900", "1/0/00", "00.01.1900", "0.1.1900")
"""Texts of spreadsheets for the number 0 as a day."""
_MIDNIGHTS = ("", " 00:00", " 00:00:00", "T00:00:00", "T00:00:00Z", " 0:00", " 12:00 AM", " 12:00:00 AM")
IN_VALUES = frozenset(
    {case for word in _WORDS for case in (word, word.upper(), word.title(), word.capitalize())}
    | ERRORS
    | IN_TEXTS
    | {"k. A.", "k.A.", "k. A", "k.A", "S/o", "N/a"}
    | set(_MARKS)
)
"""Words for nothing in a number, a choice, an address and other values that they cannot be."""
IN_DATES = IN_VALUES | {day + clock for day in (*_NO_DAYS, *_DAYS_0) for clock in _MIDNIGHTS} | {"0"}
NO = frozenset({"нет", "НЕТ", "Нет"})
"""Words that mean no rather than nothing where the answer is yes or no."""
_FREE = ("text", "textarea")
_TYPED = ("number", "boolean", "date", "member", "file")
_NAMES = frozenset({"name", "firstName", "lastName"})
_ADDRESSES = frozenset({"email", "number", "countryCode"})


def words_for_nothing(key: str, spec: FieldSpec | None) -> frozenset[str]:
    """Return the words for an empty value in the column of a field, whose definition may be unknown."""
    if key in _NAMES:
        return ERRORS
    if spec is None or key in _ADDRESSES:
        return IN_VALUES
    if spec.value_type.name == "date":
        return IN_DATES
    if spec.value_type.name == "boolean":
        return IN_VALUES - NO
    if spec.field_type.name in _FREE and spec.value_type.name not in _TYPED:
        return IN_TEXTS
    if spec.field_type.takes_options:
        own = {*(value.lower() for value in spec.options), *(spec.labels or ())}
        return frozenset(word for word in IN_VALUES if word.lower() not in own)
    return IN_VALUES
