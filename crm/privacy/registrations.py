"""The registrations of access requests and erasure, and of personal data in the CRM and the apps below it."""

from __future__ import annotations

from core.api.routes import protected
from crm.privacy.tables import register_tables
from crm.privacy.views import ContactPrivacyViewSet

protected.register("contact", ContactPrivacyViewSet)
register_tables()
