"""The addresses of name servers in the setting DNS_RESOLVERS."""

from __future__ import annotations

import ipaddress

from django.core.exceptions import ImproperlyConfigured


def resolver_address(text: str) -> tuple[str, int]:
    """Return the address and the port of `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`."""
    host, port = text.strip(), "53"
    if host.startswith("["):
        host, _bracket, after = host[1:].partition("]")
        port = after.removeprefix(":") or port
    elif host.count(":") == 1:
        host, _colon, port = host.partition(":")
    try:
        number = int(port)
        if not 0 < number < 65536:
            raise ValueError
        return str(ipaddress.ip_address(host)), number
    except ValueError:
        raise ImproperlyConfigured(f"DNS_RESOLVERS: {text!r} is no IP address, with or without a port") from None
