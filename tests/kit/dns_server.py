"""A name server on loopback (UDP) that answers from a table, and not at all for names below `silent.`."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset


@dataclass
class Zone:
    """(name, type) -> records as zone files have them, and what was asked."""

    port: int = 0
    records: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def text(self, name: str, *values: str) -> None:
        """Publish TXT records, each in strings of 255 characters at most."""
        quoted = [value.replace("\\", "\\\\").replace('"', '\\"') for value in values]
        self.records[name, "TXT"] = [
            " ".join(f'"{one[at : at + 200]}"' for at in range(0, len(one) or 1, 200)) for one in quoted
        ]


class Handler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        data, sock = self.request
        query = dns.message.from_wire(data)
        [question] = query.question
        name, kind = str(question.name).rstrip(".").lower(), dns.rdatatype.to_text(question.rdtype)
        zone: Zone = self.server.zone  # type: ignore[attr-defined]
        zone.asked.append((name, kind))
        if name.endswith("silent"):
            return
        answer = dns.message.make_response(query)
        if (name, kind) in zone.records:
            answer.answer.append(dns.rrset.from_text(question.name, 300, "IN", kind, *zone.records[name, kind]))
        elif not any(name == known for known, _kind in zone.records):
            answer.set_rcode(dns.rcode.NXDOMAIN)
        sock.sendto(answer.to_wire(), self.client_address)


@contextmanager
def dns_server() -> Iterator[Zone]:
    """Run the server; the zone's port is where it listens."""
    with socketserver.ThreadingUDPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        zone = server.zone = Zone(server.server_address[1])  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield zone
        finally:
            server.shutdown()
