"""The registrations of mails to one person."""

from __future__ import annotations

from core.api.routes import protected
from outreach.messaging.personal_mail.views import PersonalMailViewSet

protected.register("message", PersonalMailViewSet)
