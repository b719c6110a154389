"""core.outbound: which addresses a tenant's host may resolve to."""

import socket
from typing import Any

import pytest

from core import outbound
from core.outbound import OutboundRefused, is_public, resolve_allowed


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "224.0.0.1",
        "255.255.255.255",
        "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
        "2002:7f00:1::", "::127.0.0.1", "::10.0.0.1", "::8.8.8.8", "fec0::1", "feff::1", "::ffff:0:7f00:1",
        "64:ff9b:1::7f00:1", "3fff::1", "5f00::1", "192.88.99.1",
    ],
)  # fmt: skip
def test_private_addresses(address: str) -> None:
    assert is_public(outbound.ipaddress.ip_address(address)) is False


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.215.14", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "::ffff:0:808:808"]
)
def test_public_addresses(address: str) -> None:
    assert is_public(outbound.ipaddress.ip_address(address)) is True


def answer(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    def getaddrinfo(host: str, port: int, **_options: Any) -> list[Any]:
        return [
            (socket.AF_INET6 if ":" in ip else socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port))
            for ip in addresses
        ]

    monkeypatch.setattr(outbound.socket, "getaddrinfo", getaddrinfo)


def test_the_addresses_come_pinned_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, "2606:4700::1111", "8.8.8.8")
    assert [
        (found.ip, found.port, found.public) for found in resolve_allowed("mail.example", 587, private_hosts=[])
    ] == [
        ("2606:4700::1111", 587, True),
        ("8.8.8.8", 587, True),
    ]


def test_one_private_address_among_public_ones_refuses_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, "8.8.8.8", "10.0.0.5")
    with pytest.raises(OutboundRefused) as caught:
        resolve_allowed("mail.example", 587, private_hosts=[])
    assert caught.value.code == "private"


@pytest.mark.parametrize("entry", ["mail.example", "10.0.0.5", "10.0.0.0/8", "MAIL.example"])
def test_an_operator_can_allow_a_private_host(monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    answer(monkeypatch, "10.0.0.5")
    assert [found.public for found in resolve_allowed("mail.example", 25, private_hosts=["other.example", entry])] == [
        False
    ]


@pytest.mark.parametrize(
    ("host", "port"), [("", 25), ("a b", 25), ("a\nb", 25), ("mail.example", 0), ("mail.example", 70000)]
)
def test_what_is_no_host_and_port(host: str, port: int) -> None:
    with pytest.raises(OutboundRefused) as caught:
        resolve_allowed(host, port, private_hosts=[])
    assert caught.value.code == "invalid"


@pytest.mark.parametrize("host", ["does-not-exist.invalid", "x" * 300, "a..b", "é" * 80 + ".com"])
def test_a_name_that_is_not_found(host: str) -> None:
    with pytest.raises(OutboundRefused) as caught:
        resolve_allowed(host, 25, private_hosts=[])
    assert caught.value.code == "not_found"
