"""Text that goes into mails and calendars: without what could end a line or mean something there."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def one_line(text: str) -> str:
    """The text without control characters, its white space single."""
    return " ".join(_CONTROL.sub(" ", text).split())


def several_lines(text: str) -> str:
    """The text without control characters but for line ends, which are all alike."""
    return _CONTROL.sub("", re.sub(r"\r\n?|\u2028|\u2029", "\n", text)).strip()
