"""The registrations of connected apps."""

from __future__ import annotations

from core.access import count_usage
from outreach.connections.connected_apps.selectors import counted_apps

count_usage("apps", counted_apps)
