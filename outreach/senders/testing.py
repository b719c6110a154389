"""How long connection tests of senders may take, and the turns that they take (outreach.connected_apps.turns)."""

from __future__ import annotations

from outreach.connected_apps.turns import AT_ONCE, BUSY, turn
from outreach.smtp.transport import Timeouts

__all__ = ["AT_ONCE", "BUSY", "TIMEOUTS", "turn"]

TIMEOUTS = Timeouts(connect=8, command=8, total=8)
