"""The registrations of settings."""

from __future__ import annotations

from accounts.settings.branding import error_brand
from accounts.settings.services import make_settings
from core.api.handler import set_error_brand
from core.tenancy.provisioning import company_created

company_created.connect(make_settings)
set_error_brand(error_brand)
