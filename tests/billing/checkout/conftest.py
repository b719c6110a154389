"""One stand-in for the gateways of a module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from config.local.gateway_standin.server import Server, run_server
from tests.billing.checkout.helpers import open_gateways


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with run_server() as server:
        yield server


@pytest.fixture
def server(shared: Server, settings: Any) -> Server:
    shared.state.bad = ""
    shared.state.faults.clear()
    open_gateways(shared, settings)
    return shared
