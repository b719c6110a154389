"""The registrations of forms."""

from __future__ import annotations

from accounts.settings.notices import register_notice
from crm.exports.sources import register_source
from outreach.connections.social_apps.services import social_app_reconnected
from outreach.site.forms.notices import FORM_SUBMITTED, SOCIAL_APP_FAILING
from outreach.site.forms.submissions import wake_refused
from outreach.site.forms.views import FormViewSet

social_app_reconnected.connect(wake_refused)
register_notice(FORM_SUBMITTED)
register_notice(SOCIAL_APP_FAILING)
register_source("form", FormViewSet)
