"""Addresses in names."""

from __future__ import annotations

import pytest

from core.text.links import holds_link, prevent_links


@pytest.mark.parametrize(
    "name",
    [
        "Win 1000 EUR at http://evil.example/win now",
        "PayPal: see evil.example/login",
        "www.evil.example",
        "Mail me: win@evil.example",
        "evil.example:8080",
        "bit.ly/abc",
        "evil.example?x=1",
        "evil\uff0eexample/win",
        "evil\u3002example/win",
        "evil\u2024example/win",
        "\uff57\uff57\uff57\uff0eevil",
        "win\uff20evil",
        "10.20.30.40/win",
        "evil.xn--p1ai/win",
        "\u043a\u0442\u043e.\u0440\u0444/win",
        "http:\\\\evil.example\\x",
        "http:evil",
        "HTTPS:/evil",
        "https\uff1a\uff3cevil",
        "steam:\\run",
        "evil.com\\x",
        "evil.com\ufe68x",
        "tel:+4930123456",
        "Call tel:112 now",
        "sms:+4930123456?body=yes",
        "mailto:win",
        "javascript:alert(1)",
    ],
)
def test_a_link_is_found(name: str) -> None:
    assert holds_link(name)


@pytest.mark.parametrize(
    "name",
    [
        "Booking.com",
        "Node.js GmbH",
        "J.R.R. Tolkien",
        "St.John",
        "A/B Testing Co",
        "Dr. X",
        "Version 1.2.3",
        "3.14/2",
        "+49 30 123456",
        "Tel: +49 30 123456",
        "Hotel:Berlin",
        "Ratio 3:1",
        "Team: Sales",
        "Art:Work",
        "B\\W Studio",
        "HTTP: The Company",
    ],
)
def test_a_name_is_no_link(name: str) -> None:
    assert not holds_link(name)


def test_a_host_in_a_mail_is_no_link() -> None:
    assert prevent_links("Booking.com, Dr. X") == "Booking.\u2060com, Dr. X"
    assert prevent_links("evil\u3002com") == "evil\u3002\u2060com"
    assert prevent_links("tel:+49 http:c https:\\\\c") == "tel:\u2060+49 http:\u2060c https:\u2060\\\\c"
    assert prevent_links("a@b http://c") == "a@\u2060b http:\u2060//c"
