"""Addresses in names."""

from __future__ import annotations

import pytest

from core.text.links import holds_link, unlinked


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
    ],
)
def test_a_link_is_found(name: str) -> None:
    assert holds_link(name)


@pytest.mark.parametrize(
    "name", ["Booking.com", "Node.js GmbH", "J.R.R. Tolkien", "St.John", "A/B Testing Co", "Dr. X"]
)
def test_a_name_is_no_link(name: str) -> None:
    assert not holds_link(name)


def test_a_host_in_a_mail_is_no_link() -> None:
    assert unlinked("Booking.com, Dr. X") == "Booking.\u2060com, Dr. X"
