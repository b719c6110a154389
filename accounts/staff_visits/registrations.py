"""The registrations of staff visits."""

from __future__ import annotations

from accounts.settings.notices import Notice, register_notice
from accounts.staff_visits.services import NOTICE
from core.text.translation import gettext_lazy

register_notice(Notice(NOTICE, gettext_lazy("Support viewed your company"), "notice_staff_visited", on=False))
