"""The path of a value in a JSON response: names and numbers with dots between them, such as data.people.0.email."""

from __future__ import annotations

import re
from typing import Any

from outreach.connections.smtp.message import clean_line

MAX_PARTS = 10
PATH = r"[\w@$ :-]+(\.[\w@$ :-]+)*"
_PATH = re.compile(PATH)


def is_path(text: str) -> bool:
    """Return whether the text is a path; the empty one is the whole answer."""
    return text == "" or (_PATH.fullmatch(text) is not None and text.count(".") < MAX_PARTS)


def value_at_path(value: Any, path: str) -> Any:
    """Return the value at the path, or None."""
    for part in path.split(".") if path else ():
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and part.isascii() and part.isdigit() and len(part) < 6:
            value = value[int(part)] if int(part) < len(value) else None
        else:
            return None
    return value


def text_at(value: Any, path: str, limit: int) -> str:
    """Return the text or number at the path as one clean line of at most `limit` characters; otherwise nothing."""
    leaf = value_at_path(value, path)
    if isinstance(leaf, bool) or not isinstance(leaf, str | int | float):
        return ""
    return clean_line(str(leaf)[: 4 * limit])[:limit].strip()
