"""The guard of connections to hosts that tenants name: it resolves a name once and refuses private addresses.

All sockets to such hosts are opened by `connect`, or to an address of `resolve_allowed`. HTTP: core.outbound_http.
"""

import ipaddress
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from urllib.parse import urlsplit

from django.conf import settings

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

# Networks that carry an IPv4 address inside an IPv6 one: the inner address decides.
_EMBEDDING = (
    ipaddress.IPv6Network("64:ff9b::/96"),  # NAT64 (RFC 6052)
    ipaddress.IPv6Network("::ffff:0:0:0/96"),  # stateless translation (RFC 2765)
)
_NEVER_PUBLIC = (
    ipaddress.IPv6Network("::/96"),  # IPv4-compatible
    ipaddress.IPv6Network("fec0::/10"),  # site-local
    ipaddress.IPv6Network("64:ff9b:1::/48"),  # NAT64 of a local network (RFC 8215)
    ipaddress.IPv6Network("3fff::/20"),  # documentation (RFC 9637)
    ipaddress.IPv6Network("5f00::/16"),  # segment routing (RFC 9602)
    ipaddress.IPv4Network("192.88.99.0/24"),  # the former 6to4 relays
)
"""Networks that Python's registry does not list as private, or not in every release."""


class OutboundRefused(Exception):
    """A host that must not or cannot be connected to. `code` is not_found, private, unencrypted, invalid or held;
    people read `detail`."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class NetworkInTransaction(BaseException):
    """Raised for a connection requested by work that runs in one transaction. Nothing has been sent yet. The owner
    of the transaction rolls it back and does the work another way. It is no Exception, so that no handler treats it
    as an unreachable host."""


_refused: ContextVar[bool] = ContextVar("leadwright_no_network", default=False)


@contextmanager
def forbid_network() -> Iterator[None]:
    """Refuse guarded connections inside of the block, by NetworkInTransaction."""
    token = _refused.set(True)
    try:
        yield
    finally:
        _refused.reset(token)


def is_network_refused() -> bool:
    """Return whether a block of `forbid_network` is open."""
    return _refused.get()


def require_network_allowed() -> None:
    """Check that a connection may be opened or used now. Raises NetworkInTransaction inside of `forbid_network`."""
    if _refused.get():
        raise NetworkInTransaction


_why_not: ContextVar[Callable[[], str] | None] = ContextVar("leadwright_why_not", default=None)


@contextmanager
def refuse_connections_if(why_not: Callable[[], str] | None) -> Iterator[None]:
    """Refuse guarded connections inside of the block where `why_not()` returns a reason; None refuses none."""
    token = _why_not.set(why_not)
    try:
        yield
    finally:
        _why_not.reset(token)


@dataclass(frozen=True, slots=True)
class Address:
    """One resolved address. Connect to `ip`, never to the name again: it may resolve to another address by then."""

    ip: str
    port: int
    family: socket.AddressFamily
    public: bool


def is_public(ip: IPAddress) -> bool:
    """Return whether an address belongs to the public internet. An IPv4 address inside an IPv6 one decides."""
    if isinstance(ip, ipaddress.IPv6Address):
        # An address such as ::ffff:10.0.0.1 would otherwise pass for a public one.
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and any(ip in network for network in _EMBEDDING):
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    if any(ip in network for network in _NEVER_PUBLIC):
        return False
    # is_global alone lets multicast through.
    return ip.is_global and not ip.is_multicast


def is_private(host: str) -> bool:
    """Return whether a host is written as an address that must not be connected to; names are not resolved."""
    try:
        ip = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return False
    return not is_public(ip) and not _is_excepted(host, ip, _private_hosts())


def resolve_allowed(host: str, port: int, *, private_hosts: Iterable[str] | None = None) -> list[Address]:
    """Resolve a host to the addresses that may be connected to, in the resolver's order.

    `private_hosts` are the exceptions (host names, addresses or networks), by default the setting
    OUTBOUND_PRIVATE_HOSTS. A name with one private address is refused, since DNS rebinding begins with a mixed answer.
    """
    require_network_allowed()
    why_not = _why_not.get()
    # Before the name is resolved: a held copy asks no name server about its company's hosts.
    if why_not is not None and (reason := why_not()):
        raise OutboundRefused("held", reason)
    hosts = _private_hosts() if private_hosts is None else list(private_hosts)
    if (
        not host
        or not 0 < port < 65536
        or any(character.isspace() or not character.isprintable() for character in host)
    ):
        raise OutboundRefused("invalid", f"{host!r}:{port} is not a host and a port.")
    try:
        # Resolved once, here: callers connect to these addresses and never to the name (DNS rebinding).
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError):
        raise OutboundRefused("not_found", f"The host name {host} could not be found. Check its spelling.") from None
    addresses: list[Address] = []
    for family, _kind, _proto, _name, place in entries:
        ip = ipaddress.ip_address(str(place[0]).partition("%")[0])
        public = is_public(ip)
        if not public and not _is_excepted(host, ip, hosts):
            raise OutboundRefused(
                "private", f"{host} is an address inside this network, and connecting to it is not allowed here."
            )
        addresses.append(Address(str(place[0]), port, family, public))
    return addresses


def connect(host: str, port: int, timeout: float, *, encrypted: bool = True) -> socket.socket:
    """Connect to the first of the host's allowed addresses that answers, within `timeout` seconds in all.

    What goes without encryption reaches private addresses only. Raises OutboundRefused and OSError.
    """
    addresses = resolve_allowed(host, port)
    # One public address is enough: the resolver's order is not ours to choose.
    if not encrypted and any(address.public for address in addresses):
        raise OutboundRefused("unencrypted", f"{host} is on the public internet and is reached by https only.")
    ends, failure = monotonic() + timeout, OSError(f"{host} has no address")
    for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
        try:
            # Each of the addresses that are left gets its share, so that a silent one doesn't take all the time.
            return socket.create_connection((address.ip, port), timeout=max(0.05, (ends - monotonic()) / left))
        except OSError as error:
            failure = error
    raise failure


def checked_address(url: str) -> str:
    """Return the address of a server, such as https://host:9000, that connections may go to. Raises OutboundRefused."""
    text = url.strip().rstrip("/")
    parts = urlsplit("")
    port = 0
    with suppress(ValueError, KeyError):
        parts = urlsplit(text)
        default_port = {"http": 80, "https": 443}[parts.scheme]
        port = default_port if parts.port is None else parts.port
    extra = parts.username or parts.password or parts.path or parts.query or parts.fragment
    # Characters that urlsplit and HTTP libraries read differently, so that each would see another host.
    if not port or not parts.hostname or extra or not text.isprintable() or any(mark in text for mark in " @?#\\"):
        raise OutboundRefused("invalid", "Write it as https://host, without a user, a path or a query.")
    addresses = resolve_allowed(parts.hostname, port)
    if parts.scheme == "http" and any(address.public for address in addresses):
        raise OutboundRefused("unencrypted", "A server on the public internet is reached by https only.")
    return text


def checked_url(url: str) -> str:
    """Return the URL, such as https://host/path?query, if requests to it may go out. Raises OutboundRefused."""
    parts, port = urlsplit(""), 0
    with suppress(ValueError, KeyError):
        parts = urlsplit(url)
        default_port = {"http": 80, "https": 443}[parts.scheme]
        port = default_port if parts.port is None else parts.port
    if not port or not parts.hostname or "@" in parts.netloc or not url.isprintable() or any(c in url for c in " #\\"):
        raise OutboundRefused("invalid", "Write it as https://host/path, without user, blanks and #.")
    addresses = resolve_allowed(parts.hostname, port)
    if parts.scheme == "http" and any(address.public for address in addresses):
        raise OutboundRefused("unencrypted", "A server on the public internet is reached by https only.")
    return url


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
