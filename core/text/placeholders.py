"""Placeholders of templates: names in double braces."""

from __future__ import annotations

import re

PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
"""A placeholder, with the blanks around its name: a pattern without them takes hours for a page of blanks."""

_MARK = re.compile(r"\{\{|\}\}|\{%|%\}")


def has_stray_mark(text: str) -> bool:
    """Return whether the text has an incomplete mark of a placeholder, such as {{name} or {% if %}."""
    return _MARK.search(PLACEHOLDER.sub("", text)) is not None


def names_in(text: str) -> list[str]:
    """Return the names of the placeholders in the text."""
    return [name.strip() for name in PLACEHOLDER.findall(text)]
