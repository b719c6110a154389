"""Placeholders of templates: names in double braces."""

from __future__ import annotations

import re

PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
"""A placeholder, with the blanks around its name: a pattern without them takes hours for a page of blanks."""


def names_in(words: str) -> list[str]:
    """Return the names of the placeholders in the words."""
    return [name.strip() for name in PLACEHOLDER.findall(words)]
