"""Refuses requests in a charset that nothing is sent in, before Django reads them.

A request may name any codec of Python. Some decode no text, which is an error while Django makes the request; and a
megabyte of Punycode takes minutes.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable
from typing import Any

from django.utils.http import parse_header_parameters

from core.api.refusals import INVALID, MALFORMED, Refusal
from core.errors import detail_of, field_errors
from core.text.json import dumps
from core.types import JsonObject

CHARSETS = frozenset({"ascii", "cp1252", "iso8859-1", "utf-8"})
"""Charsets of requests, by the names of their codecs."""
HEADER = "Content-Type"
REFUSAL = "send it in UTF-8; its charset is not read here"

Start = Callable[..., Any]
Application = Callable[[JsonObject, Start], Iterable[bytes]]


class CharsetLimit:
    """The WSGI middleware: answers 400 to requests in any charset but CHARSETS."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(self, environ: JsonObject, start_response: Start) -> Iterable[bytes]:
        if is_read(environ.get("CONTENT_TYPE", "")):
            return self._application(environ, start_response)
        errors = field_errors(HEADER, REFUSAL)
        content = dumps(Refusal(400, INVALID, MALFORMED, detail_of(HEADER, REFUSAL), errors).body())
        headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        start_response("400 Bad Request", [*headers, ("Content-Length", str(len(content)))])
        return [content]


def is_read(content_type: str) -> bool:
    """Return whether the charset of a Content-Type is one of CHARSETS, or one that Django takes for UTF-8."""
    try:
        charset = parse_header_parameters(content_type)[1].get("charset")
    except ValueError:
        return False
    try:
        return not charset or codecs.lookup(charset).name in CHARSETS
    except (LookupError, ValueError):
        return "\0" not in str(charset)
