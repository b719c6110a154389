"""HTML as a browser reads it, whatever line breaks its template has."""

from __future__ import annotations

import re
from typing import Any

KEPT = re.compile(r"(<(textarea|pre|script)\b.*?</\2>)", re.DOTALL)
TAG = re.compile(r"<[a-z/!][^<>]*>")


def html_of(response: Any) -> str:
    """Return the HTML of a response with white space only where it shows, and one blank for each run of it.

    It is kept in the response, because most tests read a page more than once.
    """
    if "html" not in vars(response):
        response.html = _read(response)
    return str(response.html)


def _read(response: Any) -> str:
    parts = KEPT.split(response.content.decode())
    # split() returns the text, the element and the name of the element in turn.
    return "".join(_collapsed(part) if place % 3 == 0 else part for place, part in enumerate(parts) if place % 3 != 2)


def _collapsed(text: str) -> str:
    blank = re.sub(r"\s+", " ", text)
    return re.sub(r"> <", "><", TAG.sub(lambda tag: re.sub(r" (?=/?>)", "", tag[0]), blank))
