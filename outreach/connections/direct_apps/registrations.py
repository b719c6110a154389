"""The registrations of direct apps."""

from __future__ import annotations

from core.jobs import PeriodicTask, register
from outreach.connections.direct_apps.tokens import EVERY, refresh_tokens

register(PeriodicTask("outreach.social_account_tokens", refresh_tokens, every=EVERY))
