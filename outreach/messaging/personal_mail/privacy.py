"""Personal data in the mails that members write to one person."""

from __future__ import annotations

from crm.privacy.registry import referring, register_personal_data
from outreach.messaging.personal_mail.models import PersonalMail


def register_tables() -> None:
    """Register the drafts and sent mails, which erasure deletes; their messages are registered with delivery."""
    register_personal_data(
        "personalMails", PersonalMail, lambda subject: referring(PersonalMail, subject), module="genie"
    )
