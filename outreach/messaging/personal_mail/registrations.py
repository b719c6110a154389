"""The registrations of mails to one person."""

from __future__ import annotations

from core.api.routes import protected
from crm.privacy.registry import referring_rows, register_personal_data
from outreach.messaging.personal_mail.models import PersonalMail
from outreach.messaging.personal_mail.views import PersonalMailViewSet

protected.register("message", PersonalMailViewSet)
# Their messages are registered with delivery.
register_personal_data(
    "personalMails", PersonalMail, lambda subject: referring_rows(PersonalMail, subject), module="genie"
)
