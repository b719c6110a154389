"""The back office tests messenger apps and social accounts as it does numbers."""

from __future__ import annotations

from outreach.connections.chat_apps.admin import CHECKS
from outreach.connections.direct_apps.services import MESSENGERS, SOCIAL_B

CHECKS |= {MESSENGERS.vendor: MESSENGERS.check, SOCIAL_B.vendor: SOCIAL_B.check}
