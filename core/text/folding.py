"""Letters without case and accents: the comparison of texts in searches, and their sort key.

The database does the same (search_fold and text_sort_key, core/migrations/0001_squashed_0007_fold_search.py). A change
here needs a migration, new trigrams and new indexes (docs/decisions/0032).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from django.db.models import CharField, Func, TextField

_MARKS = re.compile("[\u0300-\u0305\u0307-\u036f\u00ad\u200b\u2060\ufeff]|(?<![Ии])\u0306")
"""Accents, and characters without width. The breve of й stays: it is a letter of its own."""
_LETTERS = str.maketrans(
    {
        **dict(zip("ŁØĐÐĦŦ", "LODDHT", strict=True)),
        "ß": "SS",
        "ẞ": "SS",
        "Æ": "AE",
        "Œ": "OE",
        "Þ": "TH",
        **dict.fromkeys("`´ʹʻʼ‘’‛′", "'"),
        **dict.fromkeys("“”„‟", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)


MAX_COMBINING_MARKS = 30
"""As Unicode's form for streams allows (UAX 15)."""
_SORTED_BY = 100
_TIES_BY = 40
"""The characters that decide on an order. An index entry takes 2,700 bytes, and a character is up to four."""


def fold(text: str) -> str:
    """Return the text in capitals without accents, in the form that searches compare."""
    if text.isascii():
        return text.upper().replace("`", "'")
    # An acute accent that stands alone is an apostrophe. NFKD would make a space of it.
    decomposed = unicodedata.normalize("NFKD", limit_combining_marks(text).replace("´", "'"))
    return unicodedata.normalize("NFC", _MARKS.sub("", decomposed).upper().translate(_LETTERS))


def limit_combining_marks(text: str) -> str:
    """Return the text with at most MAX_COMBINING_MARKS accents on a letter, to normalize it in linear time.

    Unicode sorts the accents of a letter; 100,000 of them take half a minute.
    """
    if text.isascii() or len(text) <= 20 * MAX_COMBINING_MARKS:
        return text
    characters = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= MAX_COMBINING_MARKS:
            characters.append(character)
    return "".join(characters)


def sort_text(text: str) -> str:
    """Return the sort key of a text: its base letters, then its accents and capitals."""
    return f"{fold(text)[:_SORTED_BY]}\x01{text[:_TIES_BY]}"


class Folded(Func):
    """The text as fold() returns it, to be compared with `folded`.

    Most texts are ASCII, which needs no call of our function. It stays out of the planner's sight, since it is long.
    """

    arity = 1
    output_field = TextField()

    def __init__(self, text: Any, folded: str) -> None:
        super().__init__(text)
        self.has_apostrophe = "'" in folded

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, Any]:  # type: ignore[override]
        text, params = compiler.compile(self.source_expressions[0])
        # A grave accent stands for an apostrophe, and matters only where one is looked for.
        capitals = f"replace(upper({text}), '`', '''')" if self.has_apostrophe else f"upper({text})"
        sql = f"CASE WHEN octet_length({text}) = length({text}) THEN {capitals} ELSE search_fold({text}) END"
        return sql, [*params] * 4


class SortText(Func):
    """The sort key of a text, equal to the result of sort_text()."""

    function = "text_sort_key"
    arity = 1
    output_field = CharField()


_INVISIBLE = re.compile(
    r"[\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)
"""Unicode's Default_Ignorable_Code_Point, spaces, and the empty pattern of Braille."""


_INVISIBLE_ENDS = re.compile(r"^[\s\u00ad\u200b\u200e\u200f\u2060\ufeff]+|[\s\u00ad\u200b\u200e\u200f\u2060\ufeff]+$")


def trim_invisible(text: str) -> str:
    """Return a text without invisible characters at its ends.

    Joiners and variation selectors stay: words and emoji end with them.
    """
    return _INVISIBLE_ENDS.sub("", text)


def shows_nothing(text: str) -> bool:
    """Return whether a text is empty, or has invisible characters only."""
    return _INVISIBLE.fullmatch(text) is not None
