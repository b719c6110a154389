"""The stand-in for mail vendors, reached instead of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from outreach.connections.mail_vendors import backends
from tests.kit.google import CLIENT, CLIENT_SECRET
from tests.kit.mail_vendors import VENDORS, VendorServer, vendor_server


@pytest.fixture(scope="session")
def _server() -> Iterator[VendorServer]:
    with vendor_server() as found:
        yield found


@pytest.fixture
def vendors(_server: VendorServer, settings: Any) -> Iterator[VendorServer]:
    settings.VENDOR_BASE_URLS = dict.fromkeys(VENDORS, _server.url)
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
    settings.GOOGLE_CLIENT_ID, settings.GOOGLE_CLIENT_SECRET = CLIENT, CLIENT_SECRET
    backends.close_idle(0)
    yield _server.be("brevo")
    backends.close_idle(0)
