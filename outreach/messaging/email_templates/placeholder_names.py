"""Fields that texts of templates can name, and the refusal of an unknown one in words for people."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from django.utils.translation import gettext as _

from core.text.company_names import COMPANY_WORDS, names_company
from core.text.translation import gettext_lazy
from core.types import Values

UNKNOWN = "unknownField"
"""Code of the refusal of a placeholder."""
MAX_SUGGESTED = 3
USABLE = re.compile(r"[\w. -]{1,100}")
BUILT_IN = (
    ("contact.name", gettext_lazy("Name")),
    ("contact.firstName", gettext_lazy("First name")),
    ("contact.email", gettext_lazy("Email")),
    ("contact.number", gettext_lazy("Phone number")),
    ("organization.name", gettext_lazy("Organization")),
    ("company.name", gettext_lazy("Your company")),
    ("company.website", gettext_lazy("Your website")),
)


@dataclass(frozen=True)
class Placeholder:
    """A field that a text can name."""

    name: str
    label: str

    @property
    def text(self) -> str:
        """The placeholder as texts have it."""
        return f"{{{{{self.name}}}}}"


def placeholders(definitions: Iterable[Values] = ()) -> list[Placeholder]:
    """Return the built-in fields, and those of the contacts' own fields.

    A text field for the company is left out: the organization's name stands in its place.
    """
    listed = [Placeholder(name, str(label)) for name, label in BUILT_IN]
    for definition in definitions:
        key = definition["uniqueFieldID"]
        if not definition["isSystem"] and not names_company(definition["name"], key):
            name = str(definition["name"])
            listed.append(Placeholder(name if USABLE.fullmatch(name) else key, name))
    return listed


def unknown_text(name: str, known: Iterable[Placeholder]) -> str:
    """Return the refusal of an unknown field, with the known ones that are most like it."""
    by_word: dict[str, Placeholder] = {}
    for placeholder in known:
        for word in (placeholder.name, placeholder.name.rpartition(".")[2], placeholder.label):
            by_word.setdefault(_plain(word), placeholder)
    # "Company" alone is nearer to "Your company" by its letters, but people mean the firm of the contact.
    by_word |= {word.casefold(): by_word["organizationname"] for word in COMPANY_WORDS}
    words = list(by_word)
    sought = [_plain(name), _plain(name.rpartition(".")[2])]
    same = [by_word[text] for text in sought if text in by_word]
    near = same or [by_word[word] for text in sought for word in get_close_matches(text, words, MAX_SUGGESTED)]
    texts = list(dict.fromkeys(placeholder.text for placeholder in near))[:MAX_SUGGESTED]
    unknown = f"{{{{{name}}}}}"
    if not texts:
        return _("Unknown field %(unknown)s. Choose one under “Insert field”.") % {"unknown": unknown}
    return _("Unknown field %(unknown)s. Did you mean %(fields)s?") % {
        "unknown": unknown,
        "fields": ", ".join(texts),
    }


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
