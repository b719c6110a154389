"""The registrations of conversations."""

from __future__ import annotations

from accounts.settings.notices import register_notice
from outreach.chat.conversations.mails import ASSIGNED, OVERDUE, WOKEN

for notice in (ASSIGNED, WOKEN, OVERDUE):
    register_notice(notice)
