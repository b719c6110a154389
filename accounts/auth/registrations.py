"""The registrations of authentication."""

from __future__ import annotations

from accounts.auth import openapi  # noqa: F401  (describes the authentication paths in the schema)
from accounts.auth.staff import sessions  # noqa: F401  (ends staff's sessions)
from accounts.auth.staff.second_factor import gate
from core.backoffice.site import page_requested

page_requested.connect(gate)
