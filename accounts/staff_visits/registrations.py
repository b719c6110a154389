"""The registrations of staff visits."""

from __future__ import annotations

from accounts.settings.notices import Notice, register_notice
from accounts.staff_visits.services import NOTICE

register_notice(Notice(NOTICE, "Our staff looked at your company", "notice_staff_visited", on=False))
