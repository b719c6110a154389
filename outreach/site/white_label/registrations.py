"""The registrations of white labels."""

from __future__ import annotations

from accounts.settings.branding import set_look
from core.api.routes import protected
from outreach.site.white_label.brands import look_of
from outreach.site.white_label.views import WhiteLabelViewSet

protected.register("white-label-options", WhiteLabelViewSet)
set_look(look_of)
