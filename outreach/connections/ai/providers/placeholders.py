"""Finds placeholders in a model's words: what somebody would have to fill in before the message goes.

| Seen | Is a placeholder |
|---|---|
| `{{x}}`, `{% x %}`, `<% x %>`, `${x}`, `*|X|*`, `[[x]]`, `<<x>>` | always: marks of templates |
| `{x}`, `%X%` | always, around a name of up to four words; not where a figure stands before the first % |
| `[x]`, `<x>` | where a word of it is name, your, insert, Vorname or the like, or all are such as date or price |
| `FIRST_NAME` | where a word of it is one of all these |

So "[link]", "[1]", "<3" and "<https://…>" are honest text, as are words that a name of the company or of a product has.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_MARKS = re.compile(r"\{\{|\}\}|\{%|%\}|<%|%>|\$\{|\*\||\|\*|\[\[|\]\]|<<|>>")
_NAME = r"[^\W\d_][\w.'’-]*(?:[ _][\w.'’-]+){0,3}"
_CURLY = re.compile(rf"\{{\s*{_NAME}\s*\}}")
_PERCENT = re.compile(r"(?<![\d%])%[^\W\d_]\w{1,40}%(?!\d)")
_BRACKETS = re.compile(r"\[([^\[\]\n]{1,60})\]|<([^<>\n]{1,60})>")
_CAPITALS = re.compile(r"\b[A-Z]{2,}(?:_[A-Z]{2,})+\b")
_WORD = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(r"https?:|www\.|@|/")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_STRONG_WORDS = (
    "name names firstname lastname fullname surname companyname yourname your insert placeholder salutation recipient"
    # German, French, Spanish, Italian, Portuguese, Dutch
    " vorname nachname anrede firmenname ihr ihre ihren dein deine einfügen"
    " nom prénom prenom votre insérer destinataire nombre apellido su tu insertar"
    " nome cognome inserire sobrenome naam voornaam achternaam uw"
)
_OTHER_WORDS = (
    "first last our their his her add enter fill company sender contact customer client prospect signature title"
    " position job role date time day month amount price number phone email mail address city country product"
    " firma unternehmen datum entreprise société empresa cliente fecha azienda bedrijf"
)
_STRONG = frozenset(_STRONG_WORDS.split())
"""Words in brackets that each suffice to mark a placeholder."""
_ANY = _STRONG | frozenset(_OTHER_WORDS.split())
"""Brackets with nothing but these are placeholders too."""


def placeholder_in(text: str, known: Iterable[str] = ()) -> str | None:
    """Return the first placeholder in the text, or None. `known` are names that may have brackets of their own."""
    plain = unicodedata.normalize("NFKC", text)
    for pattern in (_MARKS, _CURLY, _PERCENT):
        if match := pattern.search(plain):
            return match[0]
    for match in _BRACKETS.finditer(plain):
        inner = match[1] or match[2]
        if not _ADDRESS.search(inner) and _is_filled_in(inner) and not any(match[0] in name for name in known):
            return match[0]
    capitals = (capital[0] for capital in _CAPITALS.finditer(plain))
    return next((capital for capital in capitals if not _ANY.isdisjoint(capital.casefold().split("_"))), None)


def _is_filled_in(text: str) -> bool:
    """Return whether words in brackets name a value to fill in. Long texts are remarks."""
    parts = [word.casefold() for word in _WORD.findall(_CAMEL.sub(" ", text))]
    return 0 < len(parts) <= 5 and (not _STRONG.isdisjoint(parts) or _ANY.issuperset(parts))
