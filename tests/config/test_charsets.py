"""Requests in charsets that nothing is sent in are refused before Django reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from config.serving.charsets import REFUSAL, CharsetLimit
from config.wsgi import application as served


def ask(content_type: str) -> tuple[str, bytes]:
    told: list[str] = []

    def application(environ: dict[str, Any], start: Any) -> list[bytes]:
        start("200 OK", [])
        return [b"read"]

    answer = CharsetLimit(application)({"CONTENT_TYPE": content_type}, lambda status, headers: told.append(status))
    return told[-1][:3], b"".join(answer)


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=B", "application/json", "text/plain"])
@pytest.mark.parametrize("charset", ["punycode", "IDNA", '"hex"', "utf-7", "unicode_escape", "utf-16", "a\0b"])
def test_odd_charsets_are_refused(kind: str, charset: str) -> None:
    status, content = ask(f"{kind}; charset={charset}")
    body = json.loads(content)
    assert (status, body["warning"], body["errors"][0]["field"]) == ("400", f"Content-Type: {REFUSAL}", "Content-Type")


@pytest.mark.parametrize("charset", ["utf-8", "UTF8", "us-ascii", "ISO-8859-1", "windows-1252", "klingon", '""'])
def test_usual_charsets_are_read(charset: str) -> None:
    assert ask(f"text/plain; charset={charset}") == ("200", b"read")


@pytest.mark.parametrize("kind", ["", "text/plain", "multipart/form-data; boundary=B", ";;;="])
def test_requests_without_a_charset_are_read(kind: str) -> None:
    assert ask(kind) == ("200", b"read")


def test_the_service_refuses_them_before_anything_else() -> None:
    assert isinstance(served, CharsetLimit)
