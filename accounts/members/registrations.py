"""The registrations of members."""

from __future__ import annotations

from accounts.companies.first_steps import FirstStep, register_first_step
from accounts.members.filters import MEMBERSHIP_FIELDS
from accounts.members.readers import Browsers
from accounts.members.selectors import colleagues, seats
from accounts.settings.notices import Notice, register_notice
from core.access import count_usage
from core.global_search import Kind, register_kind
from core.text.translation import gettext_lazy
from core.web.readers import set_source

count_usage("member", seats, error="PlanMaxUsers_400")
register_first_step(FirstStep("members", colleagues, 3))
register_notice(Notice("member.joined", gettext_lazy("Invite accepted"), "notice_member_joined"))
set_source(Browsers())
searched = [MEMBERSHIP_FIELDS.fields[name] for name in ("name", "email")]
register_kind(Kind("member", "member", lambda actor: seats(), searched, "name", "email", 70))
