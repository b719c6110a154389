from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.kit.dns_server import Zone, dns_server


@pytest.fixture(scope="session")
def _name_server() -> Iterator[Zone]:
    with dns_server() as zone:
        yield zone


@pytest.fixture
def zone(_name_server: Zone, settings: Any) -> Zone:
    """The name server that is asked; it knows no name until it is told."""
    _name_server.records.clear()
    _name_server.asked.clear()
    settings.DNS_RESOLVERS = [("127.0.0.1", _name_server.port)]
    return _name_server
