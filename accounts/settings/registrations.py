"""The registrations of settings."""

from __future__ import annotations

from accounts.companies.services import timezone_changes
from accounts.settings.branding import error_brand
from accounts.settings.services import make_settings, note_timezone_change
from accounts.settings.views import SettingsViewSet
from core.api.handler import set_error_brand
from core.api.routes import protected
from core.tenancy.provisioning import company_created

protected.register("settings", SettingsViewSet)
company_created.connect(make_settings)
timezone_changes.connect(note_timezone_change)
set_error_brand(error_brand)
