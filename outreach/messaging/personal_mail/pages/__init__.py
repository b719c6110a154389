"""The pages of the emails that members write to one person: the composer, drafts and what was sent."""

from __future__ import annotations

from outreach.messaging.personal_mail.pages.emails import Email, KeptDraft, NewEmail
from outreach.messaging.personal_mail.pages.list import Emails

PAGES = [Emails, NewEmail, KeptDraft, Email]
