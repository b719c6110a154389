"""Names and addresses of servers."""

from __future__ import annotations

import pytest

from core.text.hosts import is_host


@pytest.mark.parametrize(
    "text",
    [
        "smtp.example.com",
        "smtp.example.com.",
        "localhost",
        "mail_relay",
        "10.0.0.3",
        "::1",
        "2001:db8::25",
        "xn--mller-kva.example",
        "müller.example",
        "почта.рф",
        "a" * 63 + ".example",
        "3com.example",
    ],
)
def test_names_and_addresses_are_hosts(text: str) -> None:
    assert is_host(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "smtp example.com",
        "smtp.example.com:587",
        "https://smtp.example.com",
        "smtp.example.com/mail",
        "me@example.com",
        "-smtp.example.com",
        "smtp-.example.com",
        "smtp..example.com",
        ".example.com",
        "10.0.0.300",
        "10.0.3",
        "a" * 64 + ".example",
        "a." * 130 + "example",
        "smtp.example.com\n",
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert not is_host(text)
