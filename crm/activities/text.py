"""Texts in mails and calendars, without characters that end a line or have a meaning there."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def one_line(text: str) -> str:
    """Return the text without control characters, with single spaces."""
    return " ".join(_CONTROL.sub(" ", text).split())


def several_lines(text: str) -> str:
    """Return the text without control characters except line ends, which become the same everywhere."""
    return _CONTROL.sub("", re.sub(r"\r\n?|\u2028|\u2029", "\n", text)).strip()
