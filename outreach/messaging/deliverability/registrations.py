"""The registrations of deliverability."""

from __future__ import annotations

from accounts.settings.notices import register_notice
from outreach.messaging.deliverability.services import TURNED_RED

register_notice(TURNED_RED)
