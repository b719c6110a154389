"""Charsets that strangers name."""

from __future__ import annotations

import pytest

from core.text.charsets import is_charset


@pytest.mark.parametrize("name", ["utf-8", "UTF8", "iso-8859-15", "windows-1251", "shift_jis", "utf-7"])
def test_charsets(name: str) -> None:
    assert is_charset(name)


@pytest.mark.parametrize(
    "name", ["punycode", "IDNA", "unicode_escape", "raw_unicode_escape", "undefined", "klingon", "a\0b"]
)
def test_codecs_that_are_no_charsets(name: str) -> None:
    assert not is_charset(name)
