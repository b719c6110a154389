"""The guard of connections to hosts that tenants name: it resolves a name once and refuses private addresses."""

import ipaddress
import socket
from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

# Networks that carry an IPv4 address inside an IPv6 one: the inner address decides.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_OBSOLETE = (ipaddress.IPv6Network("::/96"), ipaddress.IPv6Network("fec0::/10"))
"""IPv4-compatible and site-local addresses, which the registry no longer lists as private."""


class OutboundRefused(Exception):
    """A host that must not or cannot be connected to. `code` is not_found, private or invalid; people read `detail`."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Address:
    """One resolved address. Connect to `ip`, never to the name again: it may resolve to another address by then."""

    ip: str
    port: int
    family: socket.AddressFamily
    public: bool


def is_public(ip: IPAddress) -> bool:
    """Tell whether an address belongs to the public internet. An IPv4 address inside an IPv6 one decides."""
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if any(ip in network for network in _OBSOLETE):
            return False
    return ip.is_global and not ip.is_multicast


def resolve_allowed(host: str, port: int, *, private_hosts: Iterable[str] | None = None) -> list[Address]:
    """Resolve a host to the addresses that may be connected to, in the resolver's order.

    `private_hosts` are the exceptions (host names, addresses or networks), by default the setting
    OUTBOUND_PRIVATE_HOSTS. A name with one private address is refused, since DNS rebinding begins with a mixed answer.
    """
    allowed = _private_hosts() if private_hosts is None else list(private_hosts)
    if (
        not host
        or not 0 < port < 65536
        or any(character.isspace() or not character.isprintable() for character in host)
    ):
        raise OutboundRefused("invalid", f"{host!r}:{port} is not a host and a port.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError):
        raise OutboundRefused("not_found", f"The host name {host} could not be found. Check its spelling.") from None
    addresses: list[Address] = []
    for family, _kind, _proto, _name, place in found:
        ip = ipaddress.ip_address(str(place[0]).partition("%")[0])
        public = is_public(ip)
        if not public and not _is_excepted(host, ip, allowed):
            raise OutboundRefused(
                "private", f"{host} is an address inside this network, and connecting to it is not allowed here."
            )
        addresses.append(Address(str(place[0]), port, family, public))
    return addresses


def _private_hosts() -> list[str]:
    return list(getattr(settings, "OUTBOUND_PRIVATE_HOSTS", ()))


def _is_excepted(host: str, ip: IPAddress, allowed: list[str]) -> bool:
    for entry in allowed:
        if entry.lower() == host.lower():
            return True
        try:
            network = ipaddress.ip_network(entry, strict=False)
        except ValueError:
            continue
        if ip.version == network.version and ip in network:
            return True
    return False
