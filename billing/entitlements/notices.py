"""The notice to a company's owners about the limits of its subscription (templates/mails/notice_limit_nearly_used*)."""

from __future__ import annotations

from accounts.settings.notices import Notice, register_notice

NEARLY_USED = "limit.nearly_used"

TITLE = "A limit of the plan is nearly used up, or all of it is"
register_notice(Notice(NEARLY_USED, TITLE, "notice_limit_nearly_used"))
