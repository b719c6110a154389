"""The registrations of white labels."""

from __future__ import annotations

from accounts.settings.branding import set_look
from outreach.site.white_label.brands import look_of

set_look(look_of)
