from __future__ import annotations

from tests.outreach.messaging.deliverability.conftest import _name_server, zone

__all__ = ["_name_server", "zone"]
