"""The notice to a company's owners about the limits of its subscription (templates/mails/notice_limit_nearly_used*)."""

from __future__ import annotations

from accounts.settings.notices import Notice
from core.text.translation import gettext_lazy

NEARLY_USED = "limit.nearly_used"

NOTICES = (Notice(NEARLY_USED, gettext_lazy("Plan limit reached or nearly reached"), "notice_limit_nearly_used"),)
