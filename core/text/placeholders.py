"""Placeholders of templates: names in double braces, each with a fallback if it has one.

{{contact.firstName | default: "there"}} is replaced by "there" where the contact has no first name.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple

PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
"""A placeholder, with the blanks around its name: a pattern without them takes hours for a page of blanks."""

_MARK = re.compile(r"\{\{|\}\}|\{%|%\}")
_DEFAULT = re.compile(r"default:(?:\"([^\"]*)\"|'([^']*)'|“([^“”]*)”)")
"""A fallback, without the blanks around it."""


class Placeholder(NamedTuple):
    """A field that a text names, and the text for contacts without a value."""

    name: str
    fallback: str = ""


def parse_placeholder(inner: str, *, escaped: bool = False) -> Placeholder:
    """Return the field and the fallback of what stands between the braces; `escaped` text is part of HTML."""
    text = html.unescape(inner) if escaped else inner
    name, bar, rest = text.partition("|")
    keyword, colon, quoted = rest.partition(":")
    match = _DEFAULT.fullmatch(f"{keyword.strip()}{colon}{quoted.strip()}") if bar else None
    if match is None:
        return Placeholder(text.strip())
    return Placeholder(name.strip(), next(group for group in match.groups() if group is not None))


def has_stray_mark(text: str) -> bool:
    """Return whether the text has an incomplete mark of a placeholder, such as {{name} or {% if %}."""
    return _MARK.search(PLACEHOLDER.sub("", text)) is not None


def names_in(text: str, *, escaped: bool = False) -> list[str]:
    """Return the names of the placeholders in the text."""
    return [parse_placeholder(inner, escaped=escaped).name for inner in PLACEHOLDER.findall(text)]
